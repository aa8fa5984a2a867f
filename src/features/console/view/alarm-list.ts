import type { AlarmFacts } from "../../../commands/alarm.ts";
import { ranks, rankTones } from "../../../commands/alarm.ts";
import type { TimeTexts } from "../../../declare/command/answer-table.ts";
import { titleOf } from "../../../declare/command.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import { addressOf, type SiteMap } from "../site-map.ts";
import { timeOf } from "./cells.ts";
import { mendAddress } from "./command-words.ts";
import { type MenuLink, moreMenu } from "./menus.ts";
import type { Say } from "./words.ts";

interface AlarmParts {
  site: SiteMap;
  say: Say;
  times: TimeTexts;
}

/** Returns an alarm's buttons, and its mends that have no page here. */
function mendsOf({ mends }: AlarmFacts, { site, say }: AlarmParts) {
  const links: MenuLink[] = [];
  const others: Html[] = [];
  for (const mend of mends) {
    const address = mendAddress(site, mend);
    if (address === undefined) others.push(html` ${say.mend(mend)}`);
    else links.push({ address, text: say.words(mend.says) });
  }
  return { links, others };
}

/** Returns the worst open alarm if it stops the service. A band above each page shows it. */
export function worstOf(alarms: readonly AlarmFacts[]): AlarmFacts | undefined {
  const worst = alarms.find(({ state }) => state === "open");
  return worst?.rank === 1 ? worst : undefined;
}

/**
 * Renders the worst alarm as a band, with a button for its mend, or a link to the status. `path`: the current page,
 * which gets no link to itself.
 */
export function alarmBand(
  alarm: AlarmFacts,
  { path, state, ...parts }: AlarmParts & { path: string; state: MenuLink },
  actions: readonly MenuLink[],
): Html {
  const { links, others: left } = mendsOf(alarm, parts);
  const pages = links.length === 0 ? [state] : links;
  const [mend, ...others] = pages.filter(({ address }) => address.split("?")[0] !== path);
  const since = alarm.since === null ? "" : html`Since ${timeOf(alarm.since, parts.times.textOf(alarm.since))}.`;
  return html`<section class="band" aria-label="What stops the service"><h2>${parts.say(alarm.headline)}</h2><p>${since} ${parts.say(alarm.detail)}${left}${runbookOf(alarm)}</p><div class="tools">${mend ? html`<a class="button main" href="${mend.address}">${mend.text}</a>` : ""}${moreMenu(alarm.alarm, [...others, ...actions])}</div></section>`;
}

/** Renders the alarm's runbook section. Without a URL, only alarms that stop the service name it. */
function runbookOf({ runbook, rank }: AlarmFacts): Html | string {
  if (runbook === null) return "";
  if (/^https?:/.test(runbook)) return html` <a href="${runbook}" rel="noreferrer">Runbook</a>`;
  return rank === 1 ? html` Runbook: ${runbook}.` : "";
}

/** Renders alarms by rank, and then those that end by themselves. */
export function alarmList(
  alarms: readonly AlarmFacts[],
  { actionsOf, ...parts }: AlarmParts & { actionsOf: (row: Record<string, unknown>) => readonly MenuLink[] },
): Html {
  const worst = worstOf(alarms);
  const ending = alarms.filter(({ state }) => state === "ends_by_itself");
  const byRank = Map.groupBy(
    alarms.filter((alarm) => !ending.includes(alarm)),
    ({ rank }) => rank,
  );
  const linesOf = (some: readonly AlarmFacts[]) =>
    html`<ol>${some.map((alarm) => alarmLine(alarm, { ...parts, isSaid: alarm === worst }, actionsOf({ ...alarm })))}</ol>`;
  const groups = [...byRank].map(([rank, some]) => {
    const name = `${ranks[rank].charAt(0).toUpperCase()}${ranks[rank].slice(1)}`;
    const many = some.filter(({ state }) => state === "open").length > 1;
    const all = many && changeOfRank(parts.site);
    const link = all ? html` <a href="${addressOf(all, { rank: String(rank) })}">${titleOf(all)}</a>` : "";
    return html`<h3>${name}${link}</h3>${linesOf(some)}`;
  });
  const last = ending.length === 0 ? "" : html`<h3>Ends by itself</h3>${linesOf(ending)}`;
  return html`<div class="alarms">${groups}${last}</div>`;
}

/** Returns the command that acts on all alarms of a rank. */
function changeOfRank({ commands }: SiteMap) {
  return [...commands.values()].find(({ kind, input }) => kind === "change" && "rank" in input.properties);
}

/** `isSaid`: the band above already shows the details. */
function alarmLine(
  alarm: AlarmFacts,
  { isSaid, ...parts }: AlarmParts & { isSaid: boolean },
  actions: readonly MenuLink[],
): Html {
  const { state, rank, since, count, until, note } = alarm;
  const { links, others: left } = mendsOf(alarm, parts);
  const [mend, ...others] = links;
  const tone = state === "acknowledged" ? "good" : rankTones[rank];
  const worked =
    state === "acknowledged"
      ? html` Acknowledged by ${parts.say([{ actor: alarm.acknowledged_by ?? "" }])}${until === null ? "" : html` until ${timeOf(until, parts.times.textOf(until))}`}${note ? `: ${note}` : ""}.`
      : "";
  const many =
    count !== null && count > 1 && !alarm.headline.some((piece) => typeof piece === "string" && /\d/.test(piece))
      ? `${count.toLocaleString("en")}. `
      : "";
  const says = html`${many}${isSaid ? "" : parts.say(alarm.detail)}${left}${runbookOf(alarm)}${worked}`;
  const dot = says.text.trim() === "" ? "" : ".";
  return html`<li class="${tone}"><div><strong>${parts.say(alarm.headline)}${dot}</strong> <span class="quiet">${says}</span></div>${since === null ? html`<span></span>` : timeOf(since, parts.times.textOf(since))}<div class="tools">${mend ? html`<a class="button" href="${mend.address}">${mend.text}</a>` : ""}${moreMenu(alarm.alarm, [...others, ...actions])}</div></li>`;
}
