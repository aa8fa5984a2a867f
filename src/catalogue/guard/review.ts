import { applyChanges, type Change } from "../changes/change.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Publisher } from "../revisions/commit.ts";
import { dayBefore } from "./day-before.ts";
import { reasonsToHold } from "./guard.ts";

/** Why the changes of a base have to be approved, in sentences; none if they may be published. */
export async function review(
  { db, now, guard }: Pick<Publisher, "db" | "now" | "guard">,
  newest: Snapshot,
  base: Snapshot,
  changes: readonly Change[],
): Promise<string[]> {
  const after = await applyChanges(base, changes);
  const comesOrGoes = changes.some(({ old, new: state }) => old === null || state === null);
  const earlier = comesOrGoes ? await dayBefore(db, newest, now()) : newest;
  return reasonsToHold({ base, after, earlier, changes }, guard);
}
