import { anyText, oneOf, setting } from "../../operation/setting.ts";

/** Who you are to your clients, and what you add to the fees. */
export const businessSettings = {
  businessName: setting({
    name: "DUBA_BUSINESS_NAME",
    default: "",
    about: "Name of your business, on the statements that you send to clients.",
    ...anyText,
  }),
  businessAddress: setting({
    name: "DUBA_BUSINESS_ADDRESS",
    default: "",
    about: "Address of your business and what else a statement must say of it, such as a tax number.",
    ...anyText,
  }),
  taxPercent: setting({
    name: "DUBA_TAX_PERCENT",
    default: "0",
    about: "Tax on fees in percent, on the statements that you send to clients. It changes no fee that Duba charges.",
    form: "a number of percent from 0 to 100, such as 7.5",
    read: (text) => (/^\d{1,3}(\.\d{1,3})?$/.test(text) && Number(text) <= 100 ? Number(text) : undefined),
  }),
  taxIs: setting({
    name: "DUBA_TAX_IS",
    default: "included",
    about: "Where the tax is. included: the fees contain it. added: it comes on top of the fees.",
    ...oneOf("included", "added"),
  }),
};
