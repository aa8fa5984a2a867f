import { pacer } from "../../runtime/pace.ts";
import {
  childrenOf,
  type EntryContent,
  groupOf,
  type ListName,
  nameOf,
  parentOf,
  type Subject,
} from "../model/lists.ts";
import { type EntryState, groupIn, inOrder, itemIn, type Snapshot } from "../model/snapshot.ts";
import { applyChanges, type Change, differingMembers, isSame } from "./change.ts";

/**
 * The changes, made for another snapshot, as they apply to `base`. Sets only the members that a change touches. Drops changes
 * that `base` has already, that would bring back a removed entry, or that have lost their parent.
 */
export async function rebase(base: Snapshot, changes: readonly Change[]): Promise<Change[]> {
  const pause = pacer();
  const kept: Change[] = [];
  for (const change of changes) {
    await pause();
    const { subject, key } = change;
    const present = itemIn(base, subject, key) ?? null;
    const state = stateOn(present, change);
    if (state !== undefined && !isSame(present, state)) kept.push({ subject, key, old: present, new: state });
  }
  return fitting(base, kept);
}

/** Undefined: the change no longer applies. */
function stateOn(present: EntryState | null, { old, new: wanted }: Change): EntryState | null | undefined {
  if (wanted === null) return null;
  if (present === null) return old === null ? wanted : undefined;
  if (old === null) return { position: present.position, content: wanted.content };
  const position = old.position === wanted.position ? present.position : wanted.position;
  const touched = differingMembers(old.content, wanted.content);
  return { position, content: withMembers(present.content, wanted.content, touched) };
}

/** `content` with the members of these names as `source` has them. */
export function withMembers(content: EntryContent, source: EntryContent, names: readonly string[]): EntryContent {
  return { ...content, ...Object.fromEntries(names.map((name) => [name, source[name]!])) };
}

/** An entry that `undo` does not change. */
export interface SkippedEntry {
  readonly subject: Subject;
  readonly name: string;
  readonly reason: string;
}

/** Changes that undo others, member by member. Skips the members that changed again since. */
export async function undo(
  base: Snapshot,
  changes: readonly Change[],
): Promise<{ changes: Change[]; left: readonly SkippedEntry[] }> {
  const pause = pacer();
  const inverted: Change[] = [];
  const left: SkippedEntry[] = [];
  const leave = ({ subject, old, new: made, key }: Change, reason: string) =>
    void left.push({ subject, name: subject === "prices" ? key : nameOf(subject, (made ?? old)!.content), reason });
  for (const change of changes) {
    await pause();
    const { subject, key, old, new: made } = change;
    const present = itemIn(base, subject, key) ?? null;
    if (made === null || present === null) {
      if (made === null && present === null) inverted.push({ subject, key, old: null, new: old });
      else leave(change, made === null ? "was added again since" : "was removed since");
      continue;
    }
    const touched = differingMembers(old?.content ?? {}, made.content);
    const again = touched.filter((name) => present.content[name] !== made.content[name]);
    if (again.length > 0) leave(change, `was changed again since: ${again.join(", ")}`);
    if (old === null && again.length > 0) continue;
    const position = present.position === made.position ? old?.position : made.position;
    const back = old && { position: position!, content: withMembers(old.content, made.content, again) };
    if (!isSame(made, back)) inverted.push({ subject, key, old: made, new: back });
  }
  return { changes: await rebaseTold(base, inverted, leave), left };
}

/** As `rebase`, and tells which of the changes `base` has no room for. */
export async function rebaseTold(
  base: Snapshot,
  changes: readonly Change[],
  leave: (change: Change, reason: string) => void,
): Promise<Change[]> {
  const kept = await rebase(base, changes);
  const keys = new Set(kept.map(({ subject, key }) => `${subject} ${key}`));
  for (const change of changes)
    if (!keys.has(`${change.subject} ${change.key}`))
      leave(change, change.new === null ? "others belong to it since" : "what it belongs to is gone");
  return kept;
}

/** Keeps the changes that orphan no entry, and gives each its own position and id. */
async function fitting(base: Snapshot, changes: readonly Change[]): Promise<Change[]> {
  const after = await applyChanges(base, changes);
  const kept = changes.filter((change) => !leavesOrphans(after, change) && !isOrphan(after, change));
  // A dropped entry may be the parent of another one.
  if (kept.length < changes.length) return fitting(base, kept);
  return withOwnIds(after, withOwnPositions(after, changes));
}

function leavesOrphans(after: Snapshot, { subject, key, new: state }: Change): boolean {
  if (subject === "prices" || state !== null) return false;
  return childrenOf(subject).some((child) => groupIn(after, child, key).length > 0);
}

function isOrphan(after: Snapshot, { subject, key, new: state }: Change): boolean {
  const parent = subject === "prices" ? undefined : parentOf(subject);
  return state !== null && parent !== undefined && itemIn(after, parent, groupOf(subject, key)) === undefined;
}

function withOwnPositions(after: Snapshot, changes: readonly Change[]): Change[] {
  const taken = new Map<readonly object[], Set<number>>();
  return changes.map((change) => {
    const { subject, key, old, new: state } = change;
    if (state === null || old?.position === state.position || subject === "prices") return change;
    const group = groupIn(after, subject, groupOf(subject, key));
    if (group.every((item) => item.key === key || item.position !== state.position)) return change;
    const positions = taken.get(group) ?? new Set(group.map(({ position }) => position));
    taken.set(group, positions);
    return { ...change, new: { ...state, position: firstFree(positions, state.position) } };
  });
}

/** If another entry will have the id of a new entry, the new one gets the next free id. */
function withOwnIds(after: Snapshot, changes: readonly Change[]): Change[] {
  const isBringing = ({ old, new: state }: Change) =>
    state?.content.id !== undefined && state.content.id !== old?.content.id;
  const taken = new Map<Subject, Set<number>>();
  for (const [subject, brought] of Map.groupBy(changes.filter(isBringing), (change) => change.subject as ListName)) {
    const keys = new Set(brought.map(({ key }) => key));
    const others = [...inOrder(after, subject)].filter(({ key }) => !keys.has(key));
    taken.set(subject, new Set(others.map(({ content }) => Number(content.id))));
  }
  return changes.map((change) => {
    if (!isBringing(change)) return change;
    const { position, content } = change.new!;
    const id = firstFree(taken.get(change.subject)!, Number(content.id));
    return { ...change, new: { position, content: { ...content, id } } };
  });
}

/** The first number from `wanted` on that is not taken; takes it. */
function firstFree(taken: Set<number>, wanted: number): number {
  let free = wanted;
  while (taken.has(free)) free += 1;
  taken.add(free);
  return free;
}
