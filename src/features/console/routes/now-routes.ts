import type { StatusFacts } from "../../../commands/alarm.ts";
import type { ConsolePage } from "../../../commands/console-page.ts";
import { naira, orNull } from "../../../declare/command/answer-schema.ts";
import { membersOf } from "../../../declare/command/read-texts.ts";
import Type from "../../../declare/schema/type.ts";
import { Html, html } from "../../../http/pages/html.ts";
import type { HttpResponse } from "../../../http/shell/http-response.ts";
import { successOf, type TrendFigures, trendHours, trendOf } from "../../../ledger/reports/trend.ts";
import { vendorTitle } from "../../../vendors/registry.ts";
import { page } from "../console-response.ts";
import type { PageRequest } from "../console-room.ts";
import { type ChartRange, chartsOf, type LiveCalls, liveCalls, ranges } from "../counters/charts.ts";
import type { CountedSubject } from "../counters/minute-counts.ts";
import { type ConsoleCommand, commandsShownAs, placeOf } from "../site-map.ts";
import { pill } from "../view/cells.ts";
import { chartFigure, sparkline } from "../view/chart-figure.ts";
import { figureRow, headlines, rowShape } from "../view/figures.ts";
import { recordAddress } from "../view/record-links.ts";
import { alarmsPart, answerOf, bandOf } from "./answers.ts";
import { framed } from "./command-routes.ts";
import { pageHead } from "./page-parts.ts";
import { ownEmail } from "./place-parts.ts";
import { runAs, shownTo, statusFacts } from "./run-as.ts";

export async function nowPage(request: PageRequest, place: ConsolePage): Promise<HttpResponse> {
  const range = rangeIn(request.query);
  const spans = (Object.keys(ranges) as ChartRange[]).map(
    (each) =>
      html`<a href="/?range=${each}"${each === range ? html` aria-current="true"` : ""}>${each === "day" ? "Day" : "Hour"}</a>`,
  );
  const tools = html`<nav class="switch" aria-label="Span">${spans}</nav>`;
  // A freshly opened page shows current data. Its later refreshes may be some seconds old.
  statusFacts(request, 0).catch(() => {});
  const shown = [...nowParts.values()].map((part) => readingOf(request, { ...part(request.query), keptFor: 0 }));
  const [live, sums, counts, alarms, tables, lookUps] = await Promise.all(shown);
  const part = (path: string, seconds: number, text: string) =>
    html`<div class="part" hx-get="${path}" hx-trigger="every ${seconds}s" hx-swap="innerMorph">${new Html(text)}</div>\n`;
  const parts = [part(`/now/counts?range=${range}`, 10, counts!), part("/now/alarms", 10, alarms!)];
  // An alarm that stops the service comes before charts.
  if (live!.includes('class="band"')) parts.reverse();
  const main = html`${pageHead({ title: place.title, tools })}${ownEmail(request)}
${part("/now/live", 10, live!)}${part(`/now/sums?range=${range}`, 10, sums!)}${parts}${part(`/now/tables?range=${range}`, 10, tables!)}${part(`/now/look-ups?range=${range}`, 60, lookUps!)}`;
  return framed(request, place, place.title, main, { scripts: ["htmx.js"], hasBand: true });
}

/** A part of the page Now that refreshes. People with the same role share its reading for `keptFor` milliseconds. */
interface Part {
  name: string;
  keptFor: number;
  read: (request: PageRequest) => Promise<Html>;
}

/** The parts by path. */
export const nowParts = new Map<string, (query: URLSearchParams) => Part>([
  ["/now/live", () => ({ name: "live", keptFor: 5_000, read: healthView })],
  [
    "/now/sums",
    (query) => {
      const range = rangeIn(query);
      const read = (request: PageRequest) => (range === "day" ? dayFigures(request) : hourFigures(request));
      return { name: `sums ${range}`, keptFor: 5_000, read };
    },
  ],
  ["/now/counts", (query) => countsOf("counts", rangeIn(query))],
  ["/now/alarms", () => ({ name: "alarms", keptFor: 5_000, read: handsView })],
  [
    "/now/tables",
    (query) => {
      const range = rangeIn(query);
      return { name: `tables ${range}`, keptFor: 5_000, read: (request) => tablesView(request, range) };
    },
  ],
  ["/now/look-ups", (query) => countsOf("look-ups", rangeIn(query))],
]);

function countsOf(what: "counts" | "look-ups", range: ChartRange): Part {
  const about = what === "counts" ? "verifications" : "look-ups";
  const read = (request: PageRequest) => chartsView(request, range, about);
  return { name: `${what} ${range}`, keptFor: 5_000, read };
}

