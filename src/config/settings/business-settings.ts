import { setting } from "../../operation/setting.ts";

/** Who you are to your clients, and what you add to the fees. */
export const businessSettings = {
  business: setting({
    name: "DUBA_BUSINESS",
    default: "",
    about:
      'Your business, on the statements that you send to clients: its name and, each after a semicolon, what else a statement must say, such as an address and a tax number. A part such as "pay within 14 days to First Bank 0123456789" says until when, from the end of the month, a client pays, and where.',
    form: 'a name, and parts after semicolons, one of which may be "pay within 14 days to …"',
    read(text): Business | undefined {
      const parts = text.split(";").map((part) => part.trim());
      const [term, ...more] = parts.filter((part) => /^pay\b/i.test(part));
      const [, days, payTo] = /^pay within (\d{1,3}) days to (.+)$/i.exec(term ?? "") ?? [];
      if (more.length > 0 || (term !== undefined && payTo === undefined)) return undefined;
      const from = parts.filter((part) => part !== "" && part !== term).join("; ");
      return payTo === undefined ? { from } : { from, pay: { days: Number(days), to: payTo } };
    },
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

/** Who sends a statement. */
export interface Business {
  /** The name, and after each "; " a line. */
  from: string;
  /** Within how many days of the end of the month clients pay, and where. */
  pay?: { days: number; to: string };
}

/** Of the fees. */
export interface Tax {
  percent: number;
  is: "included" | "added";
}
