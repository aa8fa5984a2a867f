import type { Kysely } from "kysely";
import type { Tables } from "../../storage/tables.ts";
import { applyChanges, type Change, countsOf } from "../changes/change.ts";
import { reasonsToHold } from "../guard/guard.ts";
import { CatalogueFault } from "../model/fault.ts";
import { listNames } from "../model/lists.ts";
import { countIn, type Snapshot } from "../model/snapshot.ts";
import type { Publisher } from "./commit.ts";
import { withoutDrafts } from "./load.ts";

/** Entries of all lists together, without prices of accounts. Real catalogues have 200 to 3,000. */
const MOST = 20_000;
const DAY = 86_400_000;

/** A revision would make the catalogue larger than it may be. */
export class SizeFault extends CatalogueFault {}

/**
 * Why changes of `base` need an approval, and the fault if the catalogue has no room for them. `base` is the newest revision, or
 * what is expected at a later time.
 */
export async function review(
  { db, now, guard }: Pick<Publisher, "db" | "now" | "guard">,
  newest: Snapshot,
  base: Snapshot,
  changes: readonly Change[],
) {
  const after = await applyChanges(base, changes);
  const { added, removed } = countsOf(changes);
  const earlier = added + removed > 0 ? await dayBefore(db, newest, now()) : newest;
  return { reasons: await reasonsToHold({ base, after, earlier, changes }, guard), tooLarge: sizeFault(after) };
}

function sizeFault(after: Snapshot): SizeFault | undefined {
  const size = listNames.reduce((sum, list) => sum + countIn(after, list), 0);
  if (size <= MOST) return undefined;
  const [made, most] = [size, MOST].map((number) => number.toLocaleString("en"));
  return new SizeFault(
    `This would make ${made} entries, and the catalogue holds at most ${most}: leave out what nobody buys.`,
  );
}

/**
 * The catalogue of a day ago, so that the guard adds up small steps. Later if somebody approved a revision since then: nobody
 * has to approve the same removal twice. Never before the first revision that is kept.
 */
async function dayBefore(db: Kysely<Tables>, newest: Snapshot, now: number): Promise<Snapshot> {
  const revisions = await db
    .selectFrom("catalogue_revision as revision")
    .innerJoin("catalogue_draft as draft", "draft.id", "revision.draft")
    .select(["draft.id", "draft.decided_by"])
    .where("revision.number", "<=", newest.revision)
    .where("revision.number", ">", 1)
    .where("revision.created_at", ">", now - DAY)
    .orderBy("revision.number", "desc")
    .execute();
  const approved = revisions.findIndex(({ decided_by }) => decided_by !== null);
  const since = approved === -1 ? revisions : revisions.slice(0, approved);
  return withoutDrafts(
    db,
    newest,
    since.map(({ id }) => id),
  );
}
