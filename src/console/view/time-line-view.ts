import { type Html, html } from "../../http/pages/html.ts";
import type { Moment } from "../../identity/ledger/reports/time-line.ts";
import { eventText } from "../../operation/event.ts";
import { money } from "./cells.ts";
import { inWords, type Names } from "./words.ts";

const webhook: Readonly<Record<string, string>> = {
  ...{ waiting: "waits to be sent again", delivered: "was delivered", dead: "was given up" },
};

/** A line that the ledger says shortly, as people say it; what follows a line break stands below. */
const said: readonly [shortly: RegExp, whole: (by: string, ...found: string[]) => string][] = [
  [/^asked, request (.+)$/, (by, request) => `The client asked\nwith ${by}; request ${request}`],
  [/^attempt (\d+)$/, (by) => `${by} was asked`],
  [/^told as (.+)$/, (_, type) => `Told as an event: ${eventText(type!)}`],
  [/^[a-z]+\.[a-z_]+ (waiting|delivered|dead)$/, (_, state) => `The webhook ${webhook[state!]}`],
  [/\bunknown\b(.*)$/, (by, rest) => `${by || "It"} has no outcome${rest}`],
  [/^(.+) after (\d+) ms(.*)$/, (by, outcome, ms, rest) => `${by}: ${outcome}${rest}\nafter ${ms} ms`],
];

const signs = [
  [/^ended: verified|^charged|got 2\d\d|delivered/, "good", "✓"],
  [/no outcome|failed|got 5\d\d|refused|given up/, "bad", "▲"],
] as const;

/** What happened, by how long after the first thing it did. */
export function timeLineView(moments: readonly Moment[], names: Names): Html {
  const begun = moments[0]?.at ?? 0;
  // What the client got says how it ended.
  const isTold = moments.some(({ what }) => what.startsWith("the client got"));
  const shown = moments.filter(({ what }) => !isTold || !what.startsWith("ended: "));
  const lines = shown.map(({ at, what, by }) => {
    const key = by.replace(/^key /, "");
    const who = inWords(`${key === by ? "" : "key "}${names.get(key) ?? key}`, names);
    const [[, ...found] = [], whole] =
      said.flatMap(([shortly, whole]) => (shortly.test(what) ? [[shortly.exec(what)!, whole] as const] : []))[0] ?? [];
    const [all = "", more] = inWords(whole ? whole(who, ...found) : what).split("\n");
    const [, text = all, costs = "", amount = ""] = /^(.+?)(, for)? (₦[\d,]+\.\d\d)$/.exec(all) ?? [];
    const sum = amount === "" ? "" : html`${costs === "" ? "" : "costs "}${money(amount)}`;
    const [, tone, sign] = signs.find(([words]) => words.test(text)) ?? [undefined, "", "●"];
    const dot = html`<span class="dot ${tone}" aria-hidden="true">${sign}</span>`;
    const beside = more ?? (text.startsWith(who) ? "" : who);
    return html`<li><span class="ms">${afterText(at - begun)}</span>${dot}<div class="what"><strong>${text.charAt(0).toUpperCase()}${text.slice(1)}</strong><span class="quiet">${beside}</span></div><span class="sum">${sum}</span></li>`;
  });
  return html`<ol class="timeline">${lines}</ol>`;
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
