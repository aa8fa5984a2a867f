import { lastDay, moment } from "../../../declare/command/forms.ts";
import { membersOf } from "../../../declare/command/read-texts.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import { isDay } from "../../../runtime/time-zone.ts";
import type { PageRequest } from "../console-room.ts";
import { type ConsoleCommand, urlOf } from "../site-map.ts";

const day = 86_400_000;

/** Returns a list's members for the start and the end of a time span. */
function spanMembers({ input }: Pick<ConsoleCommand, "input">) {
  const members = membersOf(input);
  const start = members.find(({ name, member }) => ["from", "since"].includes(name) && member.form === moment.form);
  const end = members.find(({ name }) => ["to", "until"].includes(name));
  return start && end && { from: start.name, to: end.name, isLastDay: end.member.form === lastDay.form };
}

/**
 * Renders links to the usual time spans. The span is part of the URL, so that a shared link has the same span. The
 * filter form takes other days.
 */
export function spans(request: PageRequest, command: ConsoleCommand, path: string): Html {
  const members = spanMembers(command);
  if (members) return spanLinks(request, path, members);
  const { member } = membersOf(command.input).find(({ name }) => name === "span") ?? {};
  const { query } = request;
  const links = (member?.enum ?? []).map((word) => {
    const isChosen = (query.get("span") ?? member!.default) === word;
    return html`<a href="${urlOf(path, query, { span: word })}"${isChosen ? html` aria-current="true"` : ""}>${member!.words?.[word] ?? word}</a>`;
  });
  return links.length === 0 ? html`` : html`<nav class="switch" aria-label="Time">${links}</nav>`;
}

/** Returns the time span in the URL, for a list whose command has no members for a time span. */
export function spanIn(
  query: URLSearchParams,
  zone: PageRequest["config"]["timeZone"],
): { from: number; to: number } | undefined {
  const [from, to] = [query.get("_from") ?? "", query.get("_to") ?? ""];
  if (from === "" && to === "") return undefined;
  return {
    from: moment.read(from, zone) ?? Number.NEGATIVE_INFINITY,
    to: lastDay.read(to, zone) ?? Number.POSITIVE_INFINITY,
  };
}

/**
 * Renders links and date fields for a list whose command has no members for a time span. `of`: the label of the time.
 */
export function pageSpans(request: PageRequest, command: ConsoleCommand, of: string): Html {
  if (spanMembers(command)) return html``;
  const { path, query } = request;
  const kept = [...query].filter(([name]) => !["_from", "_to", "_page"].includes(name));
  const field = (name: string, label: string) => {
    const text = query.get(name) ?? "";
    return html`<label>${label} <input type="date" name="${name}" value="${isDay(text) ? text : ""}"></label> `;
  };
  return html`${spanLinks(request, path, { from: "_from", to: "_to", isLastDay: true }, of)}<details class="filter"><summary>Days</summary><form class="tools" method="get" action="${path}">${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${field("_from", "From")}${field("_to", "To")}<button class="button">Show</button></form></details>`;
}

interface SpanMembers {
  from: string;
  to: string;
  /** Whether the end is a last day. If not, it is the first moment after the span. */
  isLastDay: boolean;
}

function spanLinks(
  { query, store, config: { timeZone } }: PageRequest,
  path: string,
  { from: start, to: end, isLastDay }: SpanMembers,
  of = "Time",
): Html {
  const now = store.now();
  const dayBefore = (days: number) => timeZone.dayOf(timeZone.startOfDay(timeZone.dayOf(now)) - (days - 0.5) * day);
  const [today, yesterday] = [timeZone.dayOf(now), dayBefore(1)];
  const month = timeZone.monthOf(now);
  const last = timeZone.monthOf(timeZone.startOfMonth(month) - 1);
  const until = (lastIn: string, next: string) => (isLastDay ? lastIn : next);
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
    const change = { [start]: from, [end]: to, cursor: undefined, _page: undefined };
    const isChosen = (query.get(start) || undefined) === from && (query.get(end) || undefined) === to;
    return html`<a href="${urlOf(path, query, change)}"${isChosen ? html` aria-current="true"` : ""}>${name}</a>`;
  });
  return html`<nav class="switch" aria-label="${of}">${links}</nav>`;
}
