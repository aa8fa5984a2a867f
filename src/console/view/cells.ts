import { type Html, html } from "../../http/pages/html.ts";
import { negativeReasons } from "../../operation/check-kind.ts";
import type { RecordMember } from "../../operation/command/answer-table.ts";
import type { Say } from "./command-words.ts";

/** What words of a state mean. A shape stands before each, so that nobody needs the colour. */
const tones: Readonly<Record<string, "good" | "bad" | "warn">> = {
  ...Object.fromEntries(
    [
      ...["active", "acknowledged", "published", "registered", "ready", "verified", "success", "succeeded", "found"],
      ...["delivered", "current"],
    ].map((word) => [word, "good"]),
  ),
  ...Object.fromEntries(
    ["open", "unknown", "failed", "paused", "suspended", "revoked", "rejected", "refused", "dead"].map((word) => [
      word,
      "bad",
    ]),
  ),
  ...Object.fromEntries(
    ["held", "scheduled", "expired", "invited", "started", "recomputed", ...negativeReasons, "waiting"].map((word) => [
      word,
      "warn",
    ]),
  ),
};

export function stateMark(text: string): Html {
  const tone = Object.hasOwn(tones, text) ? tones[text]! : "plain";
  return html`<span class="state ${tone}">${text.replaceAll("_", " ")}</span>`;
}

/** A text of an answer as its type shows it. */
export function shownAs({ shows, text }: Pick<RecordMember, "shows" | "text">, say: Say): Html {
  if (shows === "state" && text !== "-") return stateMark(text);
  if (shows === "account") return broken(text.split(/(?<=@)/));
  return shows === "sentence" ? say(text) : html`${text}`;
}

/** The same with the places where a cell may break: an address after its @, a short word nowhere, a time after its day or nowhere. */
export function cellAs(shown: Pick<RecordMember, "shows" | "text">, say: Say, breaksTime: boolean): Html {
  const { shows, text } = shown;
  if (shows === "account") return broken(text.split(text.length > 28 ? /(?<=[@.])/ : /(?<=@)/));
  if (shows === "time") return breaksTime ? html`${text.split(" ").map((part) => html`${whole(part)} `)}` : whole(text);
  if (shows === "state" || shows === "sentence" || shows === "facts") return shownAs(shown, say);
  return shows === "text" && (text.length > 24 || text.includes(" ")) ? html`${text}` : whole(text);
}

function broken([first, ...rest]: readonly string[]): Html {
  return html`${first ?? ""}${rest.map((part) => html`<wbr>${part}`)}`;
}

function whole(text: string): Html {
  return html`<span class="whole">${text}</span>`;
}
