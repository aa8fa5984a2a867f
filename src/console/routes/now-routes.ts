import { Html, html } from "../../http/pages/html.ts";
import type { HttpResponse } from "../../http/shell/http-response.ts";
import { jsonText, page } from "../console-response.ts";
import type { Visit } from "../console-room.ts";
import { type Chart, type ChartRange, chartsOf, ranges } from "../counters/charts.ts";
import { type ConsolePage, pathOf } from "../site-map.ts";
import { stateMark } from "../view/cells.ts";
import { timeElement } from "../view/frame.ts";
import { answerOf } from "./answers.ts";
import { framed } from "./command-routes.ts";
import { runAs } from "./run-as.ts";

/** The commands whose tables stand above and below the charts, with their headings. */
const tablesAbove = [
  ["books.trend", "Live verifications"],
  ["routes.show", "Vendors"],
] as const;
const tablesBelow = [
  ["upstreams.status", "Vendors of each process"],
  ["sources.status", "Source of the catalogue"],
] as const;

export async function nowPage(visit: Visit, place: ConsolePage): Promise<HttpResponse> {
  const range = rangeIn(visit.query);
  const links = (Object.keys(ranges) as ChartRange[]).map(
    (each) =>
      html`<a class="button" href="/?range=${each}"${each === range ? html` aria-current="true"` : ""}>Last ${each}</a> `,
  );
  // A person who opens the page sees it as it is now. What the page then asks for may be some seconds old.
  const fresh = (part: Part) => readingOf(visit, part, "renew");
  const [health, above, drawn, below] = await Promise.all([live, aboveCharts, counts(range), belowCharts].map(fresh));
  const main = html`<div class="title"><h1>Now</h1><div class="ranges">${links}</div></div>
<div hx-get="/now/live" hx-trigger="every 10s" hx-swap="innerMorph">${new Html(health!)}</div>
<div hx-get="/now/sums" hx-trigger="every 60s" hx-swap="innerMorph">${new Html(above!)}</div>
<div class="charts" data-charts="/now/counts?range=${range}" data-zone="${visit.config.timeZone.name}">${(JSON.parse(drawn!) as Chart[]).map(chartFigure)}</div>
<p class="quiet age">Of the last ${range}, over all processes with a console. Times are estimated from buckets.</p>
<div hx-get="/now/tables" hx-trigger="every 10s" hx-swap="innerMorph">${new Html(below!)}</div>`;
  return framed(visit, place, "Now", main, { scripts: ["uplot.js", "charts.js", "htmx.js"], styles: ["uplot.css"] });
}

/** A part of Now that refreshes. Pages of people with the same role share its reading for so many milliseconds. */
interface Part {
  name: string;
  keptFor: number;
  read: (visit: Visit) => Promise<string>;
  answers?: typeof jsonText;
}

const live: Part = { name: "live", keptFor: 5_000, read: async (visit) => (await healthView(visit)).text };
const tablesOf = (name: string, keptFor: number, tables: typeof tablesAbove | typeof tablesBelow): Part => ({
  ...{ name, keptFor },
  read: async (visit) => (await tablesView(visit, tables)).text,
});
const aboveCharts = tablesOf("sums", 60_000, tablesAbove);
const belowCharts = tablesOf("tables", 5_000, tablesBelow);
/** A step of the chart of a day is ten minutes. */
const counts = (range: ChartRange): Part => ({
  name: `counts ${range}`,
  keptFor: range === "day" ? 60_000 : 5_000,
  read: async (visit) => JSON.stringify(await charts(visit, range)),
  answers: jsonText,
});

/** By path. */
export const nowParts = new Map<string, (query: URLSearchParams) => Part>([
  ["/now/live", () => live],
  ["/now/sums", () => aboveCharts],
  ["/now/tables", () => belowCharts],
  ["/now/counts", (query) => counts(rangeIn(query))],
]);

