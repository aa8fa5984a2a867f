import { type Compilable, expressionBuilder, type UpdateQueryBuilder } from "kysely";
import { erased } from "../../storage/erase-verifications.ts";
import type { Statement } from "../../storage/queries/compiled-queries.ts";
import { type Changed, withFollowUps } from "../../storage/queries/follow-ups.ts";
import type { Input } from "../../storage/queries/shared-input.ts";
import { slotAt, storeRecordKey } from "../../storage/record-keys.ts";
import { allTables, type Db, type Tables } from "../../storage/tables.ts";
import type { PricesByVendor } from "../../vendors/vendor-prices.ts";
import {
  closeAttempt,
  journaledBill,
  type lateEnd,
  noBill,
  type Run,
  type RunOutcome,
  type runEnd,
  storedOutcome,
} from "../attempts.ts";
import { chargeFor } from "../fees.ts";
import { addToJournal, type JournalEntry, uncharged } from "../journal/journal-entry.ts";
import { giveBack, spendingColumns } from "../spending/spending.ts";
import { transition } from "../transitions.ts";

/** The column kind of each value of an outcome. */
export const endKinds = {
  ...allTables.verification,
  ...allTables.record_key,
  kobo: "bigint",
  told_unknown: "flag",
  attempt: "integer",
  ends_because: "text",
  vendor_reference: "text",
  http_status: "integer",
  billed: "text",
  bill: "bigint",
  unsure: "bigint",
  unpriced: "integer",
  bill_certain: "flag",
  at: "bigint",
} as const;

/**
 * A run with its outcome, in the form for the ledger. `variant`: everything that determines the SQL. `values`: all
 * else.
 */
export type EndedRun = ReturnType<typeof endedRun>;
type OutcomeValues = EndedRun["values"];
type OutcomeVariant = EndedRun["variant"];

/** `end`: how the verification ends if that differs from the outcome. `prices`: current prices. */
export function endedRun(
  ended: Run,
  outcome: RunOutcome,
  end: ReturnType<typeof runEnd | typeof lateEnd>,
  prices: PricesByVendor,
) {
  const { reference, account_id, owner, run, attempts, journaled } = ended;
  const isKnown = outcome.attempt !== null && outcome.attempt <= (journaled?.attempts ?? 0);
  const { state, notSent, ...stored } = storedOutcome(attempts, outcome, isKnown, prices);
  const { charge = null, sealed = null } = outcome;
  const ends = end?.state ?? state;
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
    told_unknown: ends === "unknown" || journaled?.toldUnknown ? 1 : 0,
    sealed_record: sealed?.sealed_record ?? null,
    sealed_key: sealed?.sealed_key ?? "",
    slot: slotAt(stored.at),
    completed_at: ends === "unknown" ? null : stored.at,
    ends_because: end ? end.reason : stored.reason,
  } as const;
  const variant = {
    state,
    notSent,
    isKnown,
    /** The state of the verification. `state` is that of its attempt. */
    ends,
    isSealed: sealed !== null,
    hasAttempt: stored.attempt !== null,
  } as const;
  return { values, variant };
}

/**
 * Returns the statement that ends a run: the row, the attempt, the key of the record, the charge (or the return of the
 * fee), and the journal entries. It changes nothing if another owner or run has the row. Variants: the states of
 * attempt and verification, and which of these parts the statement has.
 */
export function endRun(
  db: Db,
  { values, variant }: EndedRun,
  givesBack: boolean,
): Statement<OutcomeValues, { reference: string }> {
  const { state, ends, notSent, isKnown, isSealed, hasAttempt } = variant;
  return {
    name: `end ${state} ${ends} ${notSent} ${isKnown} ${isSealed} ${hasAttempt} ${givesBack}`,
    values,
    write(values, input) {
      const update = transition(db, "complete", ends, values.reference, outcomeColumns(values))
        .where("owner", "=", values.owner)
        .where("run", "=", values.run)
        .$if(input !== undefined, (query) => query.from("input" as "verification"));
      return withOutcomeOf(db, update, values, { ...variant, givesBack }, input);
    },
  };
}

/** The columns that an outcome sets in the row. A row that was erased during its run stores no record. */
export function outcomeColumns(values: OutcomeValues) {
  const { ends_because: reason, charged, charged_at, charge_mark, sealed_record, completed_at } = values;
  const row = expressionBuilder<Tables, "verification">();
  const kept = row.case().when("subject_hash", "=", erased).then(null).else(sealed_record).end();
  return { reason, charged, charged_at, charge_mark, completed_at, sealed_record: kept };
}

/** `isOfAnyRun`: the row may have had other runs after the run of this outcome. */
type WrittenVariant = OutcomeVariant & { givesBack?: boolean; isOfAnyRun?: boolean };

/** Returns the update of a row by an outcome, with every statement that follows from the update. */
export function withOutcomeOf(
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

/**
 * Returns the journal entries of an outcome. An attempt that was not sent gets none. An attempt whose outcome differs
 * from the verification's gets its own entry.
 */
function journalEntries(
  values: OutcomeValues,
  { state, ends, notSent, hasAttempt, isOfAnyRun }: WrittenVariant,
): JournalEntry[] {
  const run = isOfAnyRun ? null : values.run;
  const { reference, at, reason, ends_because, charged, kobo, told_unknown } = values;
  const { bill, unsure, unpriced } = values;
  const what = ends === "unknown" ? "told_unknown" : "outcome";
  const attempt = notSent ? null : values.attempt;
  const ended = { reference, run, at, what, state: ends, reason: ends_because, charged, kobo, told_unknown } as const;
  if (notSent || !hasAttempt) return [{ ...ended, attempt, ...noBill }];
  if (ends === state) return [{ ...ended, attempt, bill, unsure, unpriced }];
  return [
    { reference, run, at, what: "late_answer", state, reason, ...uncharged, attempt, bill, unsure, unpriced },
    { ...ended, attempt: null, ...noBill },
  ];
}
