import { type Kysely, sql } from "kysely";
import { readingRecordKeys } from "../storage/record-keys.ts";
import type { Tables } from "../storage/tables.ts";

/** How many verifications need each key of the ring. */
export interface KeyUsage {
  /** By version. */
  hashes: Map<number, number>;
  /** By id. */
  records: Map<string, number>;
}

const page = 5000;

/** Counts what needs which key, reading the whole ledger in pages. `progress` hears how many rows were read. */
export async function keyUsage(db: Kysely<Tables>, progress: (rows: number) => void = () => {}): Promise<KeyUsage> {
  const usage: KeyUsage = { hashes: new Map(), records: await recordUsage(db) };
  let last = { created_at: -1, reference: "" };
  for (let read = 0; ; read += page) {
    const rows = await rowsAfter(db, last);
    for (const { body, subject, idempotency } of rows) {
      for (const version of new Set([body, subject, idempotency].map((hash) => /^v(\d+):/.exec(hash ?? "")?.[1])))
        if (version !== undefined) count(usage.hashes, Number(version));
    }
    progress(read + rows.length);
    if (rows.length < page) return usage;
    last = rows.at(-1)!;
  }
}

/** How many records are sealed under each record key of the ring. */
export async function recordUsage(db: Kysely<Tables>): Promise<Map<string, number>> {
  // Long enough for any key id.
  const head = sql<string>`substr(sealed_key, 1, 37)`;
  const rows = await readingRecordKeys(db, (trx) =>
    trx
      .selectFrom("record_key")
      .select([head.as("head"), (it) => it.fn.countAll<number>().as("count")])
      .groupBy(head)
      .execute(),
  );
  const counts = new Map<string, number>();
  for (const { head, count } of rows) {
    const id = head.split(":")[1]!;
    counts.set(id, (counts.get(id) ?? 0) + count);
  }
  return counts;
}

/** The heads of hashes: they name the key that made them. */
function rowsAfter(db: Kysely<Tables>, { created_at, reference }: { created_at: number; reference: string }) {
  const head = (column: "body_hash" | "subject_hash" | "idempotency_hash") =>
    sql<string | null>`substr(${sql.ref(column)}, 1, ${12})`;
  return db
    .selectFrom("verification")
    .select([
      "created_at",
      "reference",
      head("body_hash").as("body"),
      head("subject_hash").as("subject"),
      head("idempotency_hash").as("idempotency"),
    ])
    .where((it) => it(it.refTuple("created_at", "reference"), ">", it.tuple(created_at, reference)))
    .orderBy("created_at")
    .orderBy("reference")
    .limit(page)
    .execute();
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
