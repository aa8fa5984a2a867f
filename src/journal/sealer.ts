import type { Kysely, Transaction } from "kysely";
import type { Tables } from "../storage/tables.ts";
import { holdHead, moveHead } from "./head.ts";
import { entryColumns } from "./read.ts";
import { digest, listOf, type SealedColumns, type Sign, sealHash, signedSeal } from "./seal.ts";

/** At most this many entries are one batch, so that a transaction stays short. */
export const batchSize = 1000;

/** Seals all committed entries that are not sealed yet, oldest first; safe beside other processes that do the same. */
export async function seal(db: Kysely<Tables>, sign: Sign, now: () => number = Date.now): Promise<void> {
  while (await hasUnsealed(db)) {
    const sealed = await db.transaction().execute((trx) => sealBatch(trx, sign, now()));
    if (sealed < batchSize) return;
  }
}

async function hasUnsealed(db: Kysely<Tables>): Promise<boolean> {
  const one = await db.selectFrom("audit_entry").select("id").where("batch", "is", null).limit(1).executeTakeFirst();
  return one !== undefined;
}

async function sealBatch(trx: Transaction<Tables>, sign: Sign, now: number): Promise<number> {
  const head = await holdHead(trx, sign);
  const batch = head.batch + 1;
  const entries = await take(trx, batch);
  if (entries.length === 0) return 0;
  const list = listOf(entries);
  const row = { batch, previous: head.hash, sealed_at: now, size: entries.length, content: digest(list) };
  const hash = sealHash(row);
  await trx
    .insertInto("audit_seal")
    .values({ ...row, list, mac: sign(signedSeal(hash)) })
    .execute();
  await moveHead(trx, sign, { ...head, batch, hash });
  return entries.length;
}

/** Gives unsealed entries, oldest first, their place in `batch`: one that commits later is taken by a later batch. */
async function take(trx: Transaction<Tables>, batch: number): Promise<SealedColumns[]> {
  const taken = await trx
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
    .where("audit_entry.batch", "is", null)
    .returning([...entryColumns, "audit_entry.position"])
    .execute();
  return taken.sort((a, b) => a.position - b.position);
}
