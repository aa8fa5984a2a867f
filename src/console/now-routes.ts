import { type Html, html } from "../http/pages/html.ts";
import { mayRun } from "../operation/command.ts";
import type { SignedIn } from "./console-request.ts";
import { type ConsoleReply, jsonReply, page } from "./console-response.ts";
import type { ConsoleRoom } from "./console-room.ts";
import { type ChartRange, chartsOf, ranges } from "./counters/minute-counts.ts";
import { runAs } from "./run-as.ts";
import { type ConsolePage, pathOf } from "./site-map.ts";
import { answerView } from "./view/answer-view.ts";
import { framedPage, timeElement } from "./view/frame.ts";
import { stateMark } from "./view/sorted-table.ts";

/** The commands whose answers Now shows, with their headings. */
const shown = [
  ["status", "Status"],
  ["upstreams.status", "Vendors"],
  ["sources.status", "Source of the catalogue"],
  ["ledger.unknowns", "Verifications with an unknown outcome"],
] as const;

export async function nowPage(room: ConsoleRoom, asked: SignedIn, place: ConsolePage): Promise<ConsoleReply> {
  const range = rangeIn(asked.query);
  const links = (Object.keys(ranges) as ChartRange[]).map(
    (each) =>
      html`<a class="button" href="/?range=${each}"${each === range ? html` aria-current="true"` : ""}>Last ${each}</a> `,
  );
  const live = await liveParts(room, asked, range);
  const main = html`<h1>Now</h1>
<div class="ranges">${links}</div>
<div class="charts" data-charts="/now/counts?range=${range}"></div>
<div id="live" hx-get="/now/live?range=${range}" hx-trigger="every 10s" hx-swap="innerHTML">${live}</div>
<p class="links"><a href="/upstreams/list">All vendors</a>${mayRun(asked.session.person.role, room.site.commands.get("upstreams.test") ?? { role: "officer" }) ? html` · <a href="/upstreams/test">Test a vendor</a>` : ""}</p>`;
  const { session } = asked;
  const scripts = ["uplot.js", "charts.js", "htmx.js"];
  return page(
    framedPage(
      { title: "Now", main, scripts, styles: ["uplot.css"] },
      { site: room.site, place, session, shownAt: room.store.now() },
    ),
  );
}

/** The part of Now that refreshes. */
export async function nowLive(room: ConsoleRoom, asked: SignedIn): Promise<ConsoleReply> {
  return page((await liveParts(room, asked, rangeIn(asked.query))).text);
}

export async function nowCounts(room: ConsoleRoom, asked: SignedIn): Promise<ConsoleReply> {
  return jsonReply(await chartsOf(room.store, rangeIn(asked.query)));
}

async function liveParts(room: ConsoleRoom, asked: SignedIn, range: ChartRange): Promise<Html> {
  await room.counts.flush().catch(() => undefined);
  const [isUp, charts, history] = await Promise.all([
    room.health.takesWrites(),
    chartsOf(room.store, range),
    catalogueNow(room, asked),
  ]);
  const minutes = ranges[range].step / 60_000;
  const sum = (at: number) =>
    Math.round(charts[0]!.series[at]!.values.reduce<number>((all, value) => all + (value ?? 0), 0) * minutes);
  const alarms = room.health.auditAlarms();
  const figures = charts[0]!.series.map(
    ({ name }, at) => html`<div><dt>${name}</dt><dd class="figure">${sum(at).toLocaleString("en")}</dd></div>`,
  );
  const parts = await Promise.all(shown.map(([id, title]) => part(room, asked, id, title)));
  return html`<dl class="figures">${figures}
<div><dt>Store</dt><dd>${stateMark(isUp ? "ready" : "failed")}</dd></div>
<div><dt>Audit trail</dt><dd>${alarms.length === 0 ? stateMark("ready") : html`<span class="state bad">${alarms.join(", ")}</span>`}</dd></div>
${history}</dl>
<p class="quiet">Sums of the last ${range}, over all processes with a console. ${timeElement(room.store.now())}</p>
${parts}`;
}

async function catalogueNow(room: ConsoleRoom, asked: SignedIn): Promise<Html> {
  const command = room.site.commands.get("catalogue.history");
  if (!command) return html``;
  const { answer } = await runAs(room, asked, command, { limit: "1" });
  const { waiting, revisions } = answer as {
    waiting: { state: string }[];
    revisions: { revision: number; published_at: string }[];
  };
  const [newest] = revisions;
  const held = waiting.filter(({ state }) => state === "held").length;
  return html`<div><dt>Catalogue</dt><dd>${newest ? html`revision <strong>${newest.revision}</strong>, ${ageOf(room.store.now() - Date.parse(newest.published_at))} old` : "empty"}</dd></div>
<div><dt>Held changes</dt><dd>${held === 0 ? "none" : html`<a href="/catalogue"><span class="state warn">${held} held</span></a>`}</dd></div>`;
}

async function part(room: ConsoleRoom, asked: SignedIn, id: string, title: string): Promise<Html> {
  const command = room.site.commands.get(id);
  if (!command) return html``;
  const { answer, input } = await runAs(room, asked, command, {});
  const view = { sort: "", find: "", page: 1 };
  const path = pathOf(command);
  const body = answerView({ command, answer, input, view, urlFor: () => path, actions: () => [] });
  return html`<section><h2><a href="${path}">${title}</a></h2>${body}</section>`;
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
