import type { Db } from "../../storage/tables.ts";
import { notVerified } from "../transitions.ts";

/** Verifications of one mode without an outcome. `since`: when the oldest was accepted, in milliseconds since 1970. */
export interface OpenVerifications {
  mode: string;
  /** `started`: under way. `unknown`: the vendor may have done the work. */
  state: string;
  count: number;
  since: number;
}

/** The verifications without an outcome. Modes and states without any are omitted. */
export async function openVerifications(db: Db): Promise<OpenVerifications[]> {
  const rows = await db
    .selectFrom("verification")
    .select((row) => ["mode", "state", row.fn.countAll<number>().as("count"), row.fn.min("created_at").as("since")])
    .where("state", "in", ["started", "unknown"])
    .where(notVerified)
    .groupBy(["mode", "state"])
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
