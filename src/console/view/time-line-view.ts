import { type Html, html } from "../../http/pages/html.ts";
import { inWords, type Names } from "./words.ts";

/** One thing that happened. `at`: milliseconds since 1970. `by`: a key, a vendor, a person or an endpoint. */
export interface ToldMoment {
  at: number;
  what: string;
  by: string;
}

/** A line that the ledger says shortly, as people say it. */
const said: readonly [shortly: RegExp, whole: (by: string, ...found: string[]) => string][] = [
  [/^asked, request (.+)$/, (_, request) => `The client asked, request ${request}`],
  [/^attempt (\d+)$/, (by) => `${by} was asked`],
  [/\bunknown\b(.*)$/, (by, rest) => `${by || "It"} has no outcome${rest}`],
];

const signs = [
  [/^ended: verified|^charged|got 2\d\d|delivered/, "good", "✓"],
  [/no outcome|failed|got 5\d\d|refused|dead/, "bad", "▲"],
] as const;

/** What happened, by how long after the first thing it did. */
export function timeLineView(moments: readonly ToldMoment[], names: Names): Html {
  const begun = moments[0]?.at ?? 0;
  const lines = moments.map(({ at, what, by }) => {
    const key = by.replace(/^key /, "");
    const who = inWords(`${key === by ? "" : "key "}${names.get(key) ?? key}`);
    const [[, ...found] = [], whole] =
      said.flatMap(([shortly, whole]) => (shortly.test(what) ? [[shortly.exec(what)!, whole] as const] : []))[0] ?? [];
    const text = inWords(whole ? whole(who, ...found) : what);
    const [, tone, sign] = signs.find(([words]) => words.test(text)) ?? [undefined, "", "●"];
    const dot = html`<span class="dot ${tone}" aria-hidden="true">${sign}</span>`;
    const beside = text.startsWith(who) ? "" : who;
    return html`<li><span class="ms">${afterText(at - begun)}</span>${dot}<div class="what"><strong>${text.charAt(0).toUpperCase()}${text.slice(1)}</strong><span class="quiet">${beside}</span></div></li>`;
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
