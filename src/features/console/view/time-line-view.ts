import { eventText } from "../../../declare/event.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import type { TimeLineEntry } from "../../../ledger/commands/with-story.ts";
import { money } from "./cells.ts";
import { calledName, type Names } from "./words.ts";

const webhook: Readonly<Record<string, string>> = {
  waiting: "waits to be sent again",
  delivered: "was delivered",
  dead: "was given up",
};

/**
 * The answer of a vendor, such as "failed, timed out", with its time and cost. A reason of a person has other signs
 * before it.
 */
const answeredAfter = /^([a-z]+(?:,? [a-z]+)*) after (\d+) ms(, for .*)?$/;

const answers: Readonly<Record<string, string>> = {
  verified: "found the person",
  "not found": "knows nobody with the number",
  "phone mismatch": "knows the number with another phone",
  blocked: "says that the number is blocked",
};

function answerText(outcome: string): string {
  const [state, reason] = outcome.split(", ") as [string, string?];
  return `${answers[state] ?? state}${reason === undefined ? "" : `: ${reason}`}`;
}

/** A line that the ledger says shortly, as people say it; what follows a line break stands below. */
const sentences: readonly [shortly: RegExp, whole: (by: string, ...found: string[]) => string][] = [
  [/^asked, request (.+)$/, (by, request) => `The client asked\nwith ${by}; request ${request}`],
  [/^attempt (\d+)$/, (by) => `${by} was asked`],
  [/^told as (.+)$/, (_, type) => `Told as an event: ${eventText(type!)}`],
  [/^[a-z]+\.[a-z_]+ (waiting|delivered|dead)$/, (_, state) => `The webhook ${webhook[state!]}`],
  [/\bunknown\b(.*)$/, (by, rest) => `${by || "It"} has no outcome${rest}`],
  [answeredAfter, (by, outcome, ms, rest = "") => `${by} ${answerText(outcome!)}${rest}\nafter ${ms} ms`],
];

const signs = [
  [/^ended: verified|^charged|found the person|got 2\d\d|delivered/, "good", "✓"],
  [/no outcome|failed|got 5\d\d|refused|given up/, "bad", "▲"],
] as const;

/** What happened, by how long after the first thing it did. */
export function timeLineView(moments: readonly TimeLineEntry[], names: Names): Html {
  const begun = moments[0]?.at ?? 0;
  // What the client got says how it ended.
  const isTold = moments.some(({ what }) => what.startsWith("the client got"));
  const shown = moments.filter(({ what }) => !isTold || !what.startsWith("ended: "));
  const longest = Math.max(...moments.map(waitIn));
  const lines = shown.map(({ at, what, by }, place) => {
    const key = by.replace(/^key /, "");
    const who = `${key === by ? "" : "key "}${calledName(key, names)}`;
    const [[, ...found] = [], whole] =
      sentences.flatMap(([shortly, whole]) => (shortly.test(what) ? [[shortly.exec(what)!, whole] as const] : []))[0] ??
      [];
    const [all = "", more] = (whole ? whole(who, ...found) : what).split("\n");
    const [, text = all, costs = "", amount = ""] = /^(.+?)(, for)? (₦[\d,]+\.\d\d)$/.exec(all) ?? [];
    const sum = amount === "" ? "" : html`${costs === "" ? "" : "costs "}${money(amount)}`;
    const [, tone, sign] = signs.find(([words]) => words.test(text)) ?? [undefined, "", "●"];
    const dot = html`<span class="dot ${tone}" aria-hidden="true">${sign}</span>`;
    const beside = more ?? (text.startsWith(who) ? "" : who);
    const answer = what.startsWith("attempt ") ? shown.slice(place + 1).find((later) => later.by === by) : undefined;
    const wait = answer && waitIn(answer) > 0 ? waitBar(answer, longest) : "";
    return html`<li><span class="ms">${afterText(at - begun)}</span>${dot}<div class="what"><strong>${text.charAt(0).toUpperCase()}${text.slice(1)}</strong><span class="quiet">${beside}</span>${wait}</div><span class="sum">${sum}</span></li>`;
  });
  return html`<ol class="timeline">${lines}</ol>`;
}

/** Milliseconds that the answer of a vendor took; 0 for anything else. */
function waitIn({ what }: TimeLineEntry): number {
  return Number(answeredAfter.exec(what)?.[2] ?? 0);
}

/** How long an answer took, of the longest. */
function waitBar(answer: TimeLineEntry, longest: number): Html {
  const tone = /^(?:failed|unknown|refused)/.test(answer.what) ? "c3" : "c1";
  return html`<svg class="wait" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="${tone}" width="${Math.max(1, Math.round((100 * waitIn(answer)) / longest))}" height="6"/></svg>`;
}

/** Such as "416 ms", "1.2 s" or "3 days". */
function afterText(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
