import type { Kysely, Transaction } from "kysely";
import type { Tables } from "../storage/tables.ts";
import { append } from "./append.ts";
import { holdHead, moveHead } from "./head.ts";
import type { Sign } from "./seal.ts";

const sealsAtOnce = 1000;
const entriesAtOnce = 1000;

/**
 * Removes the entries of whole batches sealed before `before`, oldest first, in short transactions. Their seals stay, and
 * the head says how far removal went, so that the chain still verifies. Both times are milliseconds since 1970.
 */
export async function removeOld(db: Kysely<Tables>, sign: Sign, before: number, now: number): Promise<void> {
  let more = true;
  while (more) more = await db.transaction().execute((trx) => removeSome(trx, sign, before, now));
}

async function removeSome(trx: Transaction<Tables>, sign: Sign, before: number, now: number): Promise<boolean> {
  const head = await holdHead(trx, sign);
  const oldest = await trx
    .selectFrom("audit_seal")
    .select(["batch", "size", "sealed_at"])
    .where("batch", ">", head.removed)
    .orderBy("batch")
    .limit(sealsAtOnce)
    .execute();
  let through = head.removed;
  let size = 0;
  for (const seal of oldest) {
    if (seal.sealed_at >= before || (size > 0 && size + seal.size > entriesAtOnce)) break;
    through = seal.batch;
    size += seal.size;
  }
  if (through === head.removed) return false;
  const { numDeletedRows } = await trx
    .deleteFrom("audit_entry")
    .where("batch", ">", head.removed)
    .where("batch", "<=", through)
    .executeTakeFirstOrThrow();
  await trx
    .updateTable("audit_seal")
    .set({ list: "" })
    .where("batch", ">", head.removed)
    .where("batch", "<=", through)
    .execute();
  await moveHead(trx, sign, { ...head, removed: through });
  const facts = { through, batches: through - head.removed, entries: Number(numDeletedRows) };
  await append(trx, { kind: "audit.removed", actor: "system", facts }, now);
  return true;
}
