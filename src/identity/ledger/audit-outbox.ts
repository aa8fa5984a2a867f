import type { Kysely } from "kysely";
import { nairaOf } from "../../operation/money.ts";
import type { Audit, AuditEvent } from "../../storage/audited.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";

const defaultBatch = 500;

/**
 * Takes the outcomes that the ledger has marked over into the audit trail, batch by batch. The mark is set in the
 * statement that writes an outcome and taken away in the transaction that records it: none is lost or told twice, and
 * the outcome itself need not wait. What changes again before its turn comes is told as it then is.
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
      if (ended.length > 0) await audit(trx, ...ended.map(eventOf));
      return rows.length;
    });
    recorded += count;
    if (count < batch) return recorded;
  }
}

/** All rows of the ledger, as the audit trail should have them; null while that is not due yet. In pages. */
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
    yield rows.map((row) => ({
      reference: row.reference,
      createdAt: row.created_at,
      event: row.state === "started" || row.audit_due === 1 ? null : eventOf(row),
    }));
    if (rows.length < page) return;
    after = rows.at(-1)!.reference;
  }
}

function eventOf(row: VerificationRow): AuditEvent {
  return {
    kind: "verification.ended",
    actor: `key:${row.key_id}`,
    facts: {
      reference: row.reference,
      account: row.account_id,
      key: row.key_id,
      mode: row.mode,
      state: row.state,
      upstream: row.upstream,
      attempts: row.attempts,
      charged: row.charged === 1,
      fee: nairaOf(row.fee),
    },
  };
}
