import { entriesOf, factsIn } from "../../audit/read.ts";
import type { Db } from "../../storage/tables.ts";

/** Milliseconds since 1970; `to` is exclusive. */
export interface Period {
  from: number;
  to: number;
}

/** One entry of the audit trail, with its facts. */
export interface TrailEntry {
  at: number;
  kind: string;
  /** The id of a person of the console, else `terminal` or `system`: no name and no e-mail. */
  by: string;
  facts: Readonly<Record<string, unknown>>;
}

/** Kinds of entries by the subject that they prove. */
const kindsOf = {
  people: ["person.invited", "person.registered", "person.changed", "person.removed"],
  subjects: ["subject.exported", "subject.erased"],
  swept: ["retention.swept"],
  measures: ["store.backed_up", "store.restored", "keyring.rotated", "keyring.retired"],
  incidents: ["alarm.acknowledged", "protection.loosened", "route.paused", "store.restored", "clock.accepted"],
} as const;

export type TrailPart = keyof typeof kindsOf;

/** The entries of a part before `until`, oldest first. */
export async function readTrail(db: Db, part: TrailPart, until: number): Promise<TrailEntry[]> {
  const found: TrailEntry[] = [];
  for await (const { occurred_at, kind, actor, facts } of entriesOf(db, kindsOf[part], until))
    found.push({ at: occurred_at, kind, by: byOf(actor), facts: factsIn(facts) });
  return found.sort((one, other) => one.at - other.at);
}

/** Returns who acted. Leaves out `person:`, because answers show an e-mail in place of `person:` and an id. */
function byOf(actor: string): string {
  return actor.startsWith("person:") ? actor.slice("person:".length) : actor.split(":")[0]!;
}

/** An access that a person had. */
export interface HadAccess {
  who: string;
  what: string;
  from: number;
  /** Null: the access goes on. */
  until: number | null;
  by: string;
}

/** Derives from the trail which role each person had in the console, and from when to when. */
export function rolesOf(entries: readonly TrailEntry[]): HadAccess[] {
  const had: HadAccess[] = [];
  const open = new Map<string, HadAccess>();
  for (const { at, kind, by, facts } of entries) {
    const who = String(facts.person);
    const before = open.get(who);
    // An invitation gives no access before the person registers. A later invitation only changes the role.
    if (kind === "person.invited" && !before) continue;
    if (before && facts.role === before.what) continue;
    if (before) before.until = at;
    open.delete(who);
    if (kind === "person.removed" || facts.role === undefined) continue;
    const next: HadAccess = { who, what: String(facts.role), from: at, until: null, by };
    open.set(who, next);
    had.push(next);
  }
  return had;
}
