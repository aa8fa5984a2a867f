import { setting } from "../../declare/setting.ts";

/** Version 0.1 had one setting for the sender of statements: a name, then parts separated by semicolons. */
const former = (read: (parts: readonly string[], pay: RegExpExecArray | null) => string | undefined) => ({
  name: "DUBA_BUSINESS",
  isFit(text: string): boolean {
    const { terms, pay } = formerBusiness(text);
    return terms.length === 0 || (terms.length === 1 && pay !== null);
  },
  read(text: string): string | undefined {
    const { others, pay } = formerBusiness(text);
    return read(others, pay);
  },
});

function formerBusiness(text: string) {
  const parts = text.split(";").map((part) => part.trim());
  const terms = parts.filter((part) => /^pay\b/i.test(part));
  const others = parts.filter((part) => part !== "" && !terms.includes(part));
  return { terms, others, pay: /^pay within (\d{1,3}) days to (.+)$/i.exec(terms[0] ?? "") };
}

/** Shown where the name of the operator's business is missing. */
export const nobodyYet = "Your business has no name yet";

/** The operator's business as clients see it, and the tax on fees. */
export const businessSettings = {
  name: setting({
    name: "DUBA_BUSINESS_NAME",
    default: "",
    about: "Your business, on the statements that you send to clients.",
    form: "text",
    read: (text) => text,
    former: former(([name]) => name),
  }),
  address: setting({
    name: "DUBA_BUSINESS_ADDRESS",
    default: "",
    about:
      "What else a statement must say of your business, such as an address and a tax number. " +
      "A semicolon begins a new line.",
    form: "text",
    /** The lines of the address. */
    read: (text): readonly string[] =>
      text
        .split(";")
        .map((line) => line.trim())
        .filter(Boolean),
    former: former(([, ...lines]) => lines.join("; ") || undefined),
  }),
  payTo: setting({
    name: "DUBA_BUSINESS_PAY_TO",
    default: "",
    about: "Where clients pay, on their statements, such as First Bank 0123456789. Empty: a statement does not say.",
    form: "text",
    read: (text) => text,
    former: former((_, pay) => pay?.[2]),
  }),
  payWithin: setting({
    name: "DUBA_BUSINESS_PAY_WITHIN",
    default: "14d",
    about: "Within how many days of the end of the month a client pays, if DUBA_BUSINESS_PAY_TO says where.",
    form: "a number of days, such as 14d",
    /** Days. */
    read: (text): number | undefined => (/^\d{1,3}d$/.test(text) ? Number.parseInt(text, 10) : undefined),
    former: former((_, pay) => pay?.[1] && `${pay[1]}d`),
  }),
  taxName: setting({
    name: "DUBA_TAX_NAME",
    default: "VAT",
    about: "What the tax of DUBA_TAX is called on statements.",
    form: "at most 20 letters and spaces, such as VAT",
    read: (text) => (/^\p{L}[\p{L} ]{0,19}$/u.test(text) ? text : undefined),
  }),
  tax: setting({
    name: "DUBA_TAX",
    default: "0%",
    about:
      "Tax on fees, on the statements that you send to clients. The fees contain it, or with added, " +
      "as in 7.5% added, it comes on top of them. It changes no fee that Duba charges.",
    form: "a percentage from 0% to 100%, such as 7.5%, and added after it or not",
    read(text): Tax | undefined {
      const [, percent, added] = /^(\d{1,3}(?:\.\d{1,3})?)%( added)?$/.exec(text) ?? [];
      if (percent === undefined || Number(percent) > 100) return undefined;
      return { percent: Number(percent), is: added ? "added" : "included" };
    },
  }),
};

/** A tax on the fees. */
export interface Tax {
  percent: number;
  is: "included" | "added";
}
