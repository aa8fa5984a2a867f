import type { Kysely } from "kysely";
import { nairaOf } from "../../operation/money.ts";
import type { Audit, AuditEvent } from "../../storage/audited.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";
import { type Attempt, lastVendor, withAttempts } from "./attempts.ts";

const defaultBatch = 500;

/**
 * Copies outcomes marked `audit_due` into the audit trail, batch by batch. The statement that writes an outcome sets the
 * mark, and the transaction that appends the event clears it: no outcome is lost or recorded twice, and writing it need
 * not wait. A row that changes again before its batch is recorded as it is then.
 */
export async function drainAuditOutbox(
  db: Kysely<Tables>,
  audit: Audit,
  batch: number = defaultBatch,
): Promise<number> {
  let recorded = 0;
  for (;;) {
    const count = await db.transaction().execute(async (trx) => {
      const rows = await trx
        .updateTable("verification")
        .set({ audit_due: 0 })
        .where("reference", "in", (query) =>
          query.selectFrom("verification").select("reference").where("audit_due", "=", 1).limit(batch),
        )
        .where("audit_due", "=", 1)
        .returningAll()
        .execute();
      const ended = rows.filter(({ state }) => state !== "started");
      if (ended.length > 0) await audit(trx, ...(await withAttempts(trx, ended)).map(eventOf));
      return rows.length;
    });
    recorded += count;
    if (count < batch) return recorded;
  }
}

/** The audit event that each ledger row should have, in pages; null while it is not recorded yet. */
export async function* ledgerAuditEvents(
  db: Kysely<Tables>,
  page: number = defaultBatch,
): AsyncGenerator<{ reference: string; createdAt: number; event: AuditEvent | null }[]> {
  let after = "";
  for (;;) {
    const rows = await db
      .selectFrom("verification")
      .selectAll()
      .where("reference", ">", after)
      .orderBy("reference")
      .limit(page)
      .execute();
    yield (await withAttempts(db, rows)).map((row) => ({
      reference: row.reference,
      createdAt: row.created_at,
      event: row.state === "started" || row.audit_due === 1 ? null : eventOf(row),
    }));
    if (rows.length < page) return;
    after = rows.at(-1)!.reference;
  }
}

function eventOf(row: VerificationRow & { attempts: Attempt[] }): AuditEvent {
  return {
    kind: "verification.ended",
    actor: `key:${row.key_id}`,
    facts: {
      reference: row.reference,
      account: row.account_id,
      key: row.key_id,
      mode: row.mode,
      kind: row.kind,
      state: row.state,
      upstream: lastVendor(row),
      attempts: row.attempts.length,
      charged: row.charged === 1,
      fee: nairaOf(row.fee),
    },
  };
}
