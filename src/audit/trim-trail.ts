import type { Transaction } from "kysely";
import type { Terms } from "../storage/tables/declared-table.ts";
import type { Tables } from "../storage/tables.ts";
import { append } from "./append.ts";
import { AuditTrailError, lockHead, moveHead } from "./chain/head.ts";
import { isGenuine, type Sign, signer } from "./chain/seal.ts";
import { ownTrail } from "./own-trail.ts";
import { sealColumns } from "./read.ts";

const sealsAtOnce = 1000;
const entriesAtOnce = 1000;

/**
 * Removes the entries of whole batches, oldest first. The seals of these batches stay, and the head has the number of
 * the last removed batch, so that the chain still verifies. Throws an `AuditTrailError` at a seal or head that was
 * changed.
 */
export function trailTrimmer(sealKey: Buffer): Terms["trimTrail"] {
  const sign = signer(sealKey);
  return (trx, before) => removeSome(trx, sign, before);
}

async function removeSome(trx: Transaction<Tables>, sign: Sign, before: number): Promise<number> {
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
      throw new AuditTrailError(`The seal of batch ${seal.batch} of the audit trail was changed.`);
    through = Number(seal.batch);
    size += Number(seal.size);
  }
  if (through === head.removed) return 0;
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
  await append(trx, ownTrail.removed("system", facts));
  return facts.batches;
}
