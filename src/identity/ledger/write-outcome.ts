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

/** Replaces the columns that identify a person, once that person is erased. */
export const erased = "erased";

/** Binds an outcome to its run: an outcome of another run or owner changes nothing. */
export interface Run extends Pick<VerificationRow, "reference" | "account_id" | "owner" | "run" | "spends" | "fee"> {
  attempts: readonly Attempt[];
  /** Undefined: the journal has nothing of the row yet. */
  journaled?: Journaled;
}

/** The outcome of a run, as it is written, and what became of its attempt. */
export interface RunOutcome extends AttemptOutcome {
  /** The mark of a charge; null: not charged. */
  charge: string | null;
  sealed: Sealed | null;
}

/**
 * Whether a verification ends as "not found" although its attempt failed: a vendor said so before, and nobody else may still answer.
 */
export function staysNotFound({ attempts }: Pick<Run, "attempts">, { state, attempt }: AttemptOutcome): boolean {
  const isAwaited = unresolvedAttempts({ attempts }).some(({ number }) => number !== attempt);
  return state === "failed" && !isAwaited && attempts.some(isNotFound);
}

export type OutcomeValues = ReturnType<typeof outcomeValues>;

/** The values of the statements that write an outcome. `prices`: those of now. */
export function outcomeValues(ended: Run, outcome: RunOutcome, prices: PricesByVendor) {
  const { reference, account_id, owner, run, fee, journaled } = ended;
  const counted = withBill(ended.attempts, countedOutcome(outcome, journaled), prices);
  const { state, charge, sealed, at, attempt, reason, vendorReference, billed, bill, bill_certain } = counted;
  return {
    reference,
    account_id,
    owner,
    run,
    // A row that was charged before never comes here: it stays verified.
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

/** The kind of each of these values. */
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

/** Decides which compiled statement writes an outcome. */
export interface OutcomeVariant extends Pick<RunOutcome, "state" | "notSent"> {
  /** The state of the verification; that of its attempt is `state`. */
  ends: OutcomeState;
  isSealed: boolean;
  hasAttempt: boolean;
  /** Whether the journal names the attempt already. */
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

/** Whether the journal names this attempt already. */
function isJournaled(attempt: number | null, journaled: Journaled | undefined): boolean {
  return attempt !== null && attempt <= (journaled?.attempts ?? 0);
}

/** What the journal says of an outcome. An attempt that was not put is none, and one with another outcome has an entry of its own. */
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

/** The columns that an outcome sets. A row that was erased while it ran keeps no record. */
export function outcomeColumns(values: OutcomeValues) {
  const { ends_because: reason, charged, charged_at, charge_mark, sealed_record, completed_at } = values;
  const row = expressionBuilder<Tables, "verification">();
  const kept = row.case().when("subject_hash", "=", erased).then(null).else(sealed_record).end();
  return { reason, charged, charged_at, charge_mark, completed_at, sealed_record: kept };
}

/** An outcome of which only the state is known: it charges nothing, keeps no record and is no attempt's. */
export function bareOutcome<State extends OutcomeState>(state: State, at: number): RunOutcome & { state: State } {
  const none = { charge: null, sealed: null, attempt: null, reason: null, vendorReference: null, billed: null };
  return { ...none, state, at, notSent: false };
}

/**
 * The outcome of a run that called no upstream. `attempt`: the number under which it may have written its intent to call one;
 * null: it was to look up or to wait for an earlier call, which stays unknown.
 */
export function notCalledOutcome(attempt: number | null, at: number): RunOutcome {
  return attempt === null ? bareOutcome("unknown", at) : { ...bareOutcome("failed", at), attempt, notSent: true };
}

/** The statement that writes an outcome by `update`, with all that follows from it. */
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

/** Writes what a vendor answered after all, to an attempt whose verification has another outcome. */
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
  // A run that may not be on the ledger ends no attempt of another run with its number.
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
