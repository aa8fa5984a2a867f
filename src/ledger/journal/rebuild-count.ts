import { upsert } from "../../storage/queries/upsert.ts";
import type { Db } from "../../storage/tables.ts";

const name = "sums-rebuilt";

/** How often sums were rebuilt. */
export async function rebuildCount(db: Db): Promise<number> {
  const row = await db.selectFrom("fact").select("value").where("name", "=", name).executeTakeFirst();
  return Number(row?.value ?? 0);
}

/** Counts a rebuild. False if another rebuild was counted since `before`. */
export function countRebuild(trx: Db, before: number): Promise<boolean> {
  const row = { value: String(before + 1), created_at: Date.now() };
  return upsert(trx, "fact", { name }, row, { value: String(before) });
}
