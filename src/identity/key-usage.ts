import { type Kysely, sql } from "kysely";
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
  const usage: KeyUsage = { hashes: new Map(), records: new Map() };
  let last = { created_at: -1, reference: "" };
  for (let read = 0; ; read += page) {
    const rows = await rowsAfter(db, last);
    for (const { body, subject, idempotency, key } of rows) {
      for (const version of new Set([body, subject, idempotency].map((hash) => /^v(\d+):/.exec(hash ?? "")?.[1])))
        if (version !== undefined) count(usage.hashes, Number(version));
      const id = key?.split(":")[1];
      if (id !== undefined) count(usage.records, id);
    }
    progress(read + rows.length);
    if (rows.length < page) return usage;
    last = rows.at(-1)!;
  }
}

/** The heads of hashes and wrapped keys: they name the key that made them. */
function rowsAfter(db: Kysely<Tables>, { created_at, reference }: { created_at: number; reference: string }) {
  const head = (column: "body_hash" | "subject_hash" | "idempotency_hash" | "sealed_key", length: number) =>
    sql<string | null>`substr(${sql.ref(column)}, 1, ${sql.lit(length)})`;
  return db
    .selectFrom("verification")
    .select([
      "created_at",
      "reference",
      head("body_hash", 12).as("body"),
      head("subject_hash", 12).as("subject"),
      head("idempotency_hash", 12).as("idempotency"),
      head("sealed_key", 37).as("key"),
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
