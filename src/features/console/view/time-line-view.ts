import { eventText } from "../../../declare/event.ts";
import { nairaText } from "../../../declare/money.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import type { TimeLineEntry } from "../../../ledger/commands/time-line-entry.ts";
import type { PublicState } from "../../../ledger/public-state.ts";
import { money } from "./cells.ts";
import { calledName, type Names } from "./words.ts";

const webhook: Readonly<Record<string, string>> = {
  waiting: "waits to be sent again",
  delivered: "was delivered",
  dead: "was given up",
};

const answers: Readonly<Partial<Record<PublicState, string>>> = {
  verified: "found the person",
  not_found: "knows nobody with the number",
  phone_mismatch: "knows the number with another phone",
  blocked: "says that the number is blocked",
  unknown: "has no outcome",
};

/** Returns an entry's text for people, and the text below. */
function sayingOf(entry: TimeLineEntry, who: string): [says: string, beside: string] {
  const { step, outcome = "started", reason, status, event, delivery, took, request_id, what } = entry;
  const http = status === undefined ? "" : `, HTTP ${status}`;
  const because = reason === undefined ? "" : `: ${reason.replaceAll("_", " ")}`;
  if (step === "asked") return ["The client asked", `with key ${who}; request ${request_id}`];
  if (step === "question")
    return [`${who} was asked`, entry.outcome === undefined ? "" : `it has no outcome${because}${http}`];
  if (step === "answer")
    return [`${who} ${answers[outcome] ?? outcome.replaceAll("_", " ")}${because}`, `after ${took} ms${http}`];
  if (step === "event") return [`Told as an event: ${eventText(event!)}`, who];
  if (step === "delivery") return [`The webhook ${webhook[delivery!] ?? delivery}`, who];
  if (step === "charge") return ["Charged", who];
  if (step === "ended" && outcome === "unknown") return [`It has no outcome${because}`, who];
  return [what, who];
}

const failed: ReadonlySet<PublicState> = new Set(["failed", "unknown", "refused"]);
const signs = { good: "✓", bad: "▲", "": "●" };

function toneOf({ step, outcome, status = 0, delivery }: TimeLineEntry): keyof typeof signs {
  if (step === "charge" || outcome === "verified" || delivery === "delivered") return "good";
  if (step === "response" && status >= 200 && status < 300) return "good";
  return (outcome && failed.has(outcome)) || delivery === "dead" || (step === "response" && status >= 500) ? "bad" : "";
}

/** Renders the entries, each with the time since the first. */
export function timeLineView(entries: readonly TimeLineEntry[], names: Names): Html {
  const begun = entries[0]?.at ?? 0;
  // The response to the client already states how the verification ended.
  const isTold = entries.some(({ step }) => step === "response");
  const shown = entries.filter(({ step }) => !isTold || step !== "ended");
  const longest = Math.max(...entries.map(waitIn));
  const lines = shown.map((entry, place) => {
    const { at, by, step, amount, key_id } = entry;
    const [says, beside] = sayingOf(entry, calledName(key_id ?? by, names));
    const isSum = amount !== undefined && step !== "correction";
    const sum = isSum ? html`${step === "answer" ? "costs " : ""}${money(nairaText(amount))}` : "";
    const tone = toneOf(entry);
    const dot = html`<span class="dot ${tone}" aria-hidden="true">${signs[tone]}</span>`;
    const answer =
      step === "question"
        ? shown.slice(place + 1).find((later) => later.step === "answer" && later.by === by)
        : undefined;
    const wait = answer && waitIn(answer) > 0 ? waitBar(answer, longest) : "";
    return html`<li><span class="ms">${afterText(at - begun)}</span>${dot}<div class="what"><strong>${says.charAt(0).toUpperCase()}${says.slice(1)}</strong><span class="quiet">${beside}</span>${wait}</div><span class="sum">${sum}</span></li>`;
  });
  return html`<ol class="timeline">${lines}</ol>`;
}

/** Returns how long a vendor's answer took, in milliseconds; 0 for other entries. */
function waitIn({ took = 0 }: TimeLineEntry): number {
  return took;
}

/** Renders a duration as a share of the longest. */
function waitBar(answer: TimeLineEntry, longest: number): Html {
  const tone = failed.has(answer.outcome!) ? "c3" : "c1";
  return html`<svg class="wait" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="${tone}" width="${Math.max(1, Math.round((100 * waitIn(answer)) / longest))}" height="6"/></svg>`;
}

/** Formats a duration such as "416 ms", "1.2 s" or "3 days". */
function afterText(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
