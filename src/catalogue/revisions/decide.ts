import { lockCounter, noteChange } from "../../storage/change-counter.ts";
import type { Change } from "../changes/change.ts";
import { CatalogueFault } from "../model/fault.ts";
import { type Committed, commit, type Publisher } from "./commit.ts";
import { aboutOf, changeDraft, findDraft, removeChanges } from "./draft.ts";
import { dropEmpty, publishDue, rebaseDraft } from "./schedule.ts";

/** What became of an approval. `recomputed`: the draft has other changes now, which nobody has seen yet. */
export type Approval =
  | (Committed & { readonly changes: readonly Change[] })
  | { readonly state: "recomputed"; readonly changes: readonly Change[]; readonly reasons: readonly string[] }
  | { readonly state: "empty" };

/**
 * Publishes a held draft, or schedules it if its time is still to come. If the catalogue has changed so that the draft would
 * make other changes, stores these and keeps the draft held. Throws a `CatalogueFault` if the draft is not held, or if the
 * catalogue has no room for it.
 */
export async function approve(publisher: Publisher, id: number, by: string): Promise<Approval> {
  const { db } = publisher;
  await publishDue(publisher);
  const seen = await findDraft(db, id);
  for (;;) {
    const row = await findDraft(db, id);
    if (row.state !== "held")
      throw new CatalogueFault(`Draft d${id} is ${row.state}: only what is held can be approved.`);
    if (row.base !== seen.base)
      throw new CatalogueFault(
        `Somebody else approved d${id} at the same time, and it has other changes now: look again.`,
      );
    const { base, changes, reasons, tooLarge, differs } = await rebaseDraft(publisher, row);
    if (tooLarge) throw tooLarge;
    if (changes.length === 0) {
      if (await dropEmpty(publisher, row)) return { state: "empty" };
    } else if (differs) {
      const facts = { state: "held", base, reasons: JSON.stringify(reasons) } as const;
      const isStored = await db.transaction().execute(async (trx) => {
        await lockCounter(trx, "catalogue");
        return changeDraft(trx, row, facts, changes);
      });
      if (isStored) return { state: "recomputed", changes, reasons };
    } else {
      const request = { changes, reasons, base, about: aboutOf(row), stored: row, approvedBy: by };
      const committed = await commit(publisher, request);
      if (committed) return { ...committed, changes };
    }
  }
}

/** Closes a held or scheduled draft: removes its changes and keeps its row. Throws a `CatalogueFault` for any other draft. */
export async function reject({ db, now, audit, actor }: Publisher, id: number, by: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await noteChange(trx, "catalogue");
    const row = await findDraft(trx, id);
    if (row.state !== "held" && row.state !== "scheduled")
      throw new CatalogueFault(`Draft d${id} is ${row.state}: only what is held or scheduled can be rejected.`);
    await changeDraft(trx, row, { state: "rejected", decided_by: by, decided_at: now() });
    await removeChanges(trx, id);
    const facts = { draft: id, author: by, source: row.source, note: row.note };
    await audit(trx, { kind: "catalogue.rejected", actor, facts });
  });
}
