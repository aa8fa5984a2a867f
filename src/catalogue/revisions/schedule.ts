import type { Kysely } from "kysely";
import { noteChange } from "../../storage/change-counter.ts";
import type { CatalogueDraftRow, Tables } from "../../storage/tables.ts";
import { type Change, isSame } from "../changes/change.ts";
import { rebase } from "../changes/rebase.ts";
import { commit, type Publisher } from "./commit.ts";
import { aboutOf, changeDraft, removeChanges } from "./draft.ts";
import { expectedFor, scheduled } from "./expected.ts";
import { changesOf } from "./load.ts";
import { review } from "./review.ts";

/** When the next scheduled draft is due, in milliseconds since 1970; undefined if there is none. */
export async function nextDue(db: Kysely<Tables>): Promise<number | undefined> {
  return (await scheduled(db).limit(1).executeTakeFirst())?.holds_from ?? undefined;
}

/**
 * Publishes the scheduled drafts that are due, in the order of their times, on top of what was published since they were made.
 * Holds a draft if the guard would hold it now, unless somebody approved it. If several processes run this at once, one of
 * them publishes the draft.
 */
export async function publishDue(publisher: Publisher): Promise<void> {
  for (;;) {
    const due = await scheduled(publisher.db).where("holds_from", "<=", publisher.now()).limit(1).executeTakeFirst();
    if (!due) return;
    const { base, changes, reasons, tooLarge } = await rebaseDraft(publisher, due);
    if (changes.length === 0) await dropEmpty(publisher, due);
    else {
      // An approval does not make room: Duba holds what does not fit until there is room.
      const reviewed = tooLarge
        ? { reasons: [tooLarge.message] }
        : { reasons, approvedBy: due.decided_by ?? undefined };
      const request = { changes, base, about: aboutOf(due), stored: due, ...reviewed };
      await commit({ ...publisher, actor: "system" }, request);
    }
  }
}

/** The changes of a draft on the newest revision, `base`, and their review. `differs`: they are not the stored ones. */
export async function rebaseDraft(publisher: Publisher, row: CatalogueDraftRow) {
  const expected = await expectedFor(publisher, row.holds_from);
  const before = await changesOf(publisher.db, row.id);
  const changes = await rebase(expected.base, before);
  const reviewed = await review(publisher, expected, changes);
  return { base: expected.newest.revision, changes, differs: !isAlike(before, changes), ...reviewed };
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

/** Closes a draft that would change nothing any more. Returns false if another process changed it meanwhile. */
export async function dropEmpty({ db, now }: Publisher, row: CatalogueDraftRow): Promise<boolean> {
  const reasons = JSON.stringify(["Nothing was left to change."]);
  return db.transaction().execute(async (trx) => {
    await noteChange(trx, "catalogue");
    const facts = { state: "rejected", reasons, decided_by: "system", decided_at: now() } as const;
    if (!(await changeDraft(trx, row, facts))) return false;
    await removeChanges(trx, row.id);
    return true;
  });
}
