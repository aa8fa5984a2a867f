import type { Transaction } from "kysely";
import type { Db, Tables } from "../storage/tables.ts";
import { lockHead, moveHead } from "./chain/head.ts";
import { batchSize, digest, entryList, type SealedColumns, type Sign, sealHash, sealMac } from "./chain/seal.ts";
import { entryColumns } from "./read.ts";

/** Seals all committed entries that are not sealed yet, oldest first. Several processes may do this at once. */
export async function sealEntries(db: Db, sign: Sign, now: () => number = Date.now): Promise<void> {
  while (await hasUnsealed(db)) {
    const sealed = await db.transaction().execute((trx) => sealOneBatch(trx, sign, now()));
    if (sealed < batchSize) return;
  }
}

async function hasUnsealed(db: Db): Promise<boolean> {
  const oldest = await db
    .selectFrom("audit_entry")
    .select("id")
    .where("batch", "is", null)
    // This is the order of the index of unsealed entries. Without it, PostgreSQL might read the table from its
    // beginning.
    .orderBy("occurred_at")
    .limit(1)
    .executeTakeFirst();
  return oldest !== undefined;
}

async function sealOneBatch(trx: Transaction<Tables>, sign: Sign, now: number): Promise<number> {
  const head = await lockHead(trx, sign);
  const batch = head.batch + 1;
  const entries = await claim(trx, batch);
  if (entries.length === 0) return 0;
  const list = entryList(entries);
  const row = { batch, previous: head.hash, sealed_at: now, size: entries.length, content: digest(list) };
  await trx
    .insertInto("audit_seal")
    .values({ ...row, list, mac: sealMac(sign, row) })
    .execute();
  await moveHead(trx, sign, { ...head, batch, hash: sealHash(row) });
  return entries.length;
}

/**
 * Puts unsealed entries, oldest first, into `batch`. Entries that commit later go into a later batch. The outer
 * statement does not repeat the condition on unsealed entries. The locked head makes that needless, and
 * PostgreSQL, which expects no unsealed entries, would scan all of them for each row.
 */
async function claim(trx: Transaction<Tables>, batch: number): Promise<SealedColumns[]> {
  const claimed = await trx
    .updateTable("audit_entry")
    .from((from) =>
      from
        .selectFrom("audit_entry")
        .select((it) => [
          "id",
          "occurred_at",
          it.fn
            .agg<number>("row_number")
            .over((over) => over.orderBy("occurred_at").orderBy("id"))
            .as("place"),
        ])
        .where("batch", "is", null)
        .orderBy("occurred_at")
        .orderBy("id")
        .limit(batchSize)
        .as("oldest"),
    )
    .set((it) => ({ batch, position: it.ref("oldest.place") }))
    .whereRef("audit_entry.occurred_at", "=", "oldest.occurred_at")
    .whereRef("audit_entry.id", "=", "oldest.id")
    .returning([...entryColumns, "audit_entry.position"])
    .execute();
  return claimed.sort((a, b) => a.position - b.position);
}
