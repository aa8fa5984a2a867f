import type { Kysely } from "kysely";
import type { Tables } from "../../storage/tables.ts";
import { Edit, type Snapshot } from "../model/snapshot.ts";
import { changePagesOf } from "../revisions/load.ts";

const DAY = 86_400_000;

/**
 * The catalogue of a day ago, so that small steps add up in the guard's eyes. Later if somebody approved a revision since
 * then: nobody is asked twice about the same removal. Never before the first revision that is known.
 */
export async function dayBefore(db: Kysely<Tables>, newest: Snapshot, now: number): Promise<Snapshot> {
  const revisions = await db
    .selectFrom("catalogue_revision as revision")
    .leftJoin("catalogue_draft as draft", "draft.id", "revision.draft")
    .select(["revision.number", "revision.draft", "revision.created_at", "draft.decided_by"])
    .where("revision.number", "<=", newest.revision)
    .where("revision.number", ">", 1)
    .where("revision.created_at", ">", now - DAY)
    .orderBy("revision.number", "desc")
    .execute();
  const edit = new Edit(newest);
  for (const { draft, decided_by } of revisions) {
    if (draft === null || decided_by !== null) break;
    for await (const page of changePagesOf(db, draft))
      for (const { subject, key, old } of page) edit.set(subject, key, old);
  }
  return edit.finish(newest);
}
