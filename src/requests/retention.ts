import type { Kysely } from "kysely";
import type { Tables } from "../storage/tables.ts";

/** About 250 MB, with its indexes. */
const mostRows = 1_000_000;
/** Rows of one statement, so that verifications need not wait for long. */
const batch = 1_000;

/** Deletes entries that were written before `before` (milliseconds since 1970), and the oldest of more than `most`. */
export async function sweepRequests(db: Kysely<Tables>, before: number, most = mostRows): Promise<number> {
  let removed = 0;
  for (;;) {
    const rows = await oldest(db, batch).where("written_at", "<", before).execute();
    removed += await remove(db, rows);
    if (rows.length < batch) break;
  }
  const { count } = await db
    .selectFrom("api_request")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  for (let tooMany = Number(count) - most; tooMany > 0; tooMany -= batch)
    removed += await remove(db, await oldest(db, Math.min(batch, tooMany)).execute());
  return removed;
}

function oldest(db: Kysely<Tables>, limit: number) {
  return db.selectFrom("api_request").select("serial").orderBy("written_at").limit(limit);
}

async function remove(db: Kysely<Tables>, rows: readonly { serial: string }[]): Promise<number> {
  if (rows.length === 0) return 0;
  const serials = rows.map(({ serial }) => serial);
  await db.deleteFrom("api_request").where("serial", "in", serials).execute();
  return rows.length;
}
