import { type SqlBool, sql, type Transaction } from "kysely";
import { inTable } from "../../storage/queries/follow-ups.ts";
import type { Tables } from "../../storage/tables.ts";
import type { PricesByVendor } from "../../vendors/vendor-prices.ts";
import { closeAttempt, isNotSent, journaledBill, type Run, type RunOutcome, storedOutcome } from "../attempts.ts";
import { holdRow } from "../hold-row.ts";
import { addToJournal, uncharged } from "../journal/journal-entry.ts";

/** Ends an attempt by a vendor's late response. Its verification has another outcome, and keeps that outcome. */
export async function endAttempt(
  trx: Transaction<Tables>,
  { reference, owner, run, attempts }: Run,
  late: RunOutcome,
  prices: PricesByVendor,
): Promise<void> {
  const { state, at, attempt } = late;
  if (attempt === null || state === "unknown") return;
  // A retry between the two statements would leave the attempt open that the journal says has ended.
  await holdRow(trx, reference);
  const ended = storedOutcome(attempts, late, true, prices);
  const isOfRun = sql<SqlBool>`verification.owner = ${owner} and verification.run = ${run}`;
  // A late response of a run that the ledger may lack must not end another run's attempt with an equal number.
  const holds = isNotSent(late) ? isOfRun : undefined;
  const why = { state, reason: ended.reason, at, attempt, ...journaledBill(ended) };
  const entry = { reference, run, what: "late_answer", ...why, ...uncharged } as const;
  await addToJournal(trx, inTable, entry, true, holds).execute();
  await closeAttempt(trx, inTable, { reference, ...ended }, ended, holds).execute();
}
