import { pacer } from "../../runtime/pace.ts";
import { type EntryContent, type ListName, nameOf } from "../model/lists.ts";
import { type EntryState, itemIn, type Snapshot } from "../model/snapshot.ts";
import { type Change, differingMembers, isSame } from "./change.ts";
import { rebaseTold, withMembers } from "./rebase.ts";

/** An entry, or members of one, that a merge leaves as others made it. */
export interface Conflict {
  readonly list: ListName;
  readonly name: string;
  /** Follows the name. */
  readonly reason: string;
  /** The members that were changed on both sides. */
  readonly members: readonly string[];
  /** As the file has the entry, and as the catalogue has it now; null: it does not. */
  readonly wanted: EntryContent | null;
  readonly present: EntryContent | null;
}

/**
 * Applies the changes of a file, made for an older snapshot, to `base`, member by member. If both sides changed a member to
 * different values, `base` keeps its own, and the result names the member.
 */
export async function merge(
  base: Snapshot,
  changes: readonly Change[],
): Promise<{ changes: Change[]; conflicts: readonly Conflict[] }> {
  const pause = pacer();
  const own: Change[] = [];
  const conflicts: Conflict[] = [];
  const leave = (change: Change, reason: string, members: readonly string[] = []) => {
    const [list, wanted] = [change.subject as ListName, change.new?.content ?? null];
    const present = itemIn(base, list, change.key)?.content ?? null;
    conflicts.push({ list, name: nameOf(list, (wanted ?? change.old?.content)!), reason, members, wanted, present });
  };
  for (const change of changes) {
    await pause();
    const { subject, key, old, new: made } = change;
    const present = itemIn(base, subject, key) ?? null;
    if (present === null) {
      if (old === null) own.push(change);
      else if (made !== null) leave(change, "was removed since");
    } else if (made === null) {
      const theirs = differingMembers(old!.content, present.content);
      if (theirs.length === 0) own.push(change);
      else leave(change, `is not in the file, and was changed since: ${theirs.join(", ")}`);
    } else {
      const both = bothChanged(old?.content, made.content, present.content);
      if (both.length > 0) leave(change, old === null ? "was added on both sides" : "was changed on both sides", both);
      if (old === null) continue;
      const rest = { position: made.position, content: withMembers(made.content, old.content, both) };
      if (!isSame(old, rest) && !isThere(old, rest, present)) own.push({ ...change, new: rest });
    }
  }
  return { changes: await rebaseTold(base, own, leave), conflicts };
}

/** The members that have another value on each of the three sides. A new entry without an id gets any free one. */
function bothChanged(old: EntryContent | undefined, made: EntryContent, present: EntryContent): string[] {
  const names = differingMembers(old ?? {}, made).filter((name) => old || name !== "id");
  return names.filter((name) => present[name] !== made[name] && present[name] !== old?.[name]);
}

/** Whether others have made the same change. */
function isThere(old: EntryState, made: EntryState, present: EntryState): boolean {
  const isPlaced = made.position === old.position || made.position === present.position;
  return (
    isPlaced &&
    differingMembers(old.content, made.content).every((name) => present.content[name] === made.content[name])
  );
}
