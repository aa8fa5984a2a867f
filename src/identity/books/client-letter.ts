import { labelOf } from "../../operation/check-kind.ts";
import { koboOf, nairaOf } from "../../operation/money.ts";
import { dayAfter, nextMonth } from "../../runtime/time-zone.ts";
import type { CostGroup, StatementHead } from "./statement.ts";
import type { ClientLetter } from "./statement-shapes.ts";

/** What a letter to a client says about the sender. */
export interface LetterSettings {
  business: { from: string; pay?: { days: number; to: string } };
  /** In percent of the fees. */
  tax: { percent: number; is: "included" | "added" };
}

/** What a statement comes to, with the tax in the fees or on top of them, rounded to the kobo. */
export function clientLetter(
  costs: readonly CostGroup[],
  { month, number }: Pick<StatementHead, "month" | "number">,
  client: { name: string; email: string; terms: { prepaid?: true } },
  { business, tax: { percent, is } }: LetterSettings,
): ClientLetter {
  const fees = costs.reduce((sum, { kobo }) => sum + kobo, 0);
  const tax = Math.round((fees * percent) / (is === "added" ? 100 : 100 + percent));
  const prepaid = client.terms.prepaid === true;
  const pay = number === null || prepaid ? undefined : business.pay;
  return {
    ...{ from: business.from, to: `${client.name}, ${client.email}`, prepaid },
    groups: costs.map(({ kind, count, price, kobo }) => ({
      ...{ kind, count, price: price === null ? null : nairaOf(price), fees: nairaOf(kobo) },
    })),
    ...{ fees: nairaOf(fees), tax: nairaOf(tax), tax_percent: percent, tax_is: is },
    total: nairaOf(is === "added" ? fees + tax : fees),
    due: pay ? dayAfter(`${nextMonth(month)}-01`, pay.days - 1) : null,
    pay_to: pay?.to ?? null,
  };
}

/** A group of charges as people call it. */
export function costName({ kind, fees }: Pick<ClientLetter["groups"][number], "kind" | "fees">): string {
  if (kind !== "") return `${labelOf(kind)} verifications`;
  return fees.startsWith("-") ? "Given back" : "Corrections";
}

/** Kobo of naira text. A negative amount is a credit. */
export function signedKobo(text: string): number {
  return text.startsWith("-") ? -koboOf(text.slice(1))! : koboOf(text)!;
}
