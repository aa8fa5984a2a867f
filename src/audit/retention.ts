import type { Kysely, Transaction } from "kysely";
import type { Tables } from "../storage/tables.ts";
import { append } from "./append.ts";
import { AuditTrailFault, lockHead, moveHead } from "./chain/head.ts";
import { isGenuine, type Sign } from "./chain/seal.ts";
import { sealColumns } from "./read.ts";

const sealsAtOnce = 1000;
const entriesAtOnce = 1000;

/** Ledger and audit trail keep 24 months: the oldest time they keep at `now`. Both in milliseconds since 1970. */
export function oldestKept(now: number): number {
  const oldest = new Date(now);
  return oldest.setUTCMonth(oldest.getUTCMonth() - 24);
}

/**
 * Removes the entries of whole batches sealed before `before`, oldest first, in short transactions. Their seals stay, and the
 * head has the number of the last removed batch, so that the chain still verifies. `before` is in milliseconds since 1970. Throws
 * an `AuditTrailFault` at a seal or head that was changed.
 */
export async function removeOld(db: Kysely<Tables>, sign: Sign, before: number): Promise<void> {
  let more = true;
  while (more) more = await db.transaction().execute((trx) => removeSome(trx, sign, before));
}

async function removeSome(trx: Transaction<Tables>, sign: Sign, before: number): Promise<boolean> {
  const head = await lockHead(trx, sign);
  const oldest = await trx
    .selectFrom("audit_seal")
    .select(sealColumns)
    .where("audit_seal.batch", ">", head.removed)
    .orderBy("audit_seal.batch")
    .limit(sealsAtOnce)
    .execute();
  let through = head.removed;
  let size = 0;
  for (const seal of oldest) {
    if (Number(seal.sealed_at) >= before || (size > 0 && size + Number(seal.size) > entriesAtOnce)) break;
    // Otherwise a person who sets a seal's time back could make us remove its entries and sign the removal.
    if (!isGenuine(sign, seal))
      throw new AuditTrailFault(`The seal of batch ${seal.batch} of the audit trail was changed.`);
    through = Number(seal.batch);
    size += Number(seal.size);
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
  await append(trx, { kind: "audit.removed", actor: "system", facts });
  return true;
}