function readingOf(request: PageRequest, { name, keptFor, read }: Part) {
  const reading = async () => (await read(request)).text;
  return request.readings.get(`${name} ${request.session.person.role}`, keptFor, reading);
}

export async function nowPart(request: PageRequest, part: Part): Promise<HttpResponse> {
  return page(await readingOf(request, part));
}

/** Renders charts, with counts up to this moment. */
async function chartsView(request: PageRequest, range: ChartRange, about: CountedSubject): Promise<Html> {
  const { timeZone } = request.config;
  await request.caughtUp();
  const charts = await chartsOf(request.store, range, about);
  const pair = charts.map((chart) => chartFigure(chart, (at) => timeZone.isoOf(at).slice(11, 16)));
  return pair.some(({ text }) => text !== "") ? html`<div class="pair">${pair}</div>` : html``;
}

/** The large figures of Now: live verifications as in the chart, and their money. */
const NowFigures = Type.Object({
  calls: Type.Integer({ label: "Live verifications", headline: { before: "calls_before", better: "up" } }),
  answered: orNull(
    Type.Number({ unit: "%", label: "Answered", headline: { before: "answered_before", better: "up" } }),
  ),
  charged: { ...naira, headline: { before: "charged_before", better: "up" } },
  margin: { ...naira, headline: { before: "margin_before", better: "up" } },
});

/** Returns the share of verifications with a record or without a match, in percent with one decimal. */
function shareOf({ calls, answered }: LiveCalls): number | null {
  return successOf({ attempts: calls, refused: 0, answered });
}

function marginOf({ charged, billed }: Pick<TrendFigures, "charged" | "billed">): number {
  return charged - billed;
}

function sumOf(steps: readonly LiveCalls[]): LiveCalls {
  const sum = (of: (one: LiveCalls) => number) => steps.reduce((all, one) => all + of(one), 0);
  return { calls: sum(({ calls }) => calls), answered: sum(({ answered }) => answered) };
}

/** Renders the last day's live verifications and their money, compared with the day before. */
async function dayFigures(request: PageRequest): Promise<Html> {
  if (commandsShownAs(request.site, "figures").length === 0) return html``;
  await request.caughtUp();
  const { db, now } = request.store;
  const [{ steps, before }, [day], hours] = await Promise.all([
    liveCalls(request.store, "day"),
    trendOf(db, now(), {}, ["24h"]),
    trendHours(db, now()),
  ]);
  const all = sumOf(steps);
  const row = {
    calls: all.calls,
    answered: shareOf(all),
    charged: day!.last.charged,
    margin: marginOf(day!.last),
    ...(before && {
      calls_before: before.calls,
      answered_before: shareOf(before),
      charged_before: day!.before.charged,
      margin_before: marginOf(day!.before),
    }),
  };
  const lines = [
    steps.map(({ calls }) => calls),
    steps.map(shareOf),
    hours.map(({ charged }) => charged),
    hours.map(marginOf),
  ];
  const figures = headlines(rowShape(NowFigures), row, request.times, "the day before");
  return figureRow(
    figures.map((each, at) => ({
      ...each,
      name: `${each.name}, 24 hours`,
      line: html`<dd class="spark">${sparkline(lines[at]!)}</dd>`,
    })),
  );
}

/** Renders the last hour's live verifications, and the money of the last full hour and of the current one. */
async function hourFigures(request: PageRequest): Promise<Html> {
  if (commandsShownAs(request.site, "figures").length === 0) return html``;
  await request.caughtUp();
  const now = request.store.now();
  const [{ steps }, hours] = await Promise.all([liveCalls(request.store, "hour"), trendHours(request.store.db, now)]);
  const sum = (of: (one: TrendFigures) => number) => hours.slice(-2).reduce((all, one) => all + of(one), 0);
  const all = sumOf(steps);
  const money = { charged: sum(({ charged }) => charged), margin: sum(marginOf) };
  const row = { calls: all.calls, answered: shareOf(all), ...money };
  const spans = ["60 minutes", "60 minutes", sinceText(request), sinceText(request)];
  const figures = headlines(rowShape(NowFigures), row, request.times, "");
  return figureRow(figures.map((each, at) => ({ ...each, name: `${each.name}, ${spans[at]}` })));
}

/** Returns "since" and the start of the hour before the current one, because the sums are sums of whole hours. */
function sinceText({ store, config }: PageRequest): string {
  const now = store.now();
  return `since ${config.timeZone.shortOf(now - (now % 3_600_000) - 3_600_000, now)}`;
}

