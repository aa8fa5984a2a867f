import { sql } from "kysely";
import { rewrapSecrets } from "../../keyring/endpoint-secrets.ts";
import { rewrapped, wrappedBy } from "../../keyring/envelope-encryption.ts";
import { currentOf, type Keyring } from "../../keyring/keyring.ts";
import { pagesOf } from "../../storage/queries/pieces.ts";
import { allSlots, destroyStaleKeys } from "../../storage/record-keys.ts";
import type { Db } from "../../storage/tables.ts";

export interface Rewrapped {
  rows: number;
  /**
   * The data that the ring cannot open, which stays unchanged: references of at most 100 records, and ids of endpoints.
   */
  unreadable: string[];
}

const defaultBatch = 500;
/** How long we wait for readers of the keys, in milliseconds. */
const readerPatience = 30_000;
const mostUnreadable = 100;

/**
 * Encrypts the key of each stored record, and the secrets of endpoints, with the record key that is current at `now`,
 * in batches, while other processes serve. It can be run again after any failure. `progress` receives the number of
 * finished rows.
 */
export async function rewrap(
  db: Db,
  keyring: Keyring,
  { now, batch = defaultBatch, progress }: { now: number; batch?: number; progress?: (rows: number) => void },
): Promise<Rewrapped> {
  const done: Rewrapped = { rows: 0, unreadable: [] };
  const keys = outdated(db, currentOf(keyring.records, now).id)
    .innerJoin("verification", "verification.reference", "record_key.reference")
    .select(["record_key.slot", "record_key.reference", "record_key.sealed_key", "verification.account_id"]);
  for (let rowsBefore = -1; done.rows !== rowsBefore; ) {
    // Repeat until nothing was left to do: meanwhile others may have written records with the old key.
    [rowsBefore, done.unreadable] = [done.rows, []];
    for await (const page of pagesOf(keys, ["record_key.slot", "record_key.reference"], batch)) {
      const written = await Promise.all(
        page.map(async ({ slot, reference, account_id, sealed_key }) => {
          let renewed: string;
          try {
            renewed = rewrapped(keyring, { accountId: account_id, reference }, sealed_key, now);
          } catch {
            if (done.unreadable.length < mostUnreadable) done.unreadable.push(reference);
            return 0n;
          }
          // Updates a key only if it is unchanged since it was read.
          const update = db.updateTable("record_key").set({ sealed_key: renewed });
          const where = update.where("slot", "=", sql.lit(slot)).where("reference", "=", reference);
          return (await where.where("sealed_key", "=", sealed_key).executeTakeFirstOrThrow()).numUpdatedRows;
        }),
      );
      done.rows += Number(written.reduce((sum, rows) => sum + rows, 0n));
      progress?.(done.rows);
    }
  }
  done.unreadable.push(...(await rewrapSecrets(db, keyring, now)));
  // Also destroys the old versions of keys that a killed run left behind.
  await destroyStaleKeys(db, allSlots, readerPatience);
  return done;
}

/** Counts the stored records that are not sealed under the record key that is current at `now`. */
export async function countOutdated(db: Db, { records }: Keyring, now: number): Promise<number> {
  const { count } = await outdated(db, currentOf(records, now).id)
    .select((it) => it.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

function outdated(db: Db, keyId: string) {
  const head = wrappedBy(keyId);
  return db
    .selectFrom("record_key")
    .where(sql<string>`substr(${sql.ref("record_key.sealed_key")}, 1, ${sql.lit(head.length)})`, "<>", head);
}
