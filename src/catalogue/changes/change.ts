import { pacer } from "../../runtime/pace.ts";
import { type EntryContent, type Subject, subjects } from "../model/lists.ts";
import { Edit, type EntryState, type Snapshot } from "../model/snapshot.ts";

/** Change of one entry. Without an old state it is added, without a new one removed. */
export interface Change {
  readonly subject: Subject;
  readonly key: string;
  readonly old: EntryState | null;
  readonly new: EntryState | null;
}

export type ChangeKind = "added" | "modified" | "removed";

export function changeKindOf(change: Pick<Change, "old" | "new">): ChangeKind {
  return change.old === null ? "added" : change.new === null ? "removed" : "modified";
}

export type Counts = Record<ChangeKind, number>;

export function countsOf(changes: readonly Change[]): Counts {
  const counts = { added: 0, modified: 0, removed: 0 };
  for (const change of changes) counts[changeKindOf(change)] += 1;
  return counts;
}

/** The members in which two contents differ. */
export function differingMembers(one: EntryContent, other: EntryContent): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => one[name] !== other[name]);
}

export function isSame(one: EntryState | null, other: EntryState | null): boolean {
  if (one === null || other === null) return one === other;
  return one.position === other.position && differingMembers(one.content, other.content).length === 0;
}

/** The snapshot with the changes applied, to review them before they are published. */
export async function applyChanges(base: Snapshot, changes: readonly Change[]): Promise<Snapshot> {
  const edit = new Edit(base);
  await edit.apply(changes, "new");
  return edit.finish(base);
}

/** The changes from one snapshot to the other. Skips the groups that they share. */
export async function changesBetween(from: Snapshot, to: Snapshot): Promise<Change[]> {
  const pause = pacer();
  const changes: Change[] = [];
  for (const subject of subjects) {
    const [before, after] = [from.groups[subject], to.groups[subject]];
    if (before === after) continue;
    for (const group of new Set([...before.keys(), ...after.keys()])) {
      const [olds, news] = [before.get(group) ?? [], after.get(group) ?? []];
      if (olds === news) continue;
      const left = new Map(olds.map((item) => [item.key, item]));
      for (const item of news) {
        const old = left.get(item.key) ?? null;
        left.delete(item.key);
        if (!isSame(old, item)) changes.push({ subject, key: item.key, old, new: item });
      }
      for (const old of left.values()) changes.push({ subject, key: old.key, old, new: null });
      await pause();
    }
  }
  return changes;
}
