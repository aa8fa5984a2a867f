import type { Audited } from "../../storage/audited.ts";
import type { Db } from "../../storage/tables.ts";
import { type Change, difference } from "../document/difference.ts";
import { threeWay } from "../document/three-way.ts";
import type { Guard } from "../guard/guard.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { draftFacts } from "./draft.ts";
import { draftDocuments } from "./load.ts";

/** The resources of publishing. The audit trail records each change in its transaction. */
export interface Publisher extends Audited {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly guard: Guard;
  /** The newest revision of the store. */
  latest(): Promise<Snapshot>;
}

/** The catalogue as expected at a given time. Times are milliseconds since 1970. */
export interface ExpectedCatalogue {
  readonly at: number;
  /** Whether that time is in the future. */
  readonly isLater: boolean;
  readonly newest: Snapshot;
  /** The newest revision with the planned changes. */
  readonly base: Snapshot;
  /** The drafts that are scheduled until that time, in order. */
  readonly planned: readonly {
    readonly holdsFrom: number;
    readonly isApproved: boolean;
    readonly changes: readonly Change[];
  }[];
}

/** The catalogue to which changes apply: the newest revision, or the one expected at a later time. */
export async function expectedFor(
  { db, latest, now }: Publisher,
  holdsFrom: number | null | undefined,
): Promise<ExpectedCatalogue> {
  const newest = await latest();
  const at = now();
  if (holdsFrom == null || holdsFrom <= at) return { at, isLater: false, newest, base: newest, planned: [] };
  let base = newest;
  const planned: ExpectedCatalogue["planned"][number][] = [];
  for (const draft of await scheduled(db).where("holds_from", "<=", holdsFrom).execute()) {
    const { before, after } = await draftDocuments(db, draft.id);
    const { document } = await threeWay(before, after, base, "mine");
    const changes = await difference(base, document);
    base = { ...base, ...document };
    planned.push({ holdsFrom: draft.holds_from!, isApproved: draft.decided_by !== null, changes });
  }
  return { at: holdsFrom, isLater: true, newest, base, planned };
}

/** The scheduled drafts, in order. */
export function scheduled(db: Db) {
  return db
    .selectFrom("catalogue_draft")
    .select(draftFacts)
    .where("state", "=", "scheduled")
    .orderBy("holds_from")
    .orderBy("id");
}