/** Renders one line about a healthy service, or a band with the worst alarm and its mend. */
async function healthView(request: PageRequest): Promise<Html> {
  const status = await statusOf(request);
  if (!status) return html``;
  const { vendors, alarms, command } = status;
  const band = bandOf(request, command, alarms);
  const open = alarms.filter(({ state }) => state === "open");
  if (band) return band;
  const serving = vendors.filter(({ ready }) => ready).length;
  const all = vendors.length;
  const well =
    all === 0
      ? pill("plain", "No live vendor is set")
      : serving === all
        ? pill("good", all === 1 ? "The vendor serves" : `All ${all} vendors serve`)
        : pill("warn", `${serving} of ${all} vendors serve`);
  const waits = open.filter(({ rank }) => rank === 3).length;
  const costs = open.length - waits;
  const says = [
    ...(costs === 0 ? [] : [`${things(costs)} ${costs === 1 ? "costs" : "cost"} money`]),
    ...(waits === 0 ? [] : [`${things(waits)} ${waits === 1 ? "waits" : "wait"} for somebody`]),
  ];
  const none = alarms.length === 0 ? html` <a href="/alarms/list">All alarms</a>` : "";
  return html`<p class="health">${well} <span>${says.join("; ") || "Nothing needs a hand"}.${none}</span></p>`;
}

function things(count: number): string {
  return count === 1 ? "1 thing" : `${count} things`;
}

/** Returns the status. Parts that refresh together share one reading. */
async function statusOf(request: PageRequest): Promise<(StatusFacts & { command: ConsoleCommand }) | undefined> {
  const [command] = commandsShownAs(request.site, "state");
  if (!command) return undefined;
  const facts = (await shownTo(request, command, await statusFacts(request, 1_000))) as StatusFacts;
  return { ...facts, command };
}

/** Renders the list of alarms. */
async function handsView(request: PageRequest): Promise<Html> {
  const status = await statusOf(request);
  return status ? alarmsPart(request, status.command, status.alarms) : html``;
}

/** Renders the tables of vendors and of the service. */
async function tablesView(request: PageRequest, range: ChartRange): Promise<Html> {
  const [status, vendors] = await Promise.all([
    statusOf(request),
    Promise.all(commandsShownAs(request.site, "table").map((command) => tableOf(request, command, range))),
  ]);
  return html`${vendors}${status ? serviceStrip(request, status) : ""}`;
}

async function tableOf(request: PageRequest, command: ConsoleCommand, range: ChartRange): Promise<Html> {
  const hasSpans = membersOf(command.input).some(({ name }) => name === "hour");
  const { answer } = await runAs(request, command, hasSpans && range === "hour" ? { hour: "on" } : {});
  const { path, title } = placeOf(request.site, command);
  const span = hasSpans ? `, ${range === "day" ? "24 hours" : sinceText(request)}` : "";
  return html`<section><div class="heads"><h2>${command.title ?? title}${span}</h2><a href="${path}">${title}</a></div>${answerOf(request, command, answer)}</section>`;
}

function serviceStrip(
  request: PageRequest,
  { instances, revision, published_at, last_backup_at, vendors, takes_writes: isUp }: StatusFacts,
) {
  const now = request.store.now();
  // While the store takes no writes, nothing can be sealed.
  const faults = request.auditAlarms().filter((fault) => isUp || fault !== "not_sealed");
  const facts: Record<string, Html | string> = {
    Store: isUp ? pill("good", "ready") : pill("bad", "takes no writes"),
    "Audit trail":
      faults.length === 0
        ? isUp
          ? pill("good", "whole")
          : "waits for the store"
        : pill("bad", faults.join(", ").replaceAll("_", " ")),
    ...(vendors.length > 0 && { Vendors: html`${vendors.map(({ name }) => vendorLink(request, name))}` }),
    Instances: String(instances),
    Catalogue:
      revision === null
        ? "empty"
        : html`<a href="/catalogue">revision ${revision}</a>, ${ageOf(now - published_at!)} old`,
    Backup: last_backup_at === null ? "never" : `${ageOf(now - last_backup_at)} ago`,
  };
  const lines = Object.entries(facts).map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`);
  return html`<section><h2 class="visually-hidden">Service</h2><dl class="strip">${lines}</dl></section>`;
}

function vendorLink({ site }: PageRequest, name: string): Html {
  const address = recordAddress(site, { kind: "vendor", name });
  return address === undefined ? html`${vendorTitle(name)} ` : html`<a href="${address}">${vendorTitle(name)}</a> `;
}

function ageOf(milliseconds: number): string {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000));
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

function rangeIn(query: URLSearchParams): ChartRange {
  return query.get("range") === "hour" ? "hour" : "day";
}
