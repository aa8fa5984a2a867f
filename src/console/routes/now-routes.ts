import type { CommandContext } from "../../commands/context.ts";
import { Html, html } from "../../http/pages/html.ts";
import type { HttpResponse } from "../../http/shell/http-response.ts";
import type { Command } from "../../operation/command.ts";
import type { SignedIn } from "../console-request.ts";
import { jsonText, page } from "../console-response.ts";
import type { ConsoleRoom } from "../console-room.ts";
import { type Chart, type ChartRange, chartsOf, ranges } from "../counters/charts.ts";
import { type ConsolePage, pathOf, placeOf } from "../site-map.ts";
import { answerView } from "../view/answer-view.ts";
import { stateMark } from "../view/cells.ts";
import { framedPage, timeElement } from "../view/frame.ts";
import { linksOf } from "./row-actions.ts";
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

export async function nowPage(room: ConsoleRoom, asked: SignedIn, place: ConsolePage): Promise<HttpResponse> {
  const range = rangeIn(asked.query);
  const links = (Object.keys(ranges) as ChartRange[]).map(
    (each) =>
      html`<a class="button" href="/?range=${each}"${each === range ? html` aria-current="true"` : ""}>Last ${each}</a> `,
  );
  // A person who opens the page sees it as it is now. What the page then asks for may be some seconds old.
  const fresh = (part: Part) => readingOf(room, asked, part, "renew");
  const [health, above, drawn, below] = await Promise.all([
    fresh(live),
    fresh(aboveCharts),
    fresh(counts(range)),
    fresh(belowCharts),
  ]);
  const main = html`<div class="title"><h1>Now</h1><div class="ranges">${links}</div></div>
<div hx-get="/now/live" hx-trigger="every 10s" hx-swap="innerMorph">${new Html(health)}</div>
<div hx-get="/now/sums" hx-trigger="every 60s" hx-swap="innerMorph">${new Html(above)}</div>
<div class="charts" data-charts="/now/counts?range=${range}" data-zone="${room.config.timeZone.name}">${(JSON.parse(drawn) as Chart[]).map(chartFigure)}</div>
<p class="quiet age">Of the last ${range}, over all processes with a console. Times are estimated from buckets.</p>
<div hx-get="/now/tables" hx-trigger="every 10s" hx-swap="innerMorph">${new Html(below)}</div>`;
  const { session } = asked;
  const scripts = ["uplot.js", "charts.js", "htmx.js"];
  return page(
    framedPage(
      { title: "Now", main, scripts, styles: ["uplot.css"] },
      { site: room.site, place, session, shownAt: timeElement(room.store.now(), room.config.timeZone) },
    ),
  );
}

/** A part of Now that refreshes. Pages of people with the same role share its reading for so many milliseconds. */
interface Part {
  name: string;
  keptFor: number;
  read: (room: ConsoleRoom, asked: SignedIn) => Promise<string>;
}

const live: Part = { name: "live", keptFor: 5_000, read: async (room, asked) => (await healthView(room, asked)).text };
const tablesOf = (name: string, keptFor: number, tables: typeof tablesAbove | typeof tablesBelow): Part => ({
  ...{ name, keptFor },
  read: async (room, asked) => (await tablesView(room, asked, tables)).text,
});
const aboveCharts = tablesOf("sums", 60_000, tablesAbove);
const belowCharts = tablesOf("tables", 5_000, tablesBelow);
/** A step of the chart of a day is ten minutes. */
const counts = (range: ChartRange): Part => ({
  name: `counts ${range}`,
  keptFor: range === "day" ? 60_000 : 5_000,
  read: async (room) => JSON.stringify(await charts(room, range)),
});

function readingOf(room: ConsoleRoom, asked: SignedIn, { name, keptFor, read }: Part, how: "get" | "renew") {
  return room.readings[how](`${name} ${asked.session.person.role}`, keptFor, () => read(room, asked));
}

export async function nowLive(room: ConsoleRoom, asked: SignedIn): Promise<HttpResponse> {
  return page(await readingOf(room, asked, live, "get"));
}

export async function nowSums(room: ConsoleRoom, asked: SignedIn): Promise<HttpResponse> {
  return page(await readingOf(room, asked, aboveCharts, "get"));
}

export async function nowTables(room: ConsoleRoom, asked: SignedIn): Promise<HttpResponse> {
  return page(await readingOf(room, asked, belowCharts, "get"));
}

export async function nowCounts(room: ConsoleRoom, asked: SignedIn): Promise<HttpResponse> {
  return jsonText(await readingOf(room, asked, counts(rangeIn(asked.query)), "get"));
}

/** The counts up to this moment. */
async function charts(room: ConsoleRoom, range: ChartRange): Promise<Chart[]> {
  await room.counts.flush().catch(() => undefined);
  return chartsOf(room.store, range);
}

/** The sums of a chart, which scripts draw below them. One without data is not shown. */
function chartFigure({ title, figures, series }: Chart): Html {
  const isEmpty = series.every(({ values }) => values.every((value) => !value));
  const sums = figures.map(({ name, text }) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`);
  return html`<figure${isEmpty ? html` hidden` : ""}><figcaption>${title}</figcaption><dl class="sums">${sums}</dl></figure>`;
}

/** What needs a hand, and how the service is. */
async function healthView(room: ConsoleRoom, asked: SignedIn): Promise<Html> {
  const status = room.site.commands.get("status")!;
  const [isUp, { answer }] = await Promise.all([room.health.takesWrites(), runAs(room, asked, status, {})]);
  const { instances, revision, published_at, held, unknown_verifications, oldest_unknown_at, last_backup_at, alarms } =
    answer as StatusFacts;
  const now = room.store.now();
  const auditAlarms = room.health.auditAlarms();
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
  return html`<section class="alarms" aria-label="What needs a hand">${shownBy(room, asked, room.site.commands.get("alarms.list")!, alarms)}</section>
<dl class="figures">${tiles}</dl>
<p class="quiet age">As of ${timeElement(now, room.config.timeZone)}. It refreshes itself.</p>`;
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

async function tablesView(
  room: ConsoleRoom,
  asked: SignedIn,
  tables: typeof tablesAbove | typeof tablesBelow,
): Promise<Html> {
  const parts = await Promise.all(
    tables.map(async ([id, title]) => {
      const command = room.site.commands.get(id);
      if (!command) return html``;
      const { answer } = await runAs(room, asked, command, {});
      return html`<section><h2><a href="${pathOf(command)}">${title}</a></h2>${shownBy(room, asked, command, answer)}</section>`;
    }),
  );
  return html`${parts}`;
}

/** An answer of a command without inputs, as its page shows it. */
function shownBy(room: ConsoleRoom, asked: SignedIn, command: Command<CommandContext>, answer: unknown): Html {
  const view = { sort: "", find: "", page: 1 };
  const path = pathOf(command);
  const links = linksOf(room, asked, placeOf(room.site, command), command);
  const {
    say,
    config: { timeZone: zone },
  } = room;
  return answerView({ command, answer, view, urlFor: () => path, say, zone, links });
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
