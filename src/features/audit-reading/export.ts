import { storedHead } from "../../audit/chain/head.ts";
import { entryPages, type StoredEntry, type StoredSeal, sealPages } from "../../audit/read.ts";
import type { Db } from "../../storage/tables.ts";

/**
 * An entry, the seal that closes its batch, or the head at the end. Every column is text, in the form that is hashed.
 */
export type Exported =
  | { entry: StoredEntry }
  /** `removed`: retention has removed the entries of the batch. */
  | { seal: Omit<StoredSeal, "list"> & { removed: boolean } }
  | { head: { batch: string; hash: string } };

/**
 * Yields the sealed trail in order: the entries of each batch and then its seal, and at last the head. Verifies
 * nothing.
 */
export async function* exportTrail(db: Db): AsyncGenerator<Exported> {
  const head = await storedHead(db);
  const upTo = `${head?.batch ?? Number.MAX_SAFE_INTEGER}`;
  let above: string | undefined;
  for await (const seals of sealPages(db, { upTo })) {
    for (const { list, ...seal } of seals) {
      let entries = 0;
      for await (const page of entryPages(db, { ...(above && { above }), upTo: seal.batch })) {
        for (const entry of page) yield { entry };
        entries += page.length;
      }
      above = seal.batch;
      yield { seal: { ...seal, removed: entries === 0 && (await isRemoved(seal.batch)) } };
    }
  }
  if (head !== undefined) yield { head: { batch: `${head.batch}`, hash: head.hash } };

  // Retention may run meanwhile, so this query runs only for a batch without entries.
  async function isRemoved(batch: string): Promise<boolean> {
    return Number(batch) <= ((await storedHead(db))?.removed ?? 0);
  }
}
