import { type Config, settingOf } from "../../config/read-config.ts";
import { labelOf } from "../../declare/check-kind.ts";
import { koboOf, nairaOf } from "../../declare/money.ts";
import type { FoundAccount } from "../../ledger/commands/with-accounts.ts";
import { dayAfter, nextMonth } from "../../runtime/time-zone.ts";
import { businessSettings } from "./business-settings.ts";
import type { CostGroup, StatementHead } from "./statement.ts";
import type { StatementTotals } from "./statement-shapes.ts";

/** The settings for the sender and the tax. */
export type LetterConfig = Pick<Config, "ofFeatures">;

/** Returns the totals of a statement. The tax is part of the fees or added, and rounded to the kobo. */
export function statementTotals(
  costs: readonly CostGroup[],
  { month, number, issued }: Pick<StatementHead, "month" | "number" | "issued">,
  client: FoundAccount,
  config: LetterConfig,
): StatementTotals {
  const name = settingOf(config, businessSettings.name);
  const payTo = settingOf(config, businessSettings.payTo);
  const { percent, is } = settingOf(config, businessSettings.tax);
  const fees = costs.reduce((sum, { kobo }) => sum + kobo, 0);
  const tax = Math.round((fees * percent) / (is === "added" ? 100 : 100 + percent));
  const prepaid = client.terms.prepaid === true;
  const isPaidLater = number !== null && !prepaid && payTo !== "";
  return {
    from: [name, ...settingOf(config, businessSettings.address)].filter(Boolean).join("; "),
    to: `${client.name}, ${client.email}`,
    to_address: client.address,
    to_tax_number: client.tax_number,
    issued,
    prepaid,
    groups: costs.map(({ kind, count, price, kobo }) => ({
      kind,
      count,
      price: price === null ? null : nairaOf(price),
      fees: nairaOf(kobo),
    })),
    fees: nairaOf(fees),
    tax: nairaOf(tax),
    tax_name: settingOf(config, businessSettings.taxName),
    tax_percent: percent,
    tax_is: is,
    total: nairaOf(is === "added" ? fees + tax : fees),
    due: isPaidLater ? dayAfter(`${nextMonth(month)}-01`, settingOf(config, businessSettings.payWithin) - 1) : null,
    pay_to: isPaidLater ? payTo : null,
  };
}

/** Returns the label of a group of charges. */
export function costName({ kind, fees }: Pick<StatementTotals["groups"][number], "kind" | "fees">): string {
  if (kind !== "") return `${labelOf(kind)} verifications`;
  return fees.startsWith("-") ? "Given back" : "Corrections";
}

/** Reads naira text as kobo. Negative: a credit. */
export function signedKobo(text: string): number {
  return text.startsWith("-") ? -koboOf(text.slice(1))! : koboOf(text)!;
}