function readingOf(visit: Visit, { name, keptFor, read }: Part, how: "get" | "renew") {
  return visit.readings[how](`${name} ${visit.session.person.role}`, keptFor, () => read(visit));
}

export async function nowPart(visit: Visit, part: Part): Promise<HttpResponse> {
  return (part.answers ?? page)(await readingOf(visit, part, "get"));
}

/** The counts up to this moment. */
async function charts(visit: Visit, range: ChartRange): Promise<Chart[]> {
  await visit.counts.flush().catch(() => undefined);
  return chartsOf(visit.store, range);
}

/** The sums of a chart, which scripts draw below them. One without data is not shown. */
function chartFigure({ title, figures, series }: Chart): Html {
  const isEmpty = series.every(({ values }) => values.every((value) => !value));
  const sums = figures.map(({ name, text }) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`);
  return html`<figure${isEmpty ? html` hidden` : ""}><figcaption>${title}</figcaption><dl class="sums">${sums}</dl></figure>`;
}

/** What needs a hand, and how the service is. */
async function healthView(visit: Visit): Promise<Html> {
  const status = visit.site.commands.get("status")!;
  const [isUp, { answer }] = await Promise.all([visit.health.takesWrites(), runAs(visit, status, {})]);
  const { instances, revision, published_at, held, unknown_verifications, oldest_unknown_at, last_backup_at, alarms } =
    answer as StatusFacts;
  const now = visit.store.now();
  const auditAlarms = visit.health.auditAlarms();
  const link = (href: string, tone: string, text: string) =>
    html`<a href="${href}"><span class="state ${tone}">${text}</span></a>`;
  const facts: Record<string, Html | string> = {
    Store: stateMark(isUp ? "ready" : "failed"),
    Instances: String(instances),
    "Audit trail":
      auditAlarms.length === 0
        ? stateMark("ready")
        : html`<span class="state bad">${auditAlarms.join(", ").replaceAll("_", " ")}</span>`,
    Catalogue:
      revision === null
        ? "empty"
        : html`<a href="/catalogue">Revision ${revision}</a>, ${ageOf(now - published_at!)} old`,
    "Held changes": held.length === 0 ? "none" : link("/catalogue", "warn", held.join(", ")),
    "Unknown outcomes":
      unknown_verifications === 0
        ? "none"
        : link(
            "/verifications?state=unknown&mode=live",
            "bad",
            `${unknown_verifications}, oldest ${ageOf(now - oldest_unknown_at!)}`,
          ),
    "Last backup": last_backup_at === null ? "never" : `${ageOf(now - last_backup_at)} ago`,
  };
  const tiles = Object.entries(facts).map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`);
  return html`<section class="alarms" aria-label="What needs a hand">${answerOf(visit, visit.site.commands.get("alarms.list")!, alarms)}</section>
<dl class="figures">${tiles}</dl>
<p class="quiet age">As of ${timeElement(now, visit.config.timeZone)}. It refreshes itself.</p>`;
}

interface StatusFacts {
  instances: number;
  revision: number | null;
  published_at: number | null;
  held: string[];
  unknown_verifications: number;
  oldest_unknown_at: number | null;
  last_backup_at: number | null;
  /** As `alarms.list` answers. */
  alarms: unknown;
}

async function tablesView(visit: Visit, tables: typeof tablesAbove | typeof tablesBelow): Promise<Html> {
  const parts = await Promise.all(
    tables.map(async ([id, title]) => {
      const command = visit.site.commands.get(id);
      if (!command) return html``;
      const { answer } = await runAs(visit, command, {});
      return html`<section><h2><a href="${pathOf(command)}">${title}</a></h2>${answerOf(visit, command, answer)}</section>`;
    }),
  );
  return html`${parts}`;
}

function ageOf(milliseconds: number): string {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000));
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

function rangeIn(query: URLSearchParams): ChartRange {
  return query.get("range") === "day" ? "day" : "hour";
}
