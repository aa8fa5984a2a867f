import { lockCounter, noteChange } from "../../storage/change-counter.ts";
import type { CatalogueDraftRow } from "../../storage/tables.ts";
import { catalogueTrail } from "../catalogue-trail.ts";
import { type Change, countsOf } from "../document/difference.ts";
import { packedDifference } from "../document/document-text.ts";
import { CatalogueError } from "../model/catalogue-error.ts";
import { type Committed, commit } from "./commit.ts";
import { aboutOf, changeDraft, draftName, findDraft, type SeenDraft } from "./draft.ts";
import type { Publisher } from "./expected.ts";
import { changesOf } from "./load.ts";
import { dropEmpty, mergeDraft, publishDue } from "./schedule.ts";

/** The result of an approval. */
export type Approval = (Committed & { readonly changes: readonly Change[] }) | Overtaken;

/**
 * Why a draft differs from the one that the person saw. `recomputed`: the draft now has other changes, under a new
 * version.
 */
type Overtaken =
  | {
      readonly state: "recomputed";
      readonly seen: SeenDraft;
      readonly changes: readonly Change[];
      readonly reasons: readonly string[];
    }
  | { readonly state: "empty" };

/** The changes that an approval of a draft would publish. */
interface Approvable {
  readonly state: "ready";
  readonly row: CatalogueDraftRow;
  readonly proposal: Awaited<ReturnType<typeof mergeDraft>>["proposal"];
}

/**
 * The changes that an approval would publish. A draft whose changes would differ in today's catalogue is first stored
 * with the new changes. A draft without changes is closed. Throws the errors of `approve`.
 */
export async function checkApproval(publisher: Publisher, id: number, version = 1): Promise<Approvable | Overtaken> {
  const { db } = publisher;
  await publishDue(publisher);
  for (;;) {
    const row = await findDraft(db, id);
    if (row.state !== "held")
      throw new CatalogueError(`Draft d${id} is ${row.state}: only what is held can be approved.`);
    if (row.version < version)
      throw new CatalogueError(`There is no ${draftName({ id, version })}: the draft is ${draftName(row)}.`);
    if (row.version > version)
      return { state: "recomputed", seen: row, changes: await changesOf(db, id), reasons: JSON.parse(row.reasons) };
    const { proposal, tooLarge, differs } = await mergeDraft(publisher, row);
    const { expected, document, changes, reasons } = proposal;
    if (tooLarge) throw tooLarge;
    if (changes.length === 0) {
      if (await dropEmpty(publisher, row)) return { state: "empty" };
    } else if (differs) {
      const facts = {
        ...({ state: "held", version: version + 1, base: expected.newest.revision } as const),
        reasons: JSON.stringify(reasons),
        ...countsOf(changes),
        content: await packedDifference(expected.base, document),
      };
      const isStored = await db.transaction().execute(async (trx) => {
        await lockCounter(trx, "catalogue");
        return changeDraft(trx, row, facts);
      });
      if (isStored) return { state: "recomputed", seen: { id, version: version + 1 }, changes, reasons };
    } else return { state: "ready", row, proposal };
  }
}

/**
 * Publishes a held draft, or schedules it if its time has not come. If today's catalogue gives other changes than the
 * person saw, the draft stays held, and the result has the new changes; if it gives none, the draft is closed.
 * `version`: the version that the person saw. Throws a `CatalogueError` if the draft is not held, if it has no such
 * version, or if the catalogue has no room for it.
 */
export async function approve(publisher: Publisher, id: number, by: string, version = 1): Promise<Approval> {
  for (;;) {
    const found = await checkApproval(publisher, id, version);
    if (found.state !== "ready") return found;
    const { row, proposal } = found;
    const committed = await commit(publisher, { ...proposal, about: aboutOf(row), stored: row, approvedBy: by });
    if (committed) return { ...committed, changes: proposal.changes };
  }
}

/**
 * Closes a held or scheduled draft: removes its content and keeps its row. Throws a `CatalogueError` for any other
 * draft.
 */
export async function reject({ db, now, audit, actor }: Publisher, id: number, by: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await noteChange(trx, "catalogue");
    const row = await findDraft(trx, id);
    if (row.state !== "held" && row.state !== "scheduled")
      throw new CatalogueError(`Draft d${id} is ${row.state}: only what is held or scheduled can be rejected.`);
    await changeDraft(trx, row, { state: "rejected", decided_by: by, decided_at: now(), content: null });
    const facts = { draft: id, author: by, source: row.source, note: row.note };
    await audit(trx, catalogueTrail.rejected(actor, facts));
  });
}
