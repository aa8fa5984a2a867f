import { slotAt } from "../storage/record-keys.ts";
import type { VerificationRow } from "../storage/tables.ts";
import { negative } from "../vendors/ports/outcomes.ts";
import type { PricesByVendor } from "../vendors/vendor-prices.ts";
import { type Attempt, isNotFound, type RunOutcome, storedOutcome, unresolvedAttempts } from "./attempts.ts";
import { chargeFor } from "./fees.ts";
import { type Journaled, journaledBill } from "./journal/journal-entry.ts";

/** Identifies the run of an outcome. The outcome has no effect if another run or owner has the row. */
export interface Run extends Pick<VerificationRow, "reference" | "account_id" | "owner" | "run" | "spends" | "fee"> {
  attempts: readonly Attempt[];
  /** Undefined if the journal has nothing of the row yet. */
  journaled?: Journaled;
}

/**
 * How a verification ends if not by its attempt's outcome. It fails if "not found" was to be followed by a second
 * source that nobody asked. It ends as "not found" if an earlier vendor reported that, the one asked now failed, and no
 * other attempt is unresolved.
 */
export function ownEnd({ attempts }: Pick<Run, "attempts">, outcome: RunOutcome) {
  if (outcome.interrupted)
    return outcome.state === "negative" ? ({ state: "failed", reason: null } as const) : undefined;
  const wasAsked = outcome.state === "failed" && outcome.reason !== null;
  if (!wasAsked || !attempts.some(isNotFound)) return undefined;
  const isAwaited = unresolvedAttempts({ attempts }).some(({ number }) => number !== outcome.attempt);
  return isAwaited ? undefined : negative("not_found");
}

/**
 * The outcome of a run that sent nothing. `attempt`: the number under which it may have written an intent; null if it
 * only looked up or waited for an earlier attempt, which stays unknown.
 */
export function unsentOutcome(attempt: number | null, at: number) {
  if (attempt === null) return { state: "unknown", reason: null, attempt, at } as const satisfies RunOutcome;
  return { state: "failed", reason: null, notSent: true, attempt, at } as const satisfies RunOutcome;
}

/**
 * A run with its outcome, as the ledger writes it. `variant`: everything that determines the SQL. `values`: all else.
 */
export type EndedRun = ReturnType<typeof endedRun>;
export type OutcomeValues = EndedRun["values"];
export type OutcomeVariant = EndedRun["variant"];

/** `prices`: current prices. */
export function endedRun(ended: Run, outcome: RunOutcome, prices: PricesByVendor) {
  const { reference, account_id, owner, run, attempts, journaled } = ended;
  const isKnown = outcome.attempt !== null && outcome.attempt <= (journaled?.attempts ?? 0);
  const { state, notSent, ...stored } = storedOutcome(attempts, outcome, isKnown, prices);
  const { charge = null, sealed = null } = outcome;
  const end = ownEnd(ended, outcome);
  const values = {
    reference,
    account_id,
    owner,
    run,
    ...stored,
    ...journaledBill(stored),
    // A row that was charged before stays verified, so it never gets here.
    charged: charge === null ? 0 : 1,
    charged_at: charge === null ? null : stored.at,
    charge_mark: charge ?? "",
    kobo: charge === null ? 0 : (chargeFor(outcome.state, ended) ?? 0),
    told_unknown: state === "unknown" || journaled?.toldUnknown ? 1 : 0,
    sealed_record: sealed?.sealed_record ?? null,
    sealed_key: sealed?.sealed_key ?? "",
    slot: slotAt(stored.at),
    completed_at: state === "unknown" ? null : stored.at,
    ends_because: end ? end.reason : stored.reason,
  } as const;
  const variant = {
    state,
    notSent,
    isKnown,
    /** The state of the verification. `state` is that of its attempt. */
    ends: end?.state ?? state,
    isSealed: sealed !== null,
    hasAttempt: stored.attempt !== null,
  } as const;
  return { values, variant };
}
