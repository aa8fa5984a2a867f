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
 * The changes as they are against another snapshot than the one they were made for. Of an entry that is modified, only the
 * members that the change touches are set. What is already so is left out; so is what would bring back a removed entry, or
 * belong to one.
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

/** Undefined: nothing to be done. */
function stateOn(present: EntryState | null, { old, new: wanted }: Change): EntryState | null | undefined {
  if (wanted === null) return null;
  if (present === null) return old === null ? wanted : undefined;
  if (old === null) return { position: present.position, content: wanted.content };
  const position = old.position === wanted.position ? present.position : wanted.position;
  const touched = differingMembers(old.content, wanted.content);
  return { position, content: withMembers(present.content, wanted.content, touched) };
}

function withMembers(content: EntryContent, source: EntryContent, names: readonly string[]): EntryContent {
  return { ...content, ...Object.fromEntries(names.map((name) => [name, source[name]!])) };
}

/** An entry that an undoing leaves as it is, and why. */
export interface SkippedEntry {
  readonly subject: Subject;
  readonly name: string;
  readonly reason: string;
}

/**
 * Changes that undo others on a later snapshot, member by member: what was changed again since is left as it is, and told.
 */
export async function undo(
  base: Snapshot,
  changes: readonly Change[],
): Promise<{ changes: Change[]; left: readonly SkippedEntry[] }> {
  const pause = pacer();
  const undone: Change[] = [];
  const left: SkippedEntry[] = [];
  const leave = ({ subject, old, new: made, key }: Change, reason: string) =>
    void left.push({ subject, name: subject === "prices" ? key : nameOf(subject, (made ?? old)!.content), reason });
  for (const change of changes) {
    await pause();
    const { subject, key, old, new: made } = change;
    const present = itemIn(base, subject, key) ?? null;
    const touched = made === null ? [] : differingMembers(old?.content ?? {}, made.content);
    const again = touched.filter((name) => present?.content[name] !== made?.content[name]);
    if (made === null && present !== null) leave(change, "was added again since");
    else if (made !== null && present === null) leave(change, "was removed since");
    else if (again.length > 0) leave(change, `was changed again since: ${again.join(", ")}`);
    const state = stateBefore(present, change, again);
    if (state !== undefined && !isSame(present, state)) undone.push({ subject, key, old: present, new: state });
  }
  const kept = await fitting(base, undone);
  const keys = new Set(kept.map(({ subject, key }) => `${subject} ${key}`));
  for (const change of undone)
    if (!keys.has(`${change.subject} ${change.key}`))
      leave(change, change.new === null ? "others belong to it since" : "what it belongs to is gone");
  return { changes: kept, left };
}

/** Undefined: left as it is. `again` names the members that were changed again. */
function stateBefore(
  present: EntryState | null,
  { old, new: made }: Change,
  again: readonly string[],
): EntryState | null | undefined {
  if (made === null) return present === null ? old : undefined;
  if (present === null) return undefined;
  if (old === null) return again.length === 0 ? null : undefined;
  const back = differingMembers(old.content, made.content).filter((name) => !again.includes(name));
  const position = present.position === made.position ? old.position : present.position;
  return { position, content: withMembers(present.content, old.content, back) };
}

/** The changes that fit: none belongs to nothing or leaves others behind, each has a position and an id of its own. */
async function fitting(base: Snapshot, changes: readonly Change[]): Promise<Change[]> {
  const after = await applyChanges(base, changes);
  const kept = changes.filter((change) => !leavesOrphans(after, change) && !isOrphan(after, change));
  // What is left out may be what others belonged to.
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
