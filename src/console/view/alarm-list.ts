import type { AlarmFacts } from "../../commands/alarm-commands.ts";
import { ranks } from "../../commands/health/alarms.ts";
import { type Html, html } from "../../http/pages/html.ts";
import type { TimeTexts } from "../../operation/command/answer-table.ts";
import type { SiteMap } from "../site-map.ts";
import { timeOf } from "./cells.ts";
import { lineAddress, type Say } from "./command-words.ts";
import { type MenuLink, moreMenu } from "./menus.ts";
import { inWords, type Names } from "./words.ts";

interface AlarmParts {
  site: SiteMap;
  say: Say;
  times: TimeTexts;
  names: Names;
}

/** The sentences of an alarm, apart from what mends it: "See it: duba catalogue show d4" is a button. */
function told(what: string, { site }: Pick<AlarmParts, "site">) {
  const mends: MenuLink[] = [];
  const rest = what.replaceAll(
    / ?([A-Z][^.:]*): (duba (?:[^.]|\.(?=\w))*?)(?=\. |\.?$)/g,
    (whole, text: string, line: string) => {
      const address = lineAddress(site, line);
      if (address === undefined) return whole;
      mends.push({ address, text });
      return "";
    },
  );
  const [, headline = rest, detail = ""] = /^(.+?)\.(?: ([A-Z].*)|$)/s.exec(rest) ?? [];
  return { headline: headline.replace(/\.$/, ""), detail: detail.replace(/^[. ]+/, ""), mends };
}

/** The worst alarm, if it stops the service: a band above the page says it. */
export function worstOf(alarms: readonly AlarmFacts[]): AlarmFacts | undefined {
  const worst = alarms.find(({ state }) => state === "open");
  return worst?.rank === 1 ? worst : undefined;
}

/** The worst that there is, with the button that mends it. */
export function alarmBand(alarm: AlarmFacts, parts: AlarmParts, actions: readonly MenuLink[]): Html {
  const { headline, detail, mends } = told(alarm.what, parts);
  const [mend, ...others] = mends;
  const since = alarm.since === null ? "" : html`Since ${timeOf(alarm.since, parts.times.textOf(alarm.since))}.`;
  return html`<section class="band" aria-label="What stops the service"><h2>${inWords(headline, parts.names)}</h2><p>${since} ${parts.say(detail)}</p><div class="tools">${mend ? html`<a class="button main" href="${mend.address}">${inWords(mend.text)}</a>` : ""}${moreMenu(alarm.alarm, [...others, ...actions])}</div></section>`;
}

/** What needs a hand, by rank. */
export function alarmList(
  alarms: readonly AlarmFacts[],
  { actionsOf, ...parts }: AlarmParts & { actionsOf: (row: Record<string, unknown>) => readonly MenuLink[] },
): Html {
  const heads = html`<div class="heads"><h2>Needs a hand</h2><a href="/alarms/list">All alarms</a></div>`;
  if (alarms.length === 0)
    return html`<section>${heads}<p class="empty"><strong>Nothing needs a hand.</strong></p></section>`;
  const byRank = [...Map.groupBy(alarms, ({ rank }) => rank)].map(([rank, some]) => {
    const name = `${ranks[rank].charAt(0).toUpperCase()}${ranks[rank].slice(1)}`;
    return html`<h3>${name}</h3><ol>${some.map((alarm) => alarmLine(alarm, parts, actionsOf({ ...alarm })))}</ol>`;
  });
  return html`<section>${heads}<div class="alarms">${byRank}</div></section>`;
}

function alarmLine(alarm: AlarmFacts, parts: AlarmParts, actions: readonly MenuLink[]): Html {
  const { state, rank, since, count, until, note } = alarm;
  const { headline, detail, mends } = told(alarm.what, parts);
  const [mend, ...others] = mends;
  const tone = state === "acknowledged" ? "good" : rank === 1 ? "bad" : rank === 2 ? "warn" : "";
  const by = alarm.acknowledged_by ?? "";
  const worked =
    state === "acknowledged"
      ? html` Acknowledged by ${inWords(by, parts.names)}${until === null ? "" : html` until ${timeOf(until, parts.times.textOf(until))}`}${note ? `: ${note}` : ""}.`
      : "";
  const many = count !== null && count > 1 && !/\d/.test(headline) ? `${count.toLocaleString("en")}. ` : "";
  return html`<li${tone === "" ? "" : html` class="${tone}"`}><div><strong>${inWords(headline, parts.names)}</strong> <span class="quiet">${many}${parts.say(detail)}${worked}</span></div>${since === null ? html`<span></span>` : timeOf(since, parts.times.textOf(since))}<div class="tools">${mend ? html`<a class="button" href="${mend.address}">${inWords(mend.text)}</a>` : ""}${moreMenu(alarm.alarm, [...others, ...actions])}</div></li>`;
}
