import { expressionBuilder } from "kysely";
import type { Sealed } from "../../keyring/envelope-encryption.ts";
import { slotAt } from "../../storage/record-keys.ts";
import type { Tables } from "../../storage/tables.ts";
import type { OutcomeState, RunStart } from "./ledger.ts";

/** Stands on a row in place of what led to its person, once that person is erased. */
export const erased = "erased";

/** What is written with an ending. */
export interface AttemptOutcome {
  state: OutcomeState;
  /** The mark of a charge; null: not charged. */
  charge: string | null;
  sealed: Sealed | null;
  at: number;
  /** Set if the source was not asked after all: the attempt is taken back, and the row names who was asked before. */
  notPut?: { askedBefore: string | null };
  isBadAnswer?: boolean;
}

/** The values that the statement of an outcome writes. */
export function outcomeValues({ state, charge, sealed, at, notPut }: AttemptOutcome) {
  return {
    // A row that was charged before never comes here: it stays verified.
    charged: charge === null ? 0 : 1,
    charged_at: charge === null ? null : at,
    charge_mark: charge ?? "",
    sealed_record: sealed?.sealed_record ?? null,
    completed_at: state === "unknown" ? null : at,
    upstream: notPut?.askedBefore ?? null,
  } as const;
}

/** Where the key of an outcome's record goes, and the key; without a record it goes nowhere. */
export function outcomeRecordKey({ sealed, at }: AttemptOutcome) {
  return { slot: slotAt(at), sealed_key: sealed?.sealed_key ?? "" };
}

/** All that decides which statement writes an outcome. */
export interface OutcomeVariant {
  state: OutcomeState;
  isSealed: boolean;
  notPut: boolean;
  isBadAnswer: boolean;
}

export function outcomeVariant({ state, sealed, notPut, isBadAnswer = false }: AttemptOutcome): OutcomeVariant {
  return { state, isSealed: sealed !== null, notPut: notPut !== undefined, isBadAnswer };
}

/** How an outcome changes its row. A row that was erased while it ran keeps no record. */
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

/** The outcome of a run in which nobody was asked: what it was to look up stays unknown. */
export function notCalledOutcome(begins: RunStart, askedBefore: string | null, at: number): AttemptOutcome {
  const nothing = { charge: null, sealed: null, at };
  return begins === "lookUp"
    ? { ...nothing, state: "unknown" }
    : { ...nothing, state: "failed", notPut: { askedBefore } };
}
