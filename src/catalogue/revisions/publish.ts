import type { Change } from "../changes/change.ts";
import { review } from "../guard/review.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { type Committed, commit, type Publisher } from "./commit.ts";
import { type About, Draft, sweepAbandoned } from "./draft.ts";
import { CatalogueFault } from "./fault.ts";
import { expectedAt, publishDue } from "./schedule.ts";
import { sizeFault } from "./size.ts";

/** How often a publication begins anew because others published meanwhile. */
const ATTEMPTS = 20;

/** What is to be changed, told against what is there. Asked again if others publish meanwhile. Throws to change nothing. */
export type Plan = (base: Snapshot) => readonly Change[] | Promise<readonly Change[]>;

/** What became of a publication. */
export type PublishOutcome =
  | (Committed & { readonly changes: readonly Change[] })
  | { readonly state: "unchanged"; readonly revision: number };

/** What a plan would change, and why that would have to be approved. */
export interface Preview {
  readonly changes: readonly Change[];
  readonly reasons: readonly string[];
  /** The revision that the changes are told against. */
  readonly revision: number;
}

/** Shows what a publication would do, and does nothing. Throws a `SizeFault` if too many entries would be there. */
export async function preview(
  { db, now, latest, guard }: Publisher,
  plan: Plan,
  { holdsFrom }: Pick<About, "holdsFrom">,
): Promise<Preview> {
  const newest = await latest();
  const base = holdsFrom === undefined ? newest : await expectedAt(db, newest, holdsFrom);
  const changes = await plan(base);
  const fault = sizeFault(base, changes);
  if (fault) throw fault;
  const reasons = await review({ db, now, guard }, newest, base, changes);
  return { changes, reasons, revision: newest.revision };
}

/**
 * Makes one revision of all that the plan changes, or nothing: the changes are written as a draft that nobody serves, then
 * published in one short transaction. Changes that the guard does not let pass are held for approval, changes that hold from
 * a later time are scheduled. Throws what the plan throws, and a `CatalogueFault` if others publish without a pause.
 */
export async function publish(publisher: Publisher, plan: Plan, about: About): Promise<PublishOutcome> {
  await publishDue(publisher);
  await sweepAbandoned(publisher.db, publisher.now());
  const draft = new Draft(publisher, about);
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { changes, reasons, revision } = await preview(publisher, plan, about);
      if (changes.length === 0) {
        await draft.discard();
        return { state: "unchanged", revision };
      }
      await draft.write(changes, publisher.progress);
      const settled = await commit(publisher, draft, { changes, reasons, base: revision, about });
      if (settled) return { ...settled, changes };
    }
    throw new CatalogueFault("Others publish revisions without a pause: try again later.");
  } catch (error) {
    // What cannot be removed now is swept by the next publication.
    await draft.discard().catch(() => undefined);
    throw error;
  }
}
