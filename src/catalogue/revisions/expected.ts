import type { Kysely } from "kysely";
import type { Tables } from "../../storage/tables.ts";
import { applyChanges, type Change } from "../changes/change.ts";
import { rebase } from "../changes/rebase.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Publisher } from "./commit.ts";
import { changesOf } from "./load.ts";

/** The catalogue at a time. Times are milliseconds since 1970. */
export interface ExpectedCatalogue {
  readonly at: number;
  readonly newest: Snapshot;
  /** The newest revision with what is planned. */
  readonly base: Snapshot;
  /** What is scheduled until then, in its order. */
  readonly planned: readonly {
    readonly holdsFrom: number;
    readonly isApproved: boolean;
    readonly changes: readonly Change[];
  }[];
}

/** The catalogue that changes meet: the newest revision, or what is expected of a later time. */
export async function expectedFor(
  publisher: Publisher,
  holdsFrom: number | null | undefined,
): Promise<ExpectedCatalogue> {
  const newest = await publisher.latest();
  const now = publisher.now();
  if (holdsFrom == null || holdsFrom <= now) return { at: now, newest, base: newest, planned: [] };
  let base = newest;
  const planned: ExpectedCatalogue["planned"][number][] = [];
  for (const draft of await scheduled(publisher.db).where("holds_from", "<=", holdsFrom).execute()) {
    const changes = await rebase(base, await changesOf(publisher.db, draft.id));
    base = await applyChanges(base, changes);
    planned.push({ holdsFrom: draft.holds_from!, isApproved: draft.decided_by !== null, changes });
  }
  return { at: holdsFrom, newest, base, planned };
}

/** The scheduled drafts, in their order. */
export function scheduled(db: Kysely<Tables>) {
  return db
    .selectFrom("catalogue_draft")
    .selectAll()
    .where("state", "=", "scheduled")
    .orderBy("holds_from")
    .orderBy("id");
}
