import { timeZone } from "../runtime/time-zone.ts";
import { inTable } from "../storage/queries/follow-ups.ts";
import type { Db, VerificationRow } from "../storage/tables.ts";
import { noBill } from "./attempts.ts";
import { addToJournal, type JournalEntry } from "./journal/journal-entry.ts";
import { type PublicState, storedState } from "./public-state.ts";
import { newReference } from "./reference.ts";

/** The last month whose statement is complete, which it is an hour after the month's end. */
export function completeMonth(zone = timeZone("Africa/Lagos")!): string {
  return zone.monthOf(zone.startOfMonth(zone.monthOf(Date.now() - 3_600_000)) - 1);
}

/** A row as the ledger keeps it for a verified BVN of `createdAt`, charged 100 naira a second later. */
export function verifiedRow(
  accountId: string,
  createdAt: number,
  { state = "verified", ...changes }: Partial<Omit<VerificationRow, "state"> & { state: PublicState }> = {},
): VerificationRow {
  return {
    reference: newReference(Date.now()),
    account_id: accountId,
    key_id: "key_1",
    mode: "live",
    kind: "bvn",
    ...stored(state),
    idempotency_hash: null,
    lasting_idempotency_hash: null,
    body_hash: null,
    subject_hash: "v1:subject",
    subject_last4: "0017",
    run: 1,
    amount: 10_000,
    fee: 10_000,
    charged: 1,
    charged_at: createdAt + 1_000,
    charge_mark: "",
    amount_differs: 0,
    consent_reference: null,
    request_id: "request-1",
    spends: null,
    sealed_record: null,
    owner: null,
    created_at: createdAt,
    started_at: createdAt,
    completed_at: createdAt + 1_000,
    ...changes,
  };
}

/** The columns of a state that callers know. */
export function stored(told: PublicState) {
  const { state, reasons } = storedState(told);
  return { state, reason: reasons[0] ?? null };
}

/** Stores rows and returns them. */
export async function storeRows(db: Db, ...rows: VerificationRow[]): Promise<VerificationRow[]> {
  for (let at = 0; at < rows.length; at += 500)
    await db
      .insertInto("verification")
      .values(rows.slice(at, at + 500))
      .execute();
  return rows;
}

/** The statement that puts an outcome into the journal, as the statement of a verification does. */
export function journaled(db: Db, reference: string, changes: Partial<JournalEntry>) {
  const entry: JournalEntry = {
    reference,
    run: 1,
    at: Date.now(),
    what: "outcome",
    state: "verified",
    reason: null,
    charged: 1,
    kobo: 10_000,
    told_unknown: 0,
    attempt: null,
    ...noBill,
    ...changes,
  };
  return addToJournal(db, inTable, entry, false);
}
