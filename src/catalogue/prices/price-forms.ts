import { koboOf } from "../../declare/money.ts";
import { groupMark, type Rule, wideScope } from "../model/price-lists.ts";

/** The forms in which people write the parts of a price rule. */

export const margin = {
  form: "a margin such as -2.5%, 3%, 50 or -0.50: a percentage above -100% and at most 10000%, or naira",
  read: (text: string): { rule: Rule; value: number } | undefined => {
    const parts = /^([+-]?)(\d+(?:\.\d{1,2})?)(%?)$/.exec(text);
    const hundredths = parts ? koboOf(parts[2]!) : undefined;
    if (!parts || hundredths === undefined) return undefined;
    const value = parts[1] === "-" ? -hundredths : hundredths;
    if (parts[3] === "") return { rule: "margin", value };
    return value <= -10_000 || value > 1_000_000 ? undefined : { rule: "percent", value };
  },
};

/** The name of a group, with or without `group:`, parsed to the holder of its rules. */
export const groupForm = {
  form: "the name of a group: up to 40 small letters, digits and hyphens, such as agents",
  read: (text: string): string | undefined => {
    const name = text.startsWith(groupMark) ? text.slice(groupMark.length) : text;
    return /^[a-z0-9][a-z0-9-]{0,39}$/.test(name) ? `${groupMark}${name}` : undefined;
  },
};

/** The multiples to which a price may be rounded up. */
export const roundings = [
  { text: "5", kobo: 500 },
  { text: "10", kobo: 1_000 },
] as const;

/** Whether a fixed price fits this scope: one entry, or a size. */
export function takesPrice(of: string): boolean {
  const scope = wideScope(of);
  return scope ? "size" in scope : of.includes(" ");
}
