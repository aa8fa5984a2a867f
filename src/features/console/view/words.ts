import { forEachKind, labelOf } from "../../../declare/check-kind.ts";
import type { RecordMember, Table, TableColumn } from "../../../declare/command/answer-table.ts";
import type { Mend, MendWithLine } from "../../../declare/command/mend.ts";
import type { Named, RichText } from "../../../declare/command/rich-text.ts";
import { eventText } from "../../../declare/event.ts";
import { failures } from "../../../declare/failures.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import { isDay, isMonth, monthName, shortDay } from "../../../runtime/time-zone.ts";
import { vendors, vendorTitle } from "../../../vendors/registry.ts";

/** Names of accounts, people, keys and the API's operations, by e-mail or id. */
export type Names = ReadonlyMap<string, string>;

/**
 * Renders a text. A command line without arguments in the text, such as `duba keys list`, becomes a link to the page
 * that does the same, if the site has one.
 */
export interface Say {
  (text: string | RichText): Html;
  /** Renders a mend: a link to its page, or its command line, or nothing. */
  mend(mend: Mend | MendWithLine): Html;
  /** Returns the text as plain text, without links. */
  words(said: RichText): string;
}

/** Renders links to several mends. */
export function mendLinks(mends: readonly Mend[] = [], say: Say): Html {
  return html`${mends.map((mend) => html`${say.mend(mend)} `)}`;
}

/** Names of vendors and kinds of check for people. */
const spelled: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["sandbox", ...vendors.map(({ name }) => name)].map((name) => [name, vendorTitle(name)])),
  ...forEachKind((kind) => kind, labelOf),
};

/** Texts for states whose stored word is not clear. */
const states: Readonly<Record<string, string>> = {
  unknown: "no outcome",
  held: "waits for approval",
  phone_mismatch: "other phone",
  ready: "serves",
  half_open: "tries the next call",
};

/** Actors without a personal name. */
const actors: Readonly<Record<string, string>> = { system: "Duba", terminal: "the terminal" };

const places = ["first", "second", "third"];

/** Texts for values that are unclear without the member's name. */
const wordsWithName: Readonly<Record<string, string>> = {
  "answers full": "whole record",
  "answers masked": "masked record",
};

/** Returns the name of a thing in a sentence. */
export function wordFor(named: Exclude<Named, { time: number }>, names: Names): string {
  if ("vendor" in named) return spelled[named.vendor] ?? named.vendor;
  if ("check" in named) return labelOf(named.check);
  if ("account" in named) return names.get(named.account) ?? named.account;
  if ("key" in named) return names.get(named.key) ?? named.key;
  return actorName(named.actor, names);
}

/** Returns the name of an account, a person, a key, an actor or a vendor. */
export function calledName(name: string, names: Names): string {
  return names.get(name) ?? spelled[name] ?? actorName(name, names);
}

/** Returns an actor's name. `actor`: `person:per_…`, an e-mail, `key:…`, `terminal:ada` or `system`. */
function actorName(actor: string, names: Names): string {
  const [, sort, who = ""] = /^(terminal|key):(.+)$/.exec(actor) ?? [];
  if (sort === "terminal") return `${who} at the terminal`;
  if (sort === "key") return `key ${names.get(who) ?? who}`;
  return names.get(actor) ?? actors[actor] ?? actor;
}

/** Whether a text is a failure code, which clients quote unchanged. */
export function isCode(text: string): boolean {
  return Object.hasOwn(failures, text);
}

/** Returns a member's text for people. */
export function wordOf({ name, shows, text }: Pick<RecordMember, "name" | "shows" | "text">, names: Names): string {
  if ((shows === "account" && name !== "email") || name === "key_id" || name === "group")
    return isDay(text) ? shortDay(text) : calledName(text, names);
  // An id, an e-mail and a name are three different facts.
  if (name === "id" || name === "account_id" || name === "email") return text;
  if (name === "place") return places[Number(text) - 1] ?? `${text}th`;
  if (Object.hasOwn(wordsWithName, `${name} ${text}`)) return wordsWithName[`${name} ${text}`]!;
  if (name === "list") return text.replace("-", " ");
  if (name === "operation") return names.get(text) ?? text;
  if (shows === "event") return eventText(text);
  if (shows === "digits") return text.replace(/^\*+/, "ending ");
  if (shows !== "state" && shows !== "text") return text;
  if (shows === "state" && Object.hasOwn(states, text)) return states[text]!;
  if (Object.hasOwn(spelled, text)) return spelled[text]!;
  if (isDay(text)) return shortDay(text);
  if (isMonth(text)) return monthName(text);
  return /^[a-z\d]+(?:_[a-z\d]+)+$/.test(text) && !isCode(text) ? text.replaceAll("_", " ") : text;
}

/** Returns the text of a member with several values. */
export function wordsOf(member: Pick<RecordMember, "name" | "shows" | "text" | "value">, names: Names): string {
  const { value } = member;
  if (member.shows === "richText" && Array.isArray(value)) return saidText(value, member.text, names);
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) return wordOf(member, names);
  return value.length === 0 ? member.text : value.map((text) => wordOf({ ...member, text }, names)).join(", ");
}

/** Returns a text with the names that people use. A text with times stays as it is. */
function saidText(said: RichText, text: string, names: Names): string {
  const pieces = said.map((piece) =>
    typeof piece === "string" ? piece : "time" in piece ? undefined : wordFor(piece, names),
  );
  return pieces.includes(undefined) ? text : pieces.join("");
}

/** Returns a table with texts for people. */
export function worded(table: Table, names: Names): Table {
  const columns = table.columns.map((column): TableColumn => {
    const { name, shows, textOf, valueIn } = column;
    return {
      ...column,
      textOf: (row) => wordsOf({ name, shows, text: textOf(row), value: valueIn(row) }, names),
    };
  });
  return { ...table, columns };
}
