import type { Db, Tables } from "../../storage/tables.ts";
import { withAttempts } from "../attempts.ts";
import type { Row } from "../ledger.ts";
import { notVerified } from "../transitions.ts";

/** A verification of any account. For operators. */
export async function verificationByReference(db: Db, reference: string): Promise<Row | undefined> {
  const rows = await db.selectFrom("verification").selectAll().where("reference", "=", reference).execute();
  return (await withAttempts(db, rows))[0] as Row | undefined;
}

/** All verifications in state `unknown`, by the start of their last run, oldest first. */
export async function unknownVerifications(db: Db): Promise<Row[]> {
  const rows = await db
    .selectFrom("verification")
    .selectAll()
    .where("state", "=", "unknown")
    .where(notVerified)
    .orderBy("started_at")
    .orderBy("reference")
    .execute();
  return (await withAttempts(db, rows)) as Row[];
}

/**
 * Verifications that ended with an unresolved attempt at this vendor, oldest first. The attempt began from `from` until
 * before `to`.
 */
export async function endedWithUnknownAttempts(
  db: Db,
  { vendor, from, to }: { vendor: string; from: number; to: number },
): Promise<Row[]> {
  const attempted = db
    .selectFrom("verification_attempt")
    .select("reference")
    .where("started_at", ">=", from)
    .where("started_at", "<", to)
    .where("vendor", "=", vendor)
    .where("outcome", "=", "unknown");
  const rows = await db
    .selectFrom("verification")
    .selectAll()
    .where("reference", "in", attempted)
    .where("state", "not in", ["unknown", "started"])
    .orderBy("started_at")
    .orderBy("reference")
    .execute();
  return (await withAttempts(db, rows)) as Row[];
}

/** The adjustments of a verification, oldest first. */
export async function adjustmentsOf(
  db: Db,
  { reference, created_at }: Pick<Row, "reference" | "created_at">,
): Promise<Tables["adjustment"][]> {
  // The condition uses the index on time.
  const query = db.selectFrom("adjustment").selectAll().where("at", ">=", created_at);
  return query.where("reference", "=", reference).orderBy("at").orderBy("id").execute();
}
