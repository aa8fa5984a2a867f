import type { CheckKind } from "../declare/check-kind.ts";
import { timeZone } from "../runtime/time-zone.ts";
import { inTable } from "../storage/queries/follow-ups.ts";
import { piecesOf } from "../storage/queries/pieces.ts";
import type { Db, Tables, VerificationRow } from "../storage/tables.ts";
import { type Attempt, newAttempt, noBill } from "./attempts.ts";
import { addToJournal, type JournalEntry } from "./journal/journal-entry.ts";
import { type PublicState, storedState } from "./public-state.ts";
import { newReference } from "./reference.ts";

/** The last month with a complete statement. A statement is complete an hour after the month's end. */
export function completeMonth(zone = timeZone("Africa/Lagos")!): string {
  return zone.monthOf(zone.startOfMonth(zone.monthOf(Date.now() - 3_600_000)) - 1);
}

/** A ledger row for a BVN verified at `createdAt`, charged 100 naira a second later. */
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

/** The columns that store a state, which is given as callers see it. */
export function stored(told: PublicState) {
  const { state, reasons } = storedState(told);
  return { state, reason: reasons[0] ?? null };
}

/** Stores rows and returns them. */
export async function storeRows(db: Db, ...rows: VerificationRow[]): Promise<VerificationRow[]> {
  for (const some of piecesOf(rows)) await db.insertInto("verification").values(some).execute();
  return rows;
}

/** An attempt at Dojah for ₦50. For a verified row Dojah answers it after 900 ms with a record, else not at all. */
export function attemptRow({ kind, ...row }: VerificationRow, changes: Partial<Attempt> = {}): Attempt {
  const start = { vendor: "dojah", at: row.started_at, requestId: row.request_id, price: 5_000 };
  const answered = { outcome: "verified", answered_at: row.started_at + 900, bill_certain: 1 } as const;
  const isVerified = row.state === "verified";
  return { ...newAttempt({ ...row, kind: kind as CheckKind }, start), ...(isVerified && answered), ...changes };
}

export async function storeAttempts(db: Db, ...attempts: Attempt[]): Promise<void> {
  for (const some of piecesOf(attempts)) await db.insertInto("verification_attempt").values(some).execute();
}

/** Stores an account without terms of its own, called Shop. */
export async function storeAccount(
  db: Db,
  id: string,
  changes: Partial<Omit<Tables["account"], "terms">> & { terms?: object } = {},
): Promise<void> {
  const { terms = {}, ...others } = changes;
  const facts = { name: "Shop", email: `${id}@example.com`, created_at: 0, suspended_at: null };
  await db
    .insertInto("account")
    .values({ id, ...facts, fees: "{}", answers: "full", ...others, terms: JSON.stringify(terms) })
    .execute();
}

/**
 * Stores the spending of an account in the period of `changes`, or of its balance. Default: no spending, and no limit.
 */
export async function storeSpending(db: Db, account_id: string, changes: Partial<Tables["spending"]>): Promise<void> {
  const unlimited = { most_kobo: null, most_verifications: null };
  await db
    .insertInto("spending")
    .values({ account_id, period: "prepaid", kobo: 0, verifications: 0, ...unlimited, ...changes })
    .execute();
}

/** The statement that journals an outcome, like the one that ends a verification. */
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
