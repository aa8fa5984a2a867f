import { sql } from "kysely";
import { negativeReasons } from "../declare/check-kind.ts";
import type { AttemptReason } from "../vendors/ports/reasons.ts";
import type { VerificationState } from "./transitions.ts";

/** The states that callers and operators see. A negative state has the name of its reason. */
export const toldStates = ["started", "verified", ...negativeReasons, "refused", "failed", "unknown"] as const;
export type ToldState = (typeof toldStates)[number];

/** Negative reasons that are shown under another name: a record without a phone counts as a phone mismatch. */
const toldAs: Readonly<Record<string, ToldState>> = { no_phone: "phone_mismatch" };

export function toldState({ state, reason }: { state: string; reason: string | null }): ToldState {
  return (state === "negative" ? (toldAs[reason!] ?? reason) : state) as ToldState;
}

/** `toldState` in SQL. */
export const toldStateSql = sql<ToldState>`case when verification.state <> 'negative' then verification.state
  when verification.reason = 'no_phone' then 'phone_mismatch' else verification.reason end`;

/** The stored state and reasons that callers see as `told`. An empty list means every reason. */
export function storedState(told: ToldState): { state: VerificationState; reasons: readonly AttemptReason[] } {
  const negative = negativeReasons.find((reason) => reason === told);
  if (!negative) return { state: told as VerificationState, reasons: [] };
  const others = Object.keys(toldAs).filter((reason) => toldAs[reason] === told);
  return { state: "negative", reasons: [negative, ...others] as AttemptReason[] };
}
