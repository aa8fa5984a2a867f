import { sql } from "kysely";
import { negativeReasons } from "../declare/check-kind.ts";
import type { AttemptReason } from "../vendors/ports/reasons.ts";
import type { IdentitySettings } from "./identity-settings.ts";
import type { VerificationState } from "./transitions.ts";

/** The states that callers and operators see. A negative state has the name of its reason. */
export const publicStates = ["started", "verified", ...negativeReasons, "refused", "failed", "unknown"] as const;
export type PublicState = (typeof publicStates)[number];

/** Negative reasons that are shown under another name: a record without a phone counts as a phone mismatch. */
const shownAs: Readonly<Record<string, PublicState>> = { no_phone: "phone_mismatch" };

export function publicState({ state, reason }: { state: string; reason: string | null }): PublicState {
  return (state === "negative" ? (shownAs[reason!] ?? reason) : state) as PublicState;
}

/** The state that API clients see. With `coarse` details it does not tell which member of the request was wrong. */
export function stateForClients(
  row: { state: string; reason: string | null },
  detail: IdentitySettings["negativeDetail"],
): PublicState {
  return detail === "coarse" && row.state === "negative" ? "not_found" : publicState(row);
}

/** `publicState` in SQL. */
export const publicStateSql = sql<PublicState>`case when verification.state <> 'negative' then verification.state
  when verification.reason = 'no_phone' then 'phone_mismatch' else verification.reason end`;

/** The stored state and reasons that callers see as `shown`. An empty list means every reason. */
export function storedState(shown: PublicState): { state: VerificationState; reasons: readonly AttemptReason[] } {
  const negative = negativeReasons.find((reason) => reason === shown);
  if (!negative) return { state: shown as VerificationState, reasons: [] };
  const others = Object.keys(shownAs).filter((reason) => shownAs[reason] === shown);
  return { state: "negative", reasons: [negative, ...others] as AttemptReason[] };
}
