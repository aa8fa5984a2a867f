import { nairaOf } from "../../declare/money.ts";
import type { Tables } from "../../storage/tables.ts";
import { type Budget, kindOf } from "./budget.ts";

/** Why an account cannot pay for a verification: the failure's code and a sentence for the caller. */
export interface SpendingFailure {
  code: "spending_cap_reached" | "balance_too_low";
  message: string;
}

/**
 * Returns why an account that has spent this much cannot pay the fee; undefined if it still can. Amounts are in kobo.
 */
export function spendingFailureOf(
  budget: Budget,
  { kobo, verifications, most_kobo: toppedUp }: Pick<Tables["spending"], "kobo" | "verifications" | "most_kobo">,
  fee: number,
): SpendingFailure | undefined {
  if (kindOf(budget) === "balance") {
    const balance = (toppedUp ?? 0) - kobo;
    const message = `Your balance is ${nairaOf(balance)} naira and the fee is ${nairaOf(fee)} naira. Ask the operator of the service to top up your balance. ${seen}`;
    return balance < fee ? { code: "balance_too_low", message } : undefined;
  }
  const { period, most_kobo, most_verifications } = budget;
  const isTooDear = most_kobo !== null && kobo + fee > most_kobo;
  const isOneTooMany = most_verifications !== null && verifications >= most_verifications;
  if (!isTooDear && !isOneTooMany) return undefined;
  const cap = isTooDear
    ? `Your account may spend ${nairaOf(most_kobo)} naira in ${period}. It has spent ${nairaOf(kobo)} naira, and the fee is ${nairaOf(fee)} naira.`
    : `Your account may be charged for ${most_verifications} verifications in ${period}, and has reached that number.`;
  const message = `${cap} It begins anew on ${nextMonth(period)}: wait, or ask the operator of the service for a higher cap. ${seen}`;
  return { code: "spending_cap_reached", message };
}

const seen = "GET /api/v2/me shows what is left.";

/** The first day of the month after `2026-01`. */
function nextMonth(period: string): string {
  const [year, month] = period.split("-").map(Number);
  return new Date(Date.UTC(year!, month!)).toISOString().slice(0, 10);
}
