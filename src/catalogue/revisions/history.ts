import type { Kysely } from "kysely";
import type { CatalogueDraftRow, CatalogueRevisionRow, Tables } from "../../storage/tables.ts";
import { findDraft } from "./draft.ts";
import { findRevision } from "./load.ts";

/** A published revision. Times are milliseconds since 1970. */
export interface Revision {
  readonly number: number;
  readonly publishedAt: number;
  readonly author: string;
  readonly source: string;
  readonly note: string;
  readonly added: number;
  readonly modified: number;
  readonly removed: number;
  /** Where its changes are; null if they were not kept. */
  readonly draft: number | null;
}

/** Changes that wait to be published, or came to nothing. */
export interface WaitingDraft extends Omit<Revision, "number" | "publishedAt" | "draft"> {
  readonly id: number;
  readonly state: CatalogueDraftRow["state"];
  readonly createdAt: number;
  readonly holdsFrom: number | null;
  /** Why it is held, or ended. */
  readonly reasons: readonly string[];
  readonly decidedBy: string | null;
}

/** The newest revisions first. */
export async function listRevisions(db: Kysely<Tables>, limit: number): Promise<Revision[]> {
  const rows = await db.selectFrom("catalogue_revision").selectAll().orderBy("number", "desc").limit(limit).execute();
  return rows.map(revisionOf);
}

/** What is held or scheduled: by its time, what is held at once first. */
export async function listWaiting(db: Kysely<Tables>): Promise<WaitingDraft[]> {
  const rows = await db
    .selectFrom("catalogue_draft")
    .selectAll()
    .where("state", "in", ["held", "scheduled"])
    .orderBy("id")
    .execute();
  return rows.map(draftOf).sort((one, other) => (one.holdsFrom ?? 0) - (other.holdsFrom ?? 0));
}

/** Throws a `CatalogueFault` if there is no such revision. */
export async function showRevision(db: Kysely<Tables>, number: number): Promise<Revision> {
  return revisionOf(await findRevision(db, number));
}

/** Throws a `CatalogueFault` if there is no such draft. */
export async function showDraft(db: Kysely<Tables>, id: number): Promise<WaitingDraft> {
  return draftOf(await findDraft(db, id));
}

function revisionOf({ created_at, ...facts }: CatalogueRevisionRow): Revision {
  return { ...facts, publishedAt: created_at };
}

function draftOf(row: CatalogueDraftRow): WaitingDraft {
  const { id, state, author, source, note, added, modified, removed } = row;
  return {
    ...{ id, state, author, source, note, added, modified, removed },
    createdAt: row.created_at,
    holdsFrom: row.holds_from,
    reasons: JSON.parse(row.reasons),
    decidedBy: row.decided_by,
  };
}
