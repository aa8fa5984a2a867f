import type { Kysely } from "kysely";
import { upsert } from "../queries/upsert.ts";
import type { Tables } from "../tables.ts";
import type { FailingJob } from "./job-runner.ts";

const minute = 60_000;
/** Processes repeat the note each minute. An older note belongs to a process that has ended. */
const noteLife = 3 * minute;

/** Notes the jobs of process `id` that have failed for at least a minute, for `duba status` and alarms. */
export async function noteFailingJobs(db: Kysely<Tables>, id: string, failing: readonly FailingJob[], now: number) {
  const lasting = failing.filter(({ since }) => now - since >= minute);
  const name = `jobs:${id}`;
  if (lasting.length > 0) await upsert(db, "fact", { name }, { value: JSON.stringify(lasting), created_at: now });
  const notes = db.deleteFrom("fact").where("name", "like", "jobs:%");
  await notes
    .where(({ or, eb }) =>
      or([eb("created_at", "<", now - noteLife), ...(lasting.length > 0 ? [] : [eb("name", "=", name)])]),
    )
    .execute();
}

/** The failing jobs of all processes, each since its first failure. */
export async function failingJobs(db: Kysely<Tables>, now: number): Promise<FailingJob[]> {
  const rows = await db
    .selectFrom("fact")
    .select("value")
    .where("name", "like", "jobs:%")
    .where("created_at", ">=", now - noteLife)
    .execute();
  const all = rows.flatMap(({ value }) => JSON.parse(value) as FailingJob[]);
  const byName = Map.groupBy(all, ({ name }) => name).values();
  return [...byName].map((same) => same.reduce((first, other) => (other.since < first.since ? other : first)));
}
