import { noteChange } from "../../storage/change-counter.ts";
import { type Change, countsOf } from "../changes/change.ts";
import { type Committed, commit, type Publisher } from "./commit.ts";
import { aboutOf, Draft, findDraft, removeChanges } from "./draft.ts";
import { CatalogueFault } from "./fault.ts";
import { dropEmpty, publishDue, rebaseDraft } from "./schedule.ts";

/** What became of an approval. `recomputed`: what was held is another difference now, which nobody has seen yet. */
export type Approval =
  | (Committed & {
      readonly changes: readonly Change[];
      /** The revision that the changes were told against before. */
      readonly heldSince: number;
    })
  | { readonly state: "recomputed"; readonly changes: readonly Change[]; readonly reasons: readonly string[] }
  | { readonly state: "empty" };

/**
 * Publishes what is held, or schedules it if its time is still to come. If the catalogue was changed since so that the
 * difference is another one, the difference is told anew and stays held. Throws a `CatalogueFault` if nothing is held by
 * this id, or if the catalogue has no room for it.
 */
export async function approve(publisher: Publisher, id: number, by: string): Promise<Approval> {
  const { db } = publisher;
  await publishDue(publisher);
  for (;;) {
    const row = await findDraft(db, id);
    if (row.state !== "held")
      throw new CatalogueFault(`Draft d${id} is ${row.state}: only what is held can be approved.`);
    const { draft, base, changes, reasons, tooLarge, differs } = await rebaseDraft(publisher, row);
    if (tooLarge) throw tooLarge;
    if (changes.length === 0) {
      await dropEmpty(publisher, draft);
      return { state: "empty" };
    }
    if (differs) {
      const facts = { ...countsOf(changes), base, reasons: JSON.stringify(reasons) };
      await db.transaction().execute((trx) => draft.set(trx, facts));
      return { state: "recomputed", changes, reasons };
    }
    const settled = await commit(publisher, draft, { changes, reasons, base, about: aboutOf(row), approvedBy: by });
    if (settled) return { ...settled, changes, heldSince: row.base };
  }
}

/** Ends what is held or scheduled. Its changes are thrown away, its line stays. Throws a `CatalogueFault` for all else. */
export async function reject(publisher: Publisher, id: number, by: string): Promise<void> {
  const { db, now, audit, actor } = publisher;
  const row = await findDraft(db, id);
  if (row.state !== "held" && row.state !== "scheduled")
    throw new CatalogueFault(`Draft d${id} is ${row.state}: only what is held or scheduled can be rejected.`);
  const draft = Draft.stored(publisher, row, []);
  const { source, note } = row;
  await db.transaction().execute(async (trx) => {
    await draft.set(trx, { state: "rejected", decided_by: by, decided_at: now() });
    await noteChange(trx, "catalogue");
    const facts = { draft: id, author: by, source, note };
    await audit(trx, { kind: "catalogue.rejected", actor, facts });
  });
  await removeChanges(db, id);
}
