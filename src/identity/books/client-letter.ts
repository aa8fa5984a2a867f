import { koboOf, nairaOf } from "../../operation/money.ts";
import type { Statement, StatementLine } from "./statement.ts";

/** What a letter to a client says of the sender. */
export interface LetterSettings {
  businessName: string;
  businessAddress: string;
  /** Of the fees, in percent. */
  taxPercent: number;
  taxIs: "included" | "added";
}

/** A statement as the client reads it. Amounts are naira text. */
export interface ClientLetter {
  /** Who sends it, and to whom. */
  from: string;
  to: string;
  lines: StatementLine[];
  fees: string;
  tax: string;
  tax_percent: number;
  tax_is: "included" | "added";
  total: string;
}

/** The live lines of a statement, with the tax in the fees or on top of them, rounded to the kobo. */
export function clientLetter(
  { lines }: Pick<Statement, "lines">,
  client: { name: string; email: string },
  { businessName, businessAddress, taxPercent, taxIs }: LetterSettings,
): ClientLetter {
  const live = lines.filter(({ mode }) => mode === "live");
  const fees = live.reduce((sum, { fee }) => sum + signedKobo(fee), 0);
  const tax = Math.round((fees * taxPercent) / (taxIs === "added" ? 100 : 100 + taxPercent));
  return {
    from: [businessName, businessAddress].filter((text) => text !== "").join(", "),
    to: `${client.name}, ${client.email}`,
    lines: live,
    fees: nairaOf(fees),
    tax: nairaOf(tax),
    tax_percent: taxPercent,
    tax_is: taxIs,
    total: nairaOf(taxIs === "added" ? fees + tax : fees),
  };
}

/** Kobo of naira text, which may be negative: a credit. */
function signedKobo(text: string): number {
  return text.startsWith("-") ? -koboOf(text.slice(1))! : koboOf(text)!;
}
