import { type AuditEvent, type DeclaredKind, type FactType, namesProtection } from "../declare/audit-kind.ts";
import type { Confirmation } from "../declare/command/deed.ts";
import { randomText } from "../runtime/random-text.ts";
import { redactNumbers } from "../runtime/redact.ts";
import type { Audit } from "../storage/audited.ts";
import { piecesOf } from "../storage/queries/pieces.ts";
import type { AuditEntryRow } from "../storage/tables.ts";

type Fact = AuditEvent["facts"][string];

const longestText = 200;
const idBytes = 12;

/** Facts that a user interface adds to the entries of its actor. */
export interface BesideFacts {
  /** The author that a person at the terminal names. The field `actor`, not this name, states who acted. */
  author_note?: string | undefined;
  /** What the passkey of the actor signed. */
  confirmation?: Confirmation | undefined;
  /** The fact `protection` of the kinds that have one. */
  protection?: string | undefined;
}

/**
 * Records events in the transaction of the change itself; they are sealed later. Throws for an unknown fact, for an
 * actor that is not a word or a word and an id, and for a value of another type than its fact, which are programming
 * errors. People write the texts, so a text never makes the change fail: runs of ten or more digits become "…", and
 * texts are cut after 200 characters. The events of one call have one time, and ids in their order.
 */
export const append: Audit = appendWith("", {});

/** Like `append`, with these facts in each entry of `actor`. */
export function appendWith(actor: string, beside: BesideFacts): Audit {
  return async (trx, ...events) => {
    const now = Date.now();
    for (const some of piecesOf(
      events.map((event, index) => entryOf(event, now, event.actor === actor ? beside : {}, index)),
    ))
      await trx.insertInto("audit_entry").values(some).execute();
  };
}

/**
 * The unsealed row of an event at `now`, in milliseconds since 1970. `index`: its place among the events of that time.
 */
export function entryOf(
  { kind, types, actor, facts }: AuditEvent,
  now: number,
  beside: BesideFacts = {},
  index = 0,
): AuditEntryRow {
  if (!isActor(actor)) throw new TypeError(`The actor of a ${kind} is not a word, or a word and an id`);
  // Digits before small letters: every collation orders them alike.
  const id = index.toString(36).padStart(4, "0") + randomText(idBytes);
  const { protection } = beside;
  const all = protection !== undefined && namesProtection({ kind, types }) ? { protection, ...facts } : facts;
  const text = JSON.stringify({ ...checkedFacts({ kind, types }, all), ...notesOf(beside) });
  return { id, occurred_at: now, kind, actor, facts: text, batch: null, position: 0 };
}

function notesOf({ author_note, confirmation }: BesideFacts): Omit<BesideFacts, "protection"> {
  return {
    ...(author_note !== undefined && { author_note: bounded(author_note) }),
    ...(confirmation && { confirmation }),
  };
}

/** Returns the facts in the order in which their kind declares them. No error message contains a value. */
function checkedFacts({ kind, types }: DeclaredKind, facts: AuditEvent["facts"]): AuditEvent["facts"] {
  const unknown = Object.keys(facts).find((name) => !Object.hasOwn(types, name));
  if (unknown !== undefined) throw new TypeError(`A ${kind} in the audit trail has no fact "${unknown}"`);
  const checked: AuditEvent["facts"] = {};
  for (const [name, type] of Object.entries(types)) {
    const value = facts[name];
    if (value === undefined) continue;
    if (value !== null && !fits[type](value)) throw new TypeError(`The fact ${name} of a ${kind} is not a ${type}`);
    checked[name] = type === "text" && value !== null ? bounded(String(value)) : value;
  }
  return checked;
}

const fits: Record<FactType, (value: Fact) => boolean> = {
  reference: (value) => typeof value === "string" && /^[!-~]{1,128}$/.test(value) && !isSomebodysNumber(value),
  text: (value) => typeof value === "string",
  number: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 1e9,
  place: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  flag: (value) => typeof value === "boolean",
  time: (value) => Number.isInteger(value) && Number(value) >= 1e12 && Number(value) < 1e15,
};

function isActor(text: string): boolean {
  const parts = /^[a-z]+(?::([!-~]{1,64}))?$/.exec(text);
  return parts !== null && !isSomebodysNumber(parts[1] ?? "");
}

/** Whether a whole BVN or phone number stands in place of an id. */
function isSomebodysNumber(text: string): boolean {
  return /^\+?\d{10,14}$/.test(text);
}

function bounded(text: string): string {
  const masked = redactNumbers(text);
  return masked.length <= longestText ? masked : `${masked.slice(0, longestText - 1)}…`;
}
