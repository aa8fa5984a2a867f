import type { Transaction } from "kysely";
import { mend } from "../../declare/command/mend.ts";
import type { RichText } from "../../declare/command/rich-text.ts";
import { allTables, type CatalogueDraftRow, type Db, type Tables } from "../../storage/tables.ts";
import type { ChangeKind } from "../document/difference.ts";
import { CatalogueError } from "../model/catalogue-error.ts";

/** All columns except the content, which may be large. */
export const draftFacts = Object.keys(allTables.catalogue_draft).filter(
  (name) => name !== "content",
) as (keyof CatalogueDraftRow)[];

/** Who makes a change, and why. */
export interface About {
  readonly author: string;
  /** The origin, such as `import`, `revert`, or the name of a vendor. */
  readonly source: string;
  readonly note: string;
  /** When to publish, in milliseconds since 1970. Default: at once. */
  readonly holdsFrom?: number | undefined;
}

type Decision = Pick<CatalogueDraftRow, "state"> & Partial<Tables["catalogue_draft"]>;

/** Stores a new draft and returns its id. The transaction must hold the lock on the catalogue's counter. */
export async function addDraft(
  trx: Transaction<Tables>,
  { author, source, note, holdsFrom }: About,
  createdAt: number,
  facts: Decision & Pick<Tables["catalogue_draft"], "base" | "reasons" | "content" | ChangeKind>,
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
    .values({ id, version: 1, ...about, ...undecided, ...facts })
    .execute();
  return id;
}

/**
 * Changes a stored draft. Returns false if another process has changed it since `row` was read. The transaction must
 * hold the lock on the catalogue's counter.
 */
export async function changeDraft(
  trx: Transaction<Tables>,
  { id, state, base, version }: CatalogueDraftRow,
  facts: Decision,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("catalogue_draft")
    .set(facts)
    .where("id", "=", id)
    .where("state", "=", state)
    .where("base", "=", base)
    .where("version", "=", version)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export function aboutOf({ author, source, note, holds_from }: CatalogueDraftRow): About {
  return { author, source, note, holdsFrom: holds_from ?? undefined };
}

/** A draft in the version that a person saw. */
export type SeenDraft = Pick<CatalogueDraftRow, "id" | "version">;

/** The name of a draft for people: "d7", or "d7.2" in its second version. */
export function draftName({ id, version }: SeenDraft): string {
  return version === 1 ? `d${id}` : `d${id}.${version}`;
}

/** Why a draft waits. */
export function whyItWaits({ reasons }: Pick<CatalogueDraftRow, "reasons">): RichText[] {
  return (JSON.parse(reasons) as string[]).map(withAccounts);
}

/** A stored sentence in which the ids of accounts become references to the accounts. */
export function withAccounts(sentence: string): RichText {
  return sentence
    .split(/\b(acc_\w+)/)
    .map((piece, at) => (at % 2 === 0 ? piece : { account: piece }))
    .filter((piece) => piece !== "");
}

/** Throws a `CatalogueError` if there is no such draft. */
export async function findDraft(db: Db, id: number): Promise<CatalogueDraftRow> {
  const row = await db.selectFrom("catalogue_draft").select(draftFacts).where("id", "=", id).executeTakeFirst();
  if (!row) throw new CatalogueError(`There is no draft d${id}.`, mend("Those that wait are in", "catalogue.history"));
  return row;
}

/** Held and scheduled drafts by their time; those without a time come first. */
export async function listWaiting(db: Db): Promise<CatalogueDraftRow[]> {
  const rows = await db
    .selectFrom("catalogue_draft")
    .select(draftFacts)
    .where("state", "in", ["held", "scheduled"])
    .orderBy("id")
    .execute();
  return rows.sort((one, other) => (one.holds_from ?? 0) - (other.holds_from ?? 0));
}
