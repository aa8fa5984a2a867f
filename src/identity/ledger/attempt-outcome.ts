import { expressionBuilder } from "kysely";
import type { Sealed } from "../../keyring/envelope-encryption.ts";
import { slotAt } from "../../storage/record-keys.ts";
import type { Tables } from "../../storage/tables.ts";
import type { OutcomeState, RunStart } from "./transitions.ts";

/** Replaces the columns that identify a person, once that person is erased. */
export const erased = "erased";

/** The outcome of an attempt, as it is written. */
export interface AttemptOutcome {
  state: OutcomeState;
  /** The mark of a charge; null: not charged. */
  charge: string | null;
  sealed: Sealed | null;
  at: number;
  /** Set if the upstream did not get the call: the attempt is not counted, and the row names the upstream called before. */
  notPut?: { calledBefore: string | null };
  isBadAnswer?: boolean;
}

/** The values of the statement that writes an outcome. */
export function outcomeValues({ state, charge, sealed, at, notPut }: AttemptOutcome) {
  return {
    // A row that was charged before never comes here: it stays verified.
    charged: charge === null ? 0 : 1,
    charged_at: charge === null ? null : at,
    charge_mark: charge ?? "",
    sealed_record: sealed?.sealed_record ?? null,
    completed_at: state === "unknown" ? null : at,
    upstream: notPut?.calledBefore ?? null,
  } as const;
}

/** The slot and sealed key of an outcome's record; the key is empty without a record. */
export function outcomeRecordKey({ sealed, at }: AttemptOutcome) {
  return { slot: slotAt(at), sealed_key: sealed?.sealed_key ?? "" };
}

/** Decides which compiled statement writes an outcome. */
export interface OutcomeVariant {
  state: OutcomeState;
  isSealed: boolean;
  notPut: boolean;
  isBadAnswer: boolean;
}

export function outcomeVariant({ state, sealed, notPut, isBadAnswer = false }: AttemptOutcome): OutcomeVariant {
  return { state, isSealed: sealed !== null, notPut: notPut !== undefined, isBadAnswer };
}

/** The columns that an outcome sets. A row that was erased while it ran keeps no record. */
export function outcomeChanges(
  { notPut, isBadAnswer }: OutcomeVariant,
  { upstream, ...columns }: ReturnType<typeof outcomeValues>,
) {
  const row = expressionBuilder<Tables, "verification">();
  const kept = row.case().when("subject_hash", "=", erased).then(null).else(columns.sealed_record).end();
  return {
    ...columns,
    sealed_record: kept,
    ...(notPut ? { upstream, attempts: row("attempts", "-", 1) } : {}),
    ...(isBadAnswer ? { bad_answers: row("bad_answers", "+", 1) } : {}),
  };
}

/** The outcome of a run that called no upstream: an earlier call that it should look up stays unknown. */
export function notCalledOutcome(begins: RunStart, calledBefore: string | null, at: number): AttemptOutcome {
  const nothing = { charge: null, sealed: null, at };
  return begins === "lookUp"
    ? { ...nothing, state: "unknown" }
    : { ...nothing, state: "failed", notPut: { calledBefore } };
}
