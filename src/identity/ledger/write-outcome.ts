import {
  type Compilable,
  expressionBuilder,
  type Kysely,
  type SqlBool,
  sql,
  type Transaction,
  type UpdateQueryBuilder,
} from "kysely";
import type { Sealed } from "../../keyring/envelope-encryption.ts";
import { type Changed, followed, inTable } from "../../storage/queries/followed.ts";
import type { Input } from "../../storage/queries/shared-input.ts";
import { slotAt, storeRecordKey } from "../../storage/record-keys.ts";
import { allTables, type Tables, type VerificationRow } from "../../storage/tables.ts";
import type { PricesByVendor } from "../../upstreams/vendor-prices.ts";
import { giveBack, spendingColumns } from "../spending/spending.ts";
import {
  type Attempt,
  type AttemptOutcome,
  asCounted,
  closeAttempt,
  isNotFound,
  unresolvedAttempts,
  withBill,
} from "./attempts.ts";
import { addToJournal, type JournalEntry, type Journaled, uncharged } from "./journal/journal-entry.ts";
import type { OutcomeState } from "./transitions.ts";

/** Replaces the values that identify a person once the person is erased. */
export const erased = "erased";

/** Identifies the run of an outcome. The outcome has no effect if another run or owner has the row. */
export interface Run extends Pick<VerificationRow, "reference" | "account_id" | "owner" | "run" | "spends" | "fee"> {
  attempts: readonly Attempt[];
  /** Undefined if the journal has nothing of the row yet. */
  journaled?: Journaled;
}

/** The outcome of a run as written, including that of its attempt. */
export interface RunOutcome extends AttemptOutcome {
  /** The mark of the charge; null if nothing is charged. */
  charge: string | null;
  sealed: Sealed | null;
}

/**
 * Whether a verification ends as "not found" although its last attempt failed. That is so if an earlier vendor reported
 * it and no other attempt is unresolved.
 */
export function staysNotFound({ attempts }: Pick<Run, "attempts">, { state, attempt }: AttemptOutcome): boolean {
  const isAwaited = unresolvedAttempts({ attempts }).some(({ number }) => number !== attempt);
  return state === "failed" && !isAwaited && attempts.some(isNotFound);
}

export type OutcomeValues = ReturnType<typeof outcomeValues>;

/** The values of the statements that write an outcome. `prices`: current prices. */
export function outcomeValues(ended: Run, outcome: RunOutcome, prices: PricesByVendor) {
  const { reference, account_id, owner, run, fee, journaled } = ended;
  const counted = withBill(ended.attempts, countedOutcome(outcome, journaled), prices);
  const { state, charge, sealed, at, attempt, reason, vendorReference, billed, bill, bill_certain } = counted;
  return {
    reference,
    account_id,
    owner,
    run,
    // A row that was charged before stays verified, so it never gets here.
    charged: charge === null ? 0 : 1,
    charged_at: charge === null ? null : at,
    charge_mark: charge ?? "",
    kobo: charge === null ? 0 : fee,
    told_unknown: state === "unknown" || journaled?.toldUnknown ? 1 : 0,
    sealed_record: sealed?.sealed_record ?? null,
    sealed_key: sealed?.sealed_key ?? "",
    slot: slotAt(at),
    completed_at: state === "unknown" ? null : at,
    attempt,
    reason,
    ends_because: staysNotFound(ended, outcome) ? "not_found" : reason,
    vendorReference,
    billed,
    bill,
    bill_certain,
    at,
  } as const;
}

/** The column kind of each of these values. */
export const outcomeValueKinds = {
  ...allTables.verification,
  ...allTables.record_key,
  kobo: "bigint",
  told_unknown: "flag",
  attempt: "integer",
  reason: "text",
  ends_because: "text",
  vendorReference: "text",
  billed: "text",
  bill: "bigint",
  bill_certain: "flag",
  at: "bigint",
} as const;

/** Everything that determines the SQL that writes an outcome. */
export interface OutcomeVariant extends Pick<RunOutcome, "state" | "notSent"> {
  /** The state of the verification. `state` is that of its attempt. */
  ends: OutcomeState;
  isSealed: boolean;
  hasAttempt: boolean;
  /** Whether the journal already names the attempt. */
  isKnown: boolean;
}

export function outcomeVariant(outcome: RunOutcome, run: Pick<Run, "attempts" | "journaled">): OutcomeVariant {
  const { state, notSent, sealed, attempt } = countedOutcome(outcome, run.journaled);
  const isKnown = isJournaled(attempt, run.journaled);
  const ends = staysNotFound(run, outcome) ? "negative" : state;
  return { state, ends, notSent, isSealed: sealed !== null, hasAttempt: attempt !== null, isKnown };
}

