import { KeyUses } from "../../access/keys/key-uses.ts";
import { ledgerAuditEvents } from "../../ledger/journal/follow-journal.ts";
import { rebuildSums } from "../../ledger/journal/rebuild-sums.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Audited, WithClock } from "../../storage/audited.ts";
import { piecesOf } from "../../storage/queries/pieces.ts";
import type { Db } from "../../storage/tables.ts";
import { minutesOf } from "./minutes.ts";
import type { Verified } from "./month.ts";

const atOnce = 2_000;

/**
 * Writes invented verifications into the ledger like real ones: with their attempts, audit entries and sums, the last
 * use of each key, and the service's counts by the minute.
 */
export async function fillMonth(room: Audited & WithClock, month: readonly Verified[], zone: TimeZone): Promise<void> {
  const { db } = room;
  for (const some of piecesOf(month, atOnce)) {
    await db.transaction().execute(async (trx) => {
      await insert(
        trx,
        "verification",
        some.map(({ row }) => row),
      );
      await insert(
        trx,
        "verification_attempt",
        some.flatMap(({ attempts }) => attempts),
      );
    });
  }
  // These entries get the current time. An entry older than the seal before it would look as if it was written
  // afterwards.
  for await (const page of ledgerAuditEvents(db)) await room.audit(db, ...page.flatMap(({ event }) => event ?? []));
  const uses = new KeyUses(db);
  for (const { row } of month) if (row.key_id !== null) uses.note(row.key_id, "127.0.0.1", row.created_at);
  await uses.write();
  const { outcomes, durations } = minutesOf(month, room.now());
  await insert(db, "minute_outcome", outcomes);
  await insert(db, "minute_duration", durations);
  await rebuildSums({ ...room, progress: () => {} }, zone);
}

async function insert<Name extends "verification" | "verification_attempt" | "minute_outcome" | "minute_duration">(
  db: Db,
  table: Name,
  rows: readonly object[],
) {
  for (const some of piecesOf(rows))
    await db
      .insertInto(table)
      .values(some as never)
      .execute();
}
