import { negativeReasons } from "../../../declare/check-kind.ts";
import type { Tone } from "../../../declare/command/answer-schema.ts";
import type { RecordMember } from "../../../declare/command/answer-table.ts";
import type { MendWithLine } from "../../../declare/command/mend.ts";
import { isRow } from "../../../declare/command/projected.ts";
import type { Named, RichText, Text } from "../../../declare/command/rich-text.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import { pauseReasons } from "../../../verification/routes/paused-vendors.ts";
import { labelFor } from "../site-map.ts";
import { isCode, mendLinks, type Say } from "./words.ts";

const toned = (tone: Tone, ...words: readonly string[]) => words.map((word) => [word, tone] as const);

/**
 * The colour of each state, unless its schema states another one. A shape precedes the colour. "Not found" is a normal
 * result. A state with an alarm has the colour of the alarm's rank.
 */
const tones: ReadonlyMap<string, Tone> = new Map([
  ...toned("good", "active", "acknowledged", "published", "registered", "ready", "verified", "success", "succeeded"),
  ...toned("good", "found", "delivered", "current", "yes"),
  ...toned("bad", "failed", "suspended", "revoked", "rejected", "refused"),
  ...toned("warn", "unknown", "dead", "held", "scheduled", "expired", "invited", "started", "recomputed", "waiting"),
  ...toned("warn", "near_the_cap", "balance_low"),
  ...toned("plain", ...negativeReasons),
]);

/** Whether a state means that all is well. */
export function isGood(word: unknown): boolean {
  return tones.get(String(word)) === "good";
}

export function pill(tone: Tone, text: string): Html {
  return html`<span class="pill${tone === "plain" ? "" : ` ${tone}`}">${text}</span>`;
}

/** `word`: the stored word. */
export function statePill(word: string, text: string, own: RecordMember["tones"] = {}): Html {
  return pill(own[word] ?? tones.get(word) ?? "plain", text);
}

type Shown = Pick<RecordMember, "name" | "shows" | "text" | "value" | "tones">;

/** Renders a member by its type. `text`: the value for people. */
export function shownAs({ name, shows, text, value, tones }: Shown, say: Say): Html {
  if (Array.isArray(value) && value.some(Array.isArray))
    return html`${value.map((each) => html`${say(each as RichText)} `)}`;
  if (text === "" || text === "-") return html`${text === "-" ? "–" : ""}`;
  switch (shows) {
    case "state":
      return isRow(value) ? statesOf(value, text, tones) : statePill(String(value), text, tones);
    case "naira":
      return money(text);
    case "time":
      return timeOf(value, text);
    case "facts":
      return factsOf(value, text, say);
    case "sentence":
    case "richText":
      return say(value as Text);
    case "mends":
      return mendLinks(value as readonly MendWithLine[], say);
    default:
      return (shows === "reference" && name !== "key_id" && text === String(value)) ||
        isCode(text) ||
        /^[a-z]{2,4}_[0-9A-Za-z]{12,}$/.test(text)
        ? html`<span class="id">${text}</span>`
        : html`${text}`;
  }
}

/** Renders the state of each part, such as "BVN serves" and "NIN paused". */
function statesOf(states: Readonly<Record<string, unknown>>, text: string, own: RecordMember["tones"]): Html {
  const texts = text.split(", ").map((each) => each.replace(/ \((.*)\)$/, " $1"));
  return html`${Object.values(states).map((word, at) => html`${statePill(String(word), texts[at]!, own)} `)}`;
}

/** Renders kobo smaller than naira. */
export function money(text: string): Html {
  const [, naira = text, kobo] = /^(-?₦[\d,]+)(\.\d\d)$/.exec(text) ?? [];
  return kobo === undefined ? html`${text}` : html`${naira}<span class="kobo">${kobo}</span>`;
}

/** `at`: milliseconds since 1970, or ISO 8601 text. */
export function timeOf(at: unknown, text: string): Html {
  const date = new Date(at as number);
  return at === null || Number.isNaN(date.getTime())
    ? html`${text}`
    : html`<time datetime="${date.toISOString()}">${text}</time>`;
}

/** Renders an audit entry's facts with labels, and with names of accounts, keys and vendors. */
function factsOf(facts: unknown, text: string, say: Say): Html {
  if (!isRow(facts)) return html`${text}`;
  // A fact without a value, such as no end of a pause, is left out.
  const given = Object.entries(facts).filter(([, fact]) => fact !== null);
  const shown = given.map(([name, fact]) => {
    if (name === "confirmation") return html`<span class="fact">by passkey</span> `;
    const word = typeof fact === "object" ? JSON.stringify(fact) : String(fact);
    const named = factWords[name]?.[word] ?? factNames.get(name)?.(word) ?? timeIn(word);
    const value = named === undefined ? html`<span class="id">${word}</span>` : say([named]);
    return html`<span class="fact">${labelFor(name)} ${value}</span> `;
  });
  return html`${shown}`;
}

/** Reads a time as the audit trail stores it. */
function timeIn(text: string): Named | undefined {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(text) ? { time: Date.parse(text) } : undefined;
}

/** Facts that name an account, a key, a vendor and so on. */
const factNames: ReadonlyMap<string, (text: string) => Named> = new Map<string, (text: string) => Named>([
  ["account", (account: string) => ({ account })],
  ["key", (key: string) => ({ key })],
  ["upstream", (vendor: string) => ({ vendor })],
  ["vendor", (vendor: string) => ({ vendor })],
]);

/** Sentences for facts that are stored as words. */
const factWords: Readonly<Record<string, Readonly<Record<string, string>>>> = { why: pauseReasons };