function countedOutcome(outcome: RunOutcome, journaled: Journaled | undefined): RunOutcome {
  return asCounted(outcome, isJournaled(outcome.attempt, journaled));
}

/** Whether the journal already names this attempt. */
function isJournaled(attempt: number | null, journaled: Journaled | undefined): boolean {
  return attempt !== null && attempt <= (journaled?.attempts ?? 0);
}

/**
 * The journal entries of an outcome. An attempt that was not sent is left out. An attempt whose outcome differs from
 * the verification's gets its own entry.
 */
function journalEntries(values: OutcomeValues, { state, ends, notSent, hasAttempt }: OutcomeVariant): JournalEntry[] {
  const { reference, run, at, reason, ends_because, charged, kobo, told_unknown, bill } = values;
  const what = state === "unknown" ? "told_unknown" : "outcome";
  const attempt = notSent ? null : values.attempt;
  const ended = { reference, run, at, what, state: ends, reason: ends_because, charged, kobo, told_unknown } as const;
  if (notSent || !hasAttempt) return [{ ...ended, attempt, bill: null }];
  if (ends === state) return [{ ...ended, attempt, bill }];
  return [
    { reference, run, at, what: "late_answer", state, reason, ...uncharged, attempt, bill },
    { ...ended, attempt: null, bill: null },
  ];
}

/** The columns that an outcome sets. A row that was erased while it ran stores no record. */
export function outcomeColumns(values: OutcomeValues) {
  const { ends_because: reason, charged, charged_at, charge_mark, sealed_record, completed_at } = values;
  const row = expressionBuilder<Tables, "verification">();
  const kept = row.case().when("subject_hash", "=", erased).then(null).else(sealed_record).end();
  return { reason, charged, charged_at, charge_mark, completed_at, sealed_record: kept };
}

/** An outcome with only a state. It charges nothing, stores no record and belongs to no attempt. */
export function bareOutcome<State extends OutcomeState>(state: State, at: number): RunOutcome & { state: State } {
  const none = { charge: null, sealed: null, attempt: null, reason: null, vendorReference: null, billed: null };
  return { ...none, state, at, notSent: false };
}

/**
 * The outcome of a run that sent nothing. `attempt`: the number under which it may have written an intent; null if it
 * only looked up or waited for an earlier attempt, which stays unknown.
 */
export function notCalledOutcome(attempt: number | null, at: number): RunOutcome {
  return attempt === null ? bareOutcome("unknown", at) : { ...bareOutcome("failed", at), attempt, notSent: true };
}

/** The statement that runs `update` to write an outcome, with everything that follows from it. */
export function outcomeStatement(
  db: Kysely<Tables>,
  update: UpdateQueryBuilder<Tables, "verification", "verification", unknown>,
  values: OutcomeValues,
  variant: OutcomeVariant & { givesBack?: boolean },
  input?: Input,
): Compilable<{ reference: string }> {
  const change = update.returning([...(variant.givesBack ? spendingColumns : ["reference" as const]), "sealed_record"]);
  const followUps = (changed: Changed) => [
    ...(variant.isSealed ? [storeRecordKey(db, changed, values)] : []),
    ...journalEntries(values, variant).map((entry) =>
      addToJournal(db, changed, entry, variant.isKnown && entry.attempt !== null),
    ),
    ...(variant.hasAttempt ? [closeAttempt(db, changed, values, variant)] : []),
    ...(variant.givesBack ? [giveBack(db, changed, values.reference)] : []),
  ];
  return followed(db, change, followUps, input);
}

/** Writes a vendor's late response to an attempt whose verification has another outcome. */
export async function writeLateAnswer(
  trx: Transaction<Tables>,
  { reference, owner, run, attempts }: Run,
  late: AttemptOutcome,
  prices: PricesByVendor,
): Promise<void> {
  const { state, at, attempt, notSent } = late;
  if (attempt === null || state === "unknown") return;
  const answer = withBill(attempts, asCounted(late, true), prices);
  const isOfRun = sql<SqlBool>`verification.owner = ${owner} and verification.run = ${run}`;
  // If the run may be missing from the ledger, it must not end another run's attempt with the same number.
  const holds = notSent ? isOfRun : undefined;
  const entry = {
    ...uncharged,
    reference,
    run,
    what: "late_answer",
    state,
    reason: answer.reason,
    at,
    attempt,
    bill: answer.bill,
  } as const;
  await addToJournal(trx, inTable, entry, true, holds).execute();
  await closeAttempt(trx, inTable, { reference, ...answer }, answer, holds).execute();
}
