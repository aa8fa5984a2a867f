import type { Kysely, Transaction } from "kysely";
import type { CatalogueDraftRow, Tables } from "../../storage/tables.ts";
import { type Change, countsOf } from "../changes/change.ts";
import { CatalogueFault } from "../model/fault.ts";

/** Rows of one INSERT: both engines limit its parameters, and the event loop turns between two INSERTs. */
const CHUNK = 200;

/** Who changes what, and why. */
export interface About {
  readonly author: string;
  /** Such as `import`, `revert`, or the name of a vendor. */
  readonly source: string;
  readonly note: string;
  /** When to publish, in milliseconds since 1970; at once unless given. */
  readonly holdsFrom?: number | undefined;
}

type Decision = Pick<CatalogueDraftRow, "state"> & Partial<CatalogueDraftRow>;

/** Stores a new draft with its changes, and returns its id. The transaction must hold the catalogue's counter. */
export async function addDraft(
  trx: Transaction<Tables>,
  { author, source, note, holdsFrom }: About,
  createdAt: number,
  facts: Decision & Pick<CatalogueDraftRow, "base" | "reasons">,
  changes: readonly Change[],
  progress?: (done: number, all: number) => void,
): Promise<number> {
  const { last } = await trx
    .selectFrom("catalogue_draft")
    .select(({ fn }) => fn.max("id").as("last"))
    .executeTakeFirstOrThrow();
  const id = (last ?? 0) + 1;
  const about = { author, source, note, holds_from: holdsFrom ?? null, created_at: createdAt };
  const undecided = { decided_by: null, decided_at: null };
  await trx
    .insertInto("catalogue_draft")
    .values({ id, version: 1, ...about, ...undecided, ...countsOf(changes), ...facts })
    .execute();
  await insertChanges(trx, id, changes, progress);
  return id;
}

/**
 * Changes a stored draft, and replaces its changes if `changes` are given. Returns false if another process changed the draft
 * after `row` was read. The transaction must hold the catalogue's counter.
 */
export async function changeDraft(
  trx: Transaction<Tables>,
  { id, state, base, version }: CatalogueDraftRow,
  facts: Decision,
  changes?: readonly Change[],
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("catalogue_draft")
    .set({ ...facts, ...(changes && countsOf(changes)) })
    .where("id", "=", id)
    .where("state", "=", state)
    .where("base", "=", base)
    .where("version", "=", version)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) return false;
  if (changes) {
    await removeChanges(trx, id);
    await insertChanges(trx, id, changes);
  }
  return true;
}

export async function removeChanges(trx: Transaction<Tables>, draft: number): Promise<void> {
  await trx.deleteFrom("catalogue_change").where("draft", "=", draft).execute();
}

async function insertChanges(
  trx: Transaction<Tables>,
  draft: number,
  changes: readonly Change[],
  progress?: (done: number, all: number) => void,
): Promise<void> {
  for (const [at, chunk] of inChunks(changes).entries()) {
    const rows = chunk.map(({ subject, key, old, new: now }, place) => ({
      draft,
      place: at * CHUNK + place + 1,
      list: subject,
      key,
      old_position: old?.position ?? null,
      old_content: old && JSON.stringify(old.content),
      new_position: now?.position ?? null,
      new_content: now && JSON.stringify(now.content),
    }));
    await trx.insertInto("catalogue_change").values(rows).execute();
    progress?.(at * CHUNK + chunk.length, changes.length);
  }
}

export function inChunks<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / CHUNK);
  return Array.from({ length: count }, (_, at) => items.slice(at * CHUNK, (at + 1) * CHUNK));
}

export function aboutOf({ author, source, note, holds_from }: CatalogueDraftRow): About {
  return { author, source, note, holdsFrom: holds_from ?? undefined };
}

/** A draft with the difference that a person saw. */
export type SeenDraft = Pick<CatalogueDraftRow, "id" | "version">;

/** The name of a draft for people: "d7", or "d7.2" if it had another difference before. */
export function draftName({ id, version }: SeenDraft): string {
  return version === 1 ? `d${id}` : `d${id}.${version}`;
}

/** Throws a `CatalogueFault` if there is no such draft. */
export async function findDraft(db: Kysely<Tables>, id: number): Promise<CatalogueDraftRow> {
  const row = await db.selectFrom("catalogue_draft").selectAll().where("id", "=", id).executeTakeFirst();
  if (!row) throw new CatalogueFault(`There is no draft d${id}. Those that wait are in: duba catalogue history`);
  return row;
}

/** The drafts that are held or scheduled: by their time, those without a time first. */
export async function listWaiting(db: Kysely<Tables>): Promise<CatalogueDraftRow[]> {
  const rows = await db
    .selectFrom("catalogue_draft")
    .selectAll()
    .where("state", "in", ["held", "scheduled"])
    .orderBy("id")
    .execute();
  return rows.sort((one, other) => (one.holds_from ?? 0) - (other.holds_from ?? 0));
}
