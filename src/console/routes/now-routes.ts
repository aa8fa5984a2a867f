import { type Html, html } from "../../http/pages/html.ts";
import type { SignedIn } from "../console-request.ts";
import { type ConsoleReply, jsonReply, page } from "../console-response.ts";
import type { ConsoleRoom } from "../console-room.ts";
import { type Chart, type ChartRange, chartsOf, ranges } from "../counters/charts.ts";
import { type ConsolePage, pathOf, placeOf } from "../site-map.ts";
import { answerView } from "../view/answer-view.ts";
import { framedPage, timeElement } from "../view/frame.ts";
import { stateMark } from "../view/sorted-table.ts";
import { linksOf } from "./row-actions.ts";
import { runAs } from "./run-as.ts";

/** The commands whose tables stand below the charts, with their headings. */
const tables = [
  ["upstreams.status", "Vendors"],
  ["sources.status", "Source of the catalogue"],
] as const;

export async function nowPage(room: ConsoleRoom, asked: SignedIn, place: ConsolePage): Promise<ConsoleReply> {
  const range = rangeIn(asked.query);
  const links = (Object.keys(ranges) as ChartRange[]).map(
    (each) =>
      html`<a class="button" href="/?range=${each}"${each === range ? html` aria-current="true"` : ""}>Last ${each}</a> `,
  );
  const [health, drawn, below] = await Promise.all([
    healthView(room, asked),
    charts(room, range),
    tablesView(room, asked),
  ]);
  const main = html`<div class="title"><h1>Now</h1><div class="ranges">${links}</div></div>
<div hx-get="/now/live" hx-trigger="every 10s" hx-swap="innerMorph">${health}</div>
<div class="charts" data-charts="/now/counts?range=${range}">${drawn.map(chartFigure)}</div>
<p class="quiet age">Of the last ${range}, over all processes with a console. Times are estimated from buckets.</p>
<div hx-get="/now/tables" hx-trigger="every 10s" hx-swap="innerMorph">${below}</div>`;
  const { session } = asked;
  const scripts = ["uplot.js", "charts.js", "htmx.js"];
  return page(
    framedPage(
      { title: "Now", main, scripts, styles: ["uplot.css"] },
      { site: room.site, place, session, shownAt: room.store.now() },
    ),
  );
}

/** The parts of Now that refresh. */
export async function nowLive(room: ConsoleRoom, asked: SignedIn): Promise<ConsoleReply> {
  return page((await healthView(room, asked)).text);
}

export async function nowTables(room: ConsoleRoom, asked: SignedIn): Promise<ConsoleReply> {
  return page((await tablesView(room, asked)).text);
}

export async function nowCounts(room: ConsoleRoom, asked: SignedIn): Promise<ConsoleReply> {
  return jsonReply(await charts(room, rangeIn(asked.query)));
}

/** The counts up to this moment. */
async function charts(room: ConsoleRoom, range: ChartRange): Promise<Chart[]> {
  await room.counts.flush().catch(() => undefined);
  return chartsOf(room.store, range);
}

/** The sums of a chart, which scripts draw below them. */
function chartFigure({ title, figures }: Chart): Html {
  const sums = figures.map(({ name, text }) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`);
  return html`<figure><figcaption>${title}</figcaption><dl class="sums">${sums}</dl></figure>`;
}

/** What needs a hand, and how the service is. */
async function healthView(room: ConsoleRoom, asked: SignedIn): Promise<Html> {
  const [isUp, status, alarms] = await Promise.all([
    room.health.takesWrites(),
    answerOf(room, asked, "status"),
    commandView(room, asked, "alarms.list"),
  ]);
  const { instances, revision, published_at, held, unknown_verifications, oldest_unknown_at, last_backup_at } =
    status as StatusFacts;
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
        : html`<a href="/catalogue">Revision ${revision}</a>, ${ageOf(now - Date.parse(published_at!))} old`,
    "Held changes": held.length === 0 ? "none" : link("/catalogue", "warn", held.join(", ")),
    "Unknown outcomes":
      unknown_verifications === 0
        ? "none"
        : link(
            "/verifications?state=unknown&mode=live",
            "bad",
            `${unknown_verifications}, oldest ${ageOf(now - Date.parse(oldest_unknown_at!))}`,
          ),
    "Last backup": last_backup_at === null ? "never" : `${ageOf(now - Date.parse(last_backup_at))} ago`,
  };
  const tiles = Object.entries(facts).map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`);
  return html`<section class="alarms" aria-label="What needs a hand">${alarms}</section>
<dl class="figures">${tiles}</dl>
<p class="quiet age">As of ${timeElement(now)}. It refreshes itself.</p>`;
}

interface StatusFacts {
  instances: number;
  revision: number | null;
  published_at: string | null;
  held: string[];
  unknown_verifications: number;
  oldest_unknown_at: string | null;
  last_backup_at: string | null;
}

async function tablesView(room: ConsoleRoom, asked: SignedIn): Promise<Html> {
  const parts = await Promise.all(
    tables.map(async ([id, title]) => {
      const command = room.site.commands.get(id);
      if (!command) return html``;
      return html`<section><h2><a href="${pathOf(command)}">${title}</a></h2>${await commandView(room, asked, id)}</section>`;
    }),
  );
  return html`${parts}`;
}

async function answerOf(room: ConsoleRoom, asked: SignedIn, id: string): Promise<unknown> {
  return (await runAs(room, asked, room.site.commands.get(id)!, {})).answer;
}

/** The answer of a command without inputs. */
async function commandView(room: ConsoleRoom, asked: SignedIn, id: string): Promise<Html> {
  const command = room.site.commands.get(id)!;
  const { answer, input } = await runAs(room, asked, command, {});
  const view = { sort: "", find: "", page: 1 };
  const path = pathOf(command);
  const links = linksOf(room, asked, placeOf(room.site, command), command);
  return answerView({ command, answer, input, view, urlFor: () => path, say: room.say, links });
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
