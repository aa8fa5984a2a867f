import type { Change } from "../changes/change.ts";
import { CatalogueFault } from "../model/fault.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { type Committed, commit, type Publisher } from "./commit.ts";
import type { About } from "./draft.ts";
import { expectedFor } from "./expected.ts";
import { review } from "./review.ts";
import { publishDue } from "./schedule.ts";

/** How often a publication starts again because other processes published meanwhile. */
const ATTEMPTS = 20;

/** Returns the changes to make on `base`. It runs again if others publish meanwhile, and throws to change nothing. */
export type Plan = (base: Snapshot) => readonly Change[] | Promise<readonly Change[]>;

/** What became of a publication. */
export type PublishOutcome =
  | (Committed & { readonly changes: readonly Change[] })
  | { readonly state: "unchanged"; readonly revision: number };

/**
 * What a publication would change on which revision, and why that would need an approval. Throws a `SizeFault` if the catalogue
 * would become too large.
 */
export async function preview(publisher: Publisher, plan: Plan, { holdsFrom }: Pick<About, "holdsFrom">) {
  const expected = await expectedFor(publisher, holdsFrom);
  const changes = await plan(expected.base);
  const { reasons, tooLarge } = await review(publisher, expected, changes);
  if (tooLarge) throw tooLarge;
  return { changes, reasons, revision: expected.newest.revision };
}

/**
 * Makes one revision of all that the plan changes. Holds the changes for approval if the guard has reasons to, and schedules
 * them if they have a later time. Throws what the plan throws, and a `CatalogueFault` if others publish without a pause.
 */
export async function publish(publisher: Publisher, plan: Plan, about: About): Promise<PublishOutcome> {
  await publishDue(publisher);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { changes, reasons, revision } = await preview(publisher, plan, about);
    if (changes.length === 0) return { state: "unchanged", revision };
    const committed = await commit(publisher, { changes, reasons, base: revision, about });
    if (committed) return { ...committed, changes };
  }
  throw new CatalogueFault("Others publish revisions without a pause: try again later.");
}
