import { koboOf, nairaOf } from "../../operation/money.ts";
import type { Statement, StatementLine } from "./statement.ts";

/** What a letter to a client says about the sender. */
export interface LetterSettings {
  /** The sender's name, and other details of the sender on a statement. */
  business: string;
  /** In percent of the fees. */
  tax: { percent: number; is: "included" | "added" };
}

/** A statement as the client reads it. Amounts are naira text. */
export interface ClientLetter {
  /** The names of the sender and of the client. */
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
  { business, tax: { percent, is } }: LetterSettings,
): ClientLetter {
  const live = lines.filter(({ mode }) => mode === "live");
  const fees = live.reduce((sum, { fee }) => sum + signedKobo(fee), 0);
  const tax = Math.round((fees * percent) / (is === "added" ? 100 : 100 + percent));
  return {
    from: business,
    to: `${client.name}, ${client.email}`,
    lines: live,
    fees: nairaOf(fees),
    tax: nairaOf(tax),
    tax_percent: percent,
    tax_is: is,
    total: nairaOf(is === "added" ? fees + tax : fees),
  };
}

/** Kobo of naira text. A negative amount is a credit. */
function signedKobo(text: string): number {
  return text.startsWith("-") ? -koboOf(text.slice(1))! : koboOf(text)!;
}
