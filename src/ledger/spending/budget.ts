import { type AccountTerms, balancePeriod } from "../../declare/account-terms.ts";
import type { Mode } from "../../declare/operation.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Tables } from "../../storage/tables.ts";

/**
 * The period of `spending` from which a verification takes its fee, and the maxima of a cap. Null: no maximum. The
 * maximum of a balance is the sum of its top-ups, which the store holds.
 */
export type Budget = Pick<Tables["spending"], "period" | "most_kobo" | "most_verifications">;

export type BudgetKind = "cap" | "balance";

/** The budget of a verification that starts at `at`; undefined if the account's spending has no limit. */
export function budgetOf(
  { mode, terms }: { mode: Mode; terms: AccountTerms },
  at: number,
  zone: TimeZone,
): Budget | undefined {
  if (mode === "test") return undefined;
  const { prepaid, capKobo = null, capCount = null } = terms;
  if (prepaid) return { period: balancePeriod, most_kobo: null, most_verifications: null };
  if (capKobo === null && capCount === null) return undefined;
  return { period: zone.monthOf(at), most_kobo: capKobo, most_verifications: capCount };
}

export function kindOf({ period }: Budget): BudgetKind {
  return period === balancePeriod ? "balance" : "cap";
}
