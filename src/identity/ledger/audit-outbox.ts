import type { Kysely, Transaction } from "kysely";
import type { CheckKind } from "../../operation/check-kind.ts";
import { nairaOf } from "../../operation/money.ts";
import type { Mode } from "../../operation/operation.ts";
import type { Audit, AuditEvent } from "../../storage/audited.ts";
import { announce } from "../../storage/events/announce.ts";
import type { Changed } from "../../storage/queries/followed.ts";
import { piecesOf } from "../../storage/queries/pieces.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";
import { type Attempt, lastVendor, withAttempts } from "./attempts.ts";
import type { VerificationState } from "./transitions.ts";

const batch = 500;

/**
 * The statement that notes a change of a ledger row for the audit trail, if the row `changed`. A note that is there already is
 * locked, so that a row is not recorded as it was before this change.
 */
export function noteForAudit(db: Kysely<Tables>, changed: Changed, reference: string) {
  return db
    .insertInto("verification_audit_due")
    .columns(["reference"])
    .expression((insert) =>
      insert.selectFrom(changed).select("verification.reference").where("verification.reference", "=", reference),
    )
    .onConflict((conflict) =>
      conflict.column("reference").doUpdateSet({ reference: (row) => row.ref("excluded.reference") }),
    );
}

/**
 * Copies the outcomes that wait into the audit trail, batch by batch. The statement that writes an outcome notes it, and the
 * transaction that appends the event deletes the note: no outcome is lost or recorded twice, and writing it need not wait. A
 * row that changes again before its batch is recorded as it is then.
 */
export async function drainAuditOutbox(
  db: Kysely<Tables>,
  audit: Audit,
  now: () => number = Date.now,
): Promise<number> {
  let recorded = 0;
  for (;;) {
    const count = await db.transaction().execute(async (trx) => {
      const due = await trx
        .deleteFrom("verification_audit_due")
        .where("reference", "in", (query) =>
          query.selectFrom("verification_audit_due").select("reference").limit(batch),
        )
        .returning("reference")
        .execute();
      if (due.length === 0) return 0;
      for (const references of piecesOf(due.map(({ reference }) => reference))) {
        const changed = trx.selectFrom("verification").where("reference", "in", references);
        const rows = await changed.select(facts).select(["run", "was_unknown"]).execute();
        const ended = rows.filter(({ state }) => state !== "started");
        if (ended.length > 0) await audit(trx, ...(await withAttempts(trx, ended)).map(eventOf));
        for (const row of ended) if (row.was_unknown === 1) await tellSettled(trx, row, now());
      }
      return due.length;
    });
    recorded += count;
    if (count < batch) return recorded;
  }
}

/** Announces the outcome of a row whose outcome was unknown, if it has one and keeps it. */
async function tellSettled(
  trx: Transaction<Tables>,
  row: Pick<VerificationRow, "reference" | "account_id" | "mode" | "kind" | "state" | "run" | "charged">,
  at: number,
): Promise<void> {
  const { reference, account_id: audience, run } = row;
  const state = row.state as VerificationState;
  if (state === "started" || state === "unknown" || state === "refused") return;
  // A row that changed since it was read waits for the audit trail again.
  const told = await trx
    .updateTable("verification")
    .set({ was_unknown: 0 })
    .where("reference", "=", reference)
    .where("state", "=", state)
    .where("run", "=", run)
    .executeTakeFirstOrThrow();
  if (told.numUpdatedRows === 0n) return;
  const data = { request_reference: reference, kind: row.kind as CheckKind, state, charged: row.charged === 1 };
  const mode = row.mode as Mode;
  await announce(trx, { type: "verification.settled", audience, mode, about: reference, data, at });
}

/** The audit event that each ledger row should have, in pages; null while it is not recorded yet. */
export async function* ledgerAuditEvents(
  db: Kysely<Tables>,
): AsyncGenerator<{ reference: string; createdAt: number; event: AuditEvent | null }[]> {
  let after = "";
  for (;;) {
    const rows = await db
      .selectFrom("verification")
      .leftJoin("verification_audit_due as due", "due.reference", "verification.reference")
      .select(facts)
      .select(["verification.created_at", "due.reference as due"])
      .where("verification.reference", ">", after)
      .orderBy("verification.reference")
      .limit(batch)
      .execute();
    yield (await withAttempts(db, rows)).map((row) => ({
      reference: row.reference,
      createdAt: row.created_at,
      event: row.state === "started" || row.due !== null ? null : eventOf(row),
    }));
    if (rows.length < batch) return;
    after = rows.at(-1)!.reference;
  }
}

/** The columns that an event tells of: without the sealed record, which is most of a row. */
const facts = [
  "verification.reference",
  "verification.account_id",
  "verification.key_id",
  "verification.mode",
  "verification.kind",
  "verification.state",
  "verification.charged",
  "verification.fee",
] as const;

type Recorded = Pick<
  VerificationRow,
  "reference" | "account_id" | "key_id" | "mode" | "kind" | "state" | "charged" | "fee"
>;

function eventOf(row: Recorded & { attempts: Attempt[] }): AuditEvent {
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
