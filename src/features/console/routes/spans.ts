import { lastDay, moment } from "../../../declare/command/forms.ts";
import { membersOf } from "../../../declare/command/read-texts.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import type { PageRequest } from "../console-room.ts";
import { type ConsoleCommand, urlOf } from "../site-map.ts";

const day = 86_400_000;

/**
 * Links to the usual spans of time of a list. They stand in the address, so that a link that somebody sends shows the
 * same. A filter asks for other days.
 */
export function spans(
  { query, store, config: { timeZone } }: PageRequest,
  { input }: ConsoleCommand,
  path: string,
): Html {
  const members = membersOf(input);
  const start = members.find(({ name, member }) => ["from", "since"].includes(name) && member.form === moment.form);
  const end = members.find(({ name }) => ["to", "until"].includes(name));
  if (!start || !end) return html``;
  const now = store.now();
  const dayBefore = (days: number) => timeZone.dayOf(timeZone.startOfDay(timeZone.dayOf(now)) - (days - 0.5) * day);
  const [today, yesterday] = [timeZone.dayOf(now), dayBefore(1)];
  const month = timeZone.monthOf(now);
  const last = timeZone.monthOf(timeZone.startOfMonth(month) - 1);
  // Some ends are a last day, others the first moment after it.
  const until = (lastIn: string, next: string) => (end.member.form === lastDay.form ? lastIn : next);
  const usual: readonly [name: string, from?: string, to?: string][] = [
    ["Any time"],
    ["Last hour", "1h"],
    ["Today", today],
    ["Yesterday", yesterday, until(yesterday, today)],
    ["7 days", dayBefore(6)],
    ["This month", `${month}-01`],
    ["Last month", `${last}-01`, until(timeZone.dayOf(timeZone.startOfMonth(month) - 1), `${month}-01`)],
  ];
  const links = usual.map(([name, from, to]) => {
    const change = { [start.name]: from, [end.name]: to, cursor: undefined, _page: undefined };
    const isChosen = (query.get(start.name) || undefined) === from && (query.get(end.name) || undefined) === to;
    return html`<a href="${urlOf(path, query, change)}"${isChosen ? html` aria-current="true"` : ""}>${name}</a>`;
  });
  return html`<nav class="switch" aria-label="Time">${links}</nav>`;
}
