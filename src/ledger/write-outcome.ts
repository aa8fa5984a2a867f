import {
  type Compilable,
  expressionBuilder,
  type SqlBool,
  sql,
  type Transaction,
  type UpdateQueryBuilder,
} from "kysely";
import { erased } from "../storage/erase-verifications.ts";
import { type Changed, inTable, withFollowUps } from "../storage/queries/follow-ups.ts";
import type { Input } from "../storage/queries/shared-input.ts";
import { slotAt, storeRecordKey } from "../storage/record-keys.ts";
import { allTables, type Db, type Tables, type VerificationRow } from "../storage/tables.ts";
import { negative } from "../vendors/ports/outcomes.ts";
import type { PricesByVendor } from "../vendors/vendor-prices.ts";
import {
  type Attempt,
  closeAttempt,
  isNotFound,
  isNotSent,
  type RunOutcome,
  storedOutcome,
  unresolvedAttempts,
} from "./attempts.ts";
import { chargeFor } from "./fees.ts";
import { holdRow } from "./hold-row.ts";
import {
  addToJournal,
  type JournalEntry,
  type Journaled,
  journaledBill,
  noBill,
  uncharged,
} from "./journal/journal-entry.ts";
import { giveBack, spendingColumns } from "./spending/spending.ts";

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
  const isAwaited = unresolvedAttempts({ attempts }).some(({ number }) => number !== outcome.attempt);
  const wasAsked = outcome.state === "failed" && outcome.reason !== null;
  return wasAsked && !isAwaited && attempts.some(isNotFound) ? negative("not_found") : undefined;
}

/**
 * What the statements that write an outcome depend on. `variant`: everything that determines their SQL. `values`: all
 * else. `prices`: current prices.
 */
export function outcomeParts(ended: Run, outcome: RunOutcome, prices: PricesByVendor) {
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

export type OutcomeValues = ReturnType<typeof outcomeParts>["values"];
export type OutcomeVariant = ReturnType<typeof outcomeParts>["variant"];

/** `isOfAnyRun`: the row may have had other runs since the one that the outcome is of. */
type WrittenVariant = OutcomeVariant & { givesBack?: boolean; isOfAnyRun?: boolean };

/** The column kind of each of these values. */
export const outcomeValueKinds = {
  ...allTables.verification,
  ...allTables.record_key,
  kobo: "bigint",
  told_unknown: "flag",
  attempt: "integer",
  reason: "text",
  ends_because: "text",
  vendor_reference: "text",
  billed: "text",
  bill: "bigint",
  unsure: "bigint",
  unpriced: "integer",
  bill_certain: "flag",
  at: "bigint",
} as const;

/**
 * The journal entries of an outcome. An attempt that was not sent is left out. An attempt whose outcome differs from
 * the verification's gets its own entry.
 */
function journalEntries(
  values: OutcomeValues,
  { state, ends, notSent, hasAttempt, isOfAnyRun }: WrittenVariant,
): JournalEntry[] {
  const run = isOfAnyRun ? null : values.run;
  const { reference, at, reason, ends_because, charged, kobo, told_unknown } = values;
  const { bill, unsure, unpriced } = values;
  const what = state === "unknown" ? "told_unknown" : "outcome";
  const attempt = notSent ? null : values.attempt;
  const ended = { reference, run, at, what, state: ends, reason: ends_because, charged, kobo, told_unknown } as const;
  if (notSent || !hasAttempt) return [{ ...ended, attempt, ...noBill }];
  if (ends === state) return [{ ...ended, attempt, bill, unsure, unpriced }];
  return [
    { reference, run, at, what: "late_answer", state, reason, ...uncharged, attempt, bill, unsure, unpriced },
    { ...ended, attempt: null, ...noBill },
  ];
}

/** The columns that an outcome sets. A row that was erased while it ran stores no record. */
export function outcomeColumns(values: OutcomeValues) {
  const { ends_because: reason, charged, charged_at, charge_mark, sealed_record, completed_at } = values;
  const row = expressionBuilder<Tables, "verification">();
  const kept = row.case().when("subject_hash", "=", erased).then(null).else(sealed_record).end();
  return { reason, charged, charged_at, charge_mark, completed_at, sealed_record: kept };
}

/**
 * The outcome of a run that sent nothing. `attempt`: the number under which it may have written an intent; null if it
 * only looked up or waited for an earlier attempt, which stays unknown.
 */
export function unsentOutcome(attempt: number | null, at: number) {
  if (attempt === null) return { state: "unknown", reason: null, attempt, at } as const satisfies RunOutcome;
  return { state: "failed", reason: null, notSent: true, attempt, at } as const satisfies RunOutcome;
}

/** The statement that runs `update` to write an outcome, with everything that follows from it. */
export function outcomeStatement(
  db: Db,
  update: UpdateQueryBuilder<Tables, "verification", "verification", unknown>,
  values: OutcomeValues,
  variant: WrittenVariant,
  input?: Input,
): Compilable<{ reference: string }> {
  const change = update.returning([
    ...(variant.givesBack ? spendingColumns : ["reference" as const]),
    ...(variant.isOfAnyRun ? ["run" as const] : []),
    "sealed_record",
  ]);
  const followUps = (changed: Changed) => [
    ...(variant.isSealed ? [storeRecordKey(db, changed, values)] : []),
    ...journalEntries(values, variant).map((entry) =>
      addToJournal(db, changed, entry, variant.isKnown && entry.attempt !== null),
    ),
    ...(variant.hasAttempt ? [closeAttempt(db, changed, values, variant)] : []),
    ...(variant.givesBack ? [giveBack(db, changed, values.reference)] : []),
  ];
  return withFollowUps(db, change, followUps, input);
}

/** Writes a vendor's late response to an attempt whose verification has another outcome. */
export async function writeLateAnswer(
  trx: Transaction<Tables>,
  { reference, owner, run, attempts }: Run,
  late: RunOutcome,
  prices: PricesByVendor,
): Promise<void> {
  const { state, at, attempt } = late;
  if (attempt === null || state === "unknown") return;
  // A retry between the two statements would leave the attempt open that the journal says has ended.
  await holdRow(trx, reference);
  const answer = storedOutcome(attempts, late, true, prices);
  const isOfRun = sql<SqlBool>`verification.owner = ${owner} and verification.run = ${run}`;
  // If the run may be missing from the ledger, it must not end another run's attempt with the same number.
  const holds = isNotSent(late) ? isOfRun : undefined;
  const entry = {
    ...uncharged,
    reference,
    run,
    what: "late_answer",
    state,
    reason: answer.reason,
    at,
    attempt,
    ...journaledBill(answer),
  } as const;
  await addToJournal(trx, inTable, entry, true, holds).execute();
  await closeAttempt(trx, inTable, { reference, ...answer }, answer, holds).execute();
}
