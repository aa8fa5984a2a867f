import type { CheckKind } from "../../operation/check-kind.ts";
import { koboOf, nairaOf } from "../../operation/money.ts";
import { dayAfter, nextMonth } from "../../runtime/time-zone.ts";
import type { Statement, StatementLine } from "./statement.ts";

/** What a letter to a client says about the sender. */
export interface LetterSettings {
  business: { from: string; pay?: { days: number; to: string } };
  /** In percent of the fees. */
  tax: { percent: number; is: "included" | "added" };
}

/** Charges of one kind at one price, or all corrections. */
export interface LetterGroup {
  kind: CheckKind | "";
  count: number;
  price: string | null;
  fees: string;
}

/** A statement as the client reads it. Amounts are naira text. */
export interface ClientLetter {
  /** The sender, line by line after each "; ", and the client's name and e-mail. */
  from: string;
  to: string;
  groups: LetterGroup[];
  fees: string;
  tax: string;
  tax_percent: number;
  tax_is: "included" | "added";
  total: string;
  /** A prepaid client has paid it already. */
  prepaid: boolean;
  /** The last day to pay, and where; null if there is nothing to pay yet, or the settings say nothing. */
  due: string | null;
  pay_to: string | null;
}

/** The live lines of a statement, with the tax in the fees or on top of them, rounded to the kobo. */
export function clientLetter(
  { lines: all, month, number }: Pick<Statement, "lines" | "month" | "number">,
  client: { name: string; email: string; terms: { prepaid?: true } },
  { business, tax: { percent, is } }: LetterSettings,
): ClientLetter & { lines: StatementLine[] } {
  const lines = all.filter(({ mode }) => mode === "live");
  const groups = [...Map.groupBy(lines, ({ line, kind, fee }) => (line === "charge" ? `${kind} ${fee}` : "")).entries()]
    .sort(([one], [other]) => Number(one === "") - Number(other === "") || (one < other ? -1 : 1))
    .map(([name, some]): LetterGroup => {
      const [{ kind, fee }] = some as [StatementLine];
      const isCharges = name !== "";
      return {
        ...{ kind: isCharges ? kind : "", count: some.length, price: isCharges ? fee : null },
        fees: nairaOf(sumOf(some)),
      };
    });
  const fees = sumOf(lines);
  const tax = Math.round((fees * percent) / (is === "added" ? 100 : 100 + percent));
  const prepaid = client.terms.prepaid === true;
  const pay = number === null || prepaid ? undefined : business.pay;
  return {
    ...{ from: business.from, to: `${client.name}, ${client.email}`, lines, groups, prepaid },
    ...{ fees: nairaOf(fees), tax: nairaOf(tax), tax_percent: percent, tax_is: is },
    total: nairaOf(is === "added" ? fees + tax : fees),
    due: pay ? dayAfter(`${nextMonth(month)}-01`, pay.days - 1) : null,
    pay_to: pay?.to ?? null,
  };
}

function sumOf(lines: readonly StatementLine[]): number {
  return lines.reduce((sum, { fee }) => sum + signedKobo(fee), 0);
}

/** Kobo of naira text. A negative amount is a credit. */
export function signedKobo(text: string): number {
  return text.startsWith("-") ? -koboOf(text.slice(1))! : koboOf(text)!;
}
