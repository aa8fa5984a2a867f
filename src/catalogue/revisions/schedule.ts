import { noteChange } from "../../storage/change-counter.ts";
import type { CatalogueDraftRow, Db } from "../../storage/tables.ts";
import { type Change, difference, isSame } from "../document/difference.ts";
import { threeWay } from "../document/three-way.ts";
import { commit } from "./commit.ts";
import { aboutOf, changeDraft } from "./draft.ts";
import type { Publisher } from "./expected.ts";
import { scheduled } from "./expected.ts";
import { draftDocuments } from "./load.ts";
import { publishDueRules } from "./price-rule-dates.ts";
import type { Plan } from "./review.ts";
import { review } from "./review.ts";

/** When the next scheduled draft is due, in milliseconds since 1970; undefined if there is none. */
export async function nextDue(db: Db): Promise<number | undefined> {
  return (await scheduled(db).limit(1).executeTakeFirst())?.holds_from ?? undefined;
}

/**
 * Publishes due scheduled drafts in the order of their times, on top of the newest revision. Holds a draft if the guard
 * would hold it now, unless it was approved. If several processes run this at once, one of them publishes the draft.
 * Then starts and ends price rules.
 */
export async function publishDue(publisher: Publisher): Promise<void> {
  for (;;) {
    const due = await scheduled(publisher.db).where("holds_from", "<=", publisher.now()).limit(1).executeTakeFirst();
    if (!due) return publishDueRules(publisher);
    const { proposal, tooLarge } = await mergeDraft(publisher, due);
    if (proposal.changes.length === 0) await dropEmpty(publisher, due);
    else {
      // An approval does not make room in the catalogue, so a draft is held until it fits.
      const reviewed = tooLarge ? { reasons: [tooLarge.message] } : { approvedBy: due.decided_by ?? undefined };
      const request = { ...proposal, about: aboutOf(due), stored: due, ...reviewed };
      await commit({ ...publisher, actor: "system" }, request);
    }
  }
}

/** Applies a draft to the current catalogue and reviews the result. `differs`: its changes are not the stored ones. */
export async function mergeDraft(publisher: Publisher, row: CatalogueDraftRow) {
  const { before, after } = await draftDocuments(publisher.db, row.id);
  const plan: Plan = async (base) => (await threeWay(before, after, base, "mine")).document;
  const reviewed = await review(publisher, plan, row.holds_from);
  const { changes } = reviewed.proposal;
  const stored = new Map(
    (await difference(before, after)).map((change) => [`${change.subject} ${change.key}`, change]),
  );
  const isStored = ({ subject, key, old, new: now }: Change) => {
    const known = stored.get(`${subject} ${key}`);
    return known !== undefined && isSame(known.old, old) && isSame(known.new, now);
  };
  return { ...reviewed, differs: stored.size !== changes.length || !changes.every(isStored) };
}

/**
 * Closes a draft that would no longer change anything. Returns false if another process has changed the draft
 * meanwhile.
 */
export async function dropEmpty({ db, now }: Publisher, row: CatalogueDraftRow): Promise<boolean> {
  const reasons = JSON.stringify(["Nothing was left to change."]);
  return db.transaction().execute(async (trx) => {
    await noteChange(trx, "catalogue");
    const facts = { state: "rejected", reasons, decided_by: "system", decided_at: now(), content: null } as const;
    return changeDraft(trx, row, facts);
  });
}
