import { sql } from "kysely";
import { secretUsage } from "../../keyring/endpoint-secrets.ts";
import { knownKeys } from "../../keyring/keyring.ts";
import { readingRecordKeys } from "../../storage/record-keys.ts";
import type { Db } from "../../storage/tables.ts";

/**
 * The number of verifications with a hash under each hash key of the store. Reads the whole ledger once for each key.
 */
async function hashUsage(db: Db): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const name of (await knownKeys(db)).keys()) {
    const [, version] = /^keyring:hmac:(\d+)$/.exec(name) ?? [];
    if (version === undefined) continue;
    const columns = ["subject_hash", "body_hash", "idempotency_hash", "lasting_idempotency_hash"] as const;
    const { count } = await db
      .selectFrom("verification")
      .select((it) => it.fn.countAll<number>().as("count"))
      .where((it) => it.or(columns.map((column) => it(column, "like", `v${version}:%`))))
      .executeTakeFirstOrThrow();
    if (count > 0) counts.set(`v${version}`, count);
  }
  return counts;
}

/** How many records, and secrets of endpoints, are sealed under each record key of the ring. */
export async function recordUsage(db: Db): Promise<Map<string, number>> {
  // Long enough for any key id.
  const head = sql<string>`substr(sealed_key, 1, 37)`;
  const rows = await readingRecordKeys(db, (trx) =>
    trx
      .selectFrom("record_key")
      .select([head.as("head"), (it) => it.fn.countAll<number>().as("count")])
      .groupBy(head)
      .execute(),
  );
  const counts = await secretUsage(db);
  for (const { head, count } of rows) {
    const id = head.split(":")[1]!;
    counts.set(id, (counts.get(id) ?? 0) + count);
  }
  return counts;
}

/** Functions that count the uses of each key of the ring, by the key's name. An unused key has no entry. */
export const usageOf = { records: recordUsage, hashes: hashUsage };
