import { anyText, setting } from "../../operation/setting.ts";

/** Who you are to your clients, and what you add to the fees. */
export const businessSettings = {
  business: setting({
    name: "DUBA_BUSINESS",
    default: "",
    about:
      "Your business, on the statements that you send to clients: its name, and what else a statement must say, such as an address and a tax number.",
    ...anyText,
  }),
  tax: setting({
    name: "DUBA_TAX",
    default: "0%",
    about:
      "Tax on fees, on the statements that you send to clients. The fees contain it, or with added, as in 7.5% added, it comes on top of them. It changes no fee that Duba charges.",
    form: "a percentage from 0% to 100%, such as 7.5%, and added after it or not",
    read(text): Tax | undefined {
      const [, percent, added] = /^(\d{1,3}(?:\.\d{1,3})?)%( added)?$/.exec(text) ?? [];
      if (percent === undefined || Number(percent) > 100) return undefined;
      return { percent: Number(percent), is: added ? "added" : "included" };
    },
  }),
};

/** Of the fees. */
export interface Tax {
  percent: number;
  is: "included" | "added";
}
