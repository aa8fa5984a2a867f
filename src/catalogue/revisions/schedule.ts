import type { Kysely } from "kysely";
import { noteChange } from "../../storage/change-counter.ts";
import type { CatalogueDraftRow, Tables } from "../../storage/tables.ts";
import { applyChanges, type Change, isSame } from "../changes/change.ts";
import { rebase } from "../changes/rebase.ts";
import { review } from "../guard/review.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { commit, type Publisher } from "./commit.ts";
import { aboutOf, Draft, DraftConflict, removeChanges } from "./draft.ts";
import { allChangesOf } from "./load.ts";
import { type SizeFault, sizeFault } from "./size.ts";

function scheduled(db: Kysely<Tables>) {
  return db
    .selectFrom("catalogue_draft")
    .selectAll()
    .where("state", "=", "scheduled")
    .orderBy("holds_from")
    .orderBy("id");
}

/** When the next scheduled draft is due, in milliseconds since 1970; undefined if there is none. */
export async function nextDue(db: Kysely<Tables>): Promise<number | undefined> {
  return (await scheduled(db).limit(1).executeTakeFirst())?.holds_from ?? undefined;
}

/** What will be served at a later time, as far as it is scheduled now. */
export async function expectedAt(db: Kysely<Tables>, newest: Snapshot, time: number): Promise<Snapshot> {
  let expected = newest;
  for (const { id } of await scheduled(db).where("holds_from", "<=", time).execute())
    expected = await applyChanges(expected, await rebase(expected, await allChangesOf(db, id)));
  return expected;
}

/**
 * Publishes the scheduled drafts whose time has come, in the order of their times. Each is brought up to date with what was
 * published since it was made. One that the guard would hold then is held, unless it was approved. Several processes may
 * do it at once: a draft is published by one of them.
 */
export async function publishDue(publisher: Publisher): Promise<void> {
  const { db, now } = publisher;
  for (;;) {
    const due = await scheduled(db).where("holds_from", "<=", now()).limit(1).executeTakeFirst();
    if (!due) return;
    try {
      await publishScheduled(publisher, due);
    } catch (error) {
      // Another process is at it.
      if (error instanceof DraftConflict) return;
      throw error;
    }
  }
}

async function publishScheduled(publisher: Publisher, row: CatalogueDraftRow): Promise<void> {
  const { draft, base, changes, reasons, tooLarge } = await rebaseDraft(publisher, row);
  if (changes.length === 0) return dropEmpty(publisher, draft);
  // An approval does not make room: what does not fit is held until there is some.
  const asked = tooLarge
    ? { changes, reasons: [tooLarge.message], base, about: aboutOf(row) }
    : { changes, reasons, base, about: aboutOf(row), approvedBy: row.decided_by ?? undefined };
  await commit({ ...publisher, actor: "system" }, draft, asked);
}

/** A draft as it is against the newest revision. */
export interface RebasedDraft {
  readonly draft: Draft;
  /** Number of that revision. */
  readonly base: number;
  readonly changes: readonly Change[];
  readonly reasons: readonly string[];
  /** Set if the catalogue has no room for it. */
  readonly tooLarge: SizeFault | undefined;
  /** False if its changes are what they were. */
  readonly differs: boolean;
}

/** Tells the changes of a draft that is held or due against the newest revision, and writes anew what differs. */
export async function rebaseDraft(publisher: Publisher, row: CatalogueDraftRow): Promise<RebasedDraft> {
  const { db, now } = publisher;
  const newest = await publisher.latest();
  const later = row.holds_from !== null && row.holds_from > now();
  const base = later ? await expectedAt(db, newest, row.holds_from!) : newest;
  const before = await allChangesOf(db, row.id);
  const changes = await rebase(base, before);
  const draft = Draft.stored(publisher, row, before);
  const differs = !isAlike(before, changes);
  if (differs) await draft.write(changes);
  const reasons = await review(publisher, newest, base, changes);
  return { draft, base: newest.revision, changes, reasons, tooLarge: sizeFault(base, changes), differs };
}

function isAlike(before: readonly Change[], after: readonly Change[]): boolean {
  const known = new Map(before.map((change) => [`${change.subject} ${change.key}`, change]));
  return (
    before.length === after.length &&
    after.every((change) => {
      const other = known.get(`${change.subject} ${change.key}`);
      return other !== undefined && isSame(other.old, change.old) && isSame(other.new, change.new);
    })
  );
}

/** Ends a draft of which nothing is left: all that it would change is so already, or gone. */
export async function dropEmpty({ db, now }: Publisher, draft: Draft): Promise<void> {
  const reasons = JSON.stringify(["Nothing was left to change."]);
  await db.transaction().execute(async (trx) => {
    await draft.set(trx, { state: "rejected", reasons, decided_by: "system", decided_at: now() });
    await noteChange(trx, "catalogue");
  });
  await removeChanges(db, draft.id);
}
