import type { Change } from "../document/difference.ts";
import { CatalogueError } from "../model/catalogue-error.ts";
import { type Committed, commit } from "./commit.ts";
import type { About } from "./draft.ts";
import type { Publisher } from "./expected.ts";
import { type Plan, review } from "./review.ts";
import { publishDue } from "./schedule.ts";

/** How often a publication is tried at most, because other processes may publish meanwhile. */
const ATTEMPTS = 20;

/** The result of a publication. */
export type PublishOutcome =
  | (Committed & { readonly changes: readonly Change[] })
  | { readonly state: "unchanged"; readonly revision: number };

/**
 * The changes of a publication, the revision on which they build, and the reasons for an approval. Throws a `SizeError`
 * if the catalogue would become too large.
 */
export async function preview(publisher: Publisher, plan: Plan, { holdsFrom }: Pick<About, "holdsFrom">) {
  const { proposal, tooLarge } = await review(publisher, plan, holdsFrom);
  if (tooLarge) throw tooLarge;
  return proposal;
}

/**
 * Publishes all changes of the plan as one revision. Holds the changes for approval if the guard has reasons, and
 * schedules them if their time is later. Throws the errors of the plan, and a `CatalogueError` if other processes
 * publish without a pause.
 */
export async function publish(publisher: Publisher, plan: Plan, about: About): Promise<PublishOutcome> {
  await publishDue(publisher);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const proposal = await preview(publisher, plan, about);
    const { changes, expected } = proposal;
    if (changes.length === 0) return { state: "unchanged", revision: expected.newest.revision };
    const committed = await commit(publisher, { ...proposal, about });
    if (committed) return { ...committed, changes };
  }
  throw new CatalogueError("Others publish revisions without a pause: try again later.");
}
