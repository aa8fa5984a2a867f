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
 * The meaning of each state, unless its schema says another. A shape stands before it, so that nobody needs the colour.
 * "Not found" is a normal answer. What has an alarm while it lasts has the colour of the rank of that alarm.
 */
const tones: ReadonlyMap<string, Tone> = new Map([
  ...toned("good", "active", "acknowledged", "published", "registered", "ready", "verified", "success", "succeeded"),
  ...toned("good", "found", "delivered", "current", "yes"),
  ...toned("bad", "failed", "suspended", "revoked", "rejected", "refused"),
  ...toned("warn", "unknown", "dead", "held", "scheduled", "expired", "invited", "started", "recomputed", "waiting"),
  ...toned("warn", "near_the_cap", "balance_low"),
  ...toned("plain", ...negativeReasons),
]);

/** Whether a word of a state says that all is well. */
export function isGood(word: unknown): boolean {
  return tones.get(String(word)) === "good";
}

export function pill(tone: Tone, text: string): Html {
  return html`<span class="pill${tone === "plain" ? "" : ` ${tone}`}">${text}</span>`;
}

/** `word`: of the code. */
export function statePill(word: string, text: string, own: RecordMember["tones"] = {}): Html {
  return pill(own[word] ?? tones.get(word) ?? "plain", text);
}

type Shown = Pick<RecordMember, "name" | "shows" | "text" | "value" | "tones">;

/** A member of an answer as its type shows it. `text`: as people read it. */
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

/** The state of each part, such as "BVN serves" and "NIN paused". */
function statesOf(states: Readonly<Record<string, unknown>>, text: string, own: RecordMember["tones"]): Html {
  const texts = text.split(", ").map((each) => each.replace(/ \((.*)\)$/, " $1"));
  return html`${Object.values(states).map((word, at) => html`${statePill(String(word), texts[at]!, own)} `)}`;
}

/** Prints kobo smaller than naira. */
export function money(text: string): Html {
  const [, naira = text, kobo] = /^(-?₦[\d,]+)(\.\d\d)$/.exec(text) ?? [];
  return kobo === undefined ? html`${text}` : html`${naira}<span class="kobo">${kobo}</span>`;
}

/** `at`: milliseconds since 1970, or a text. */
export function timeOf(at: unknown, text: string): Html {
  const date = new Date(at as number);
  return at === null || Number.isNaN(date.getTime())
    ? html`${text}`
    : html`<time datetime="${date.toISOString()}">${text}</time>`;
}

/** Facts of the audit trail by their labels: accounts, keys and vendors by their names, others as they are. */
function factsOf(facts: unknown, text: string, say: Say): Html {
  if (!isRow(facts)) return html`${text}`;
  // Nothing, such as no end of a pause, is no fact that a person looks for.
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

/** A time as the trail writes it. */
function timeIn(text: string): Named | undefined {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(text) ? { time: Date.parse(text) } : undefined;
}

/** The facts that name somebody or something. */
const factNames: ReadonlyMap<string, (text: string) => Named> = new Map<string, (text: string) => Named>([
  ["account", (account: string) => ({ account })],
  ["key", (key: string) => ({ key })],
  ["upstream", (vendor: string) => ({ vendor })],
  ["vendor", (vendor: string) => ({ vendor })],
]);

/** Facts whose word of the code people read as a sentence. */
const factWords: Readonly<Record<string, Readonly<Record<string, string>>>> = { why: pauseReasons };
