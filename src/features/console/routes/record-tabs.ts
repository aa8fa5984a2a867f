import { memberWith } from "../../../declare/command/answer-table.ts";
import { isRow } from "../../../declare/command/projected.ts";
import { membersOf } from "../../../declare/command/read-texts.ts";
import { mostCounted, titleOf } from "../../../declare/command.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import type { PageRequest } from "../console-room.ts";
import {
  addressOf,
  type ConsoleCommand,
  familyOf,
  isMaker,
  pathOf,
  placeOf,
  type SiteMap,
  urlOf,
} from "../site-map.ts";
import type { FormTexts } from "../view/command-form.ts";
import type { MenuLink } from "../view/menus.ts";
import { recordShownBy } from "../view/record-links.ts";
import { answerIfFound, contextForPerson } from "./run-as.ts";

/** The record that a page is about, the command that shows it, and its id, e-mail or name. */
export interface PageSubject {
  show: ConsoleCommand;
  by: string;
  name: string;
  answer: unknown;
}

/** Returns the record that a page shows, or whose details it lists, such as an account's keys. */
export async function subjectOfPage(
  request: PageRequest,
  command: ConsoleCommand,
  texts: FormTexts,
  shown?: unknown,
): Promise<PageSubject | undefined> {
  for (const { show: id, by, named } of Object.values(request.site.records)) {
    const show = request.site.commands.get(id);
    const [name, ...more] = texts[by] ?? [];
    if (!show || !recordShownBy(request.site, show) || name === undefined || more.length > 0 || !named.test(name))
      continue;
    if (show !== command && !tabsOf(request.site, show, by).includes(command)) continue;
    const answer = show === command ? shown : await answerIfFound(request, show, { [by]: name });
    if (isRow(answer)) return { show, by, name, answer };
  }
  return undefined;
}

/**
 * Returns the commands that become tabs of a record: reads that take its id, except the list below it and the list that
 * contains it.
 */
function tabsOf(site: SiteMap, show: ConsoleCommand, by: string): ConsoleCommand[] {
  const { below } = recordShownBy(site, show)!;
  return aboutSame(site, show, by).filter(
    (other) => other.kind === "read" && other.id !== below && other.id !== placeOf(site, show).opens,
  );
}

export function tabText(site: SiteMap, command: ConsoleCommand): string {
  const { opens, title } = placeOf(site, command);
  return command.tab?.title ?? (opens === command.id ? title : titleOf(command));
}

export function tabAddress(site: SiteMap, command: ConsoleCommand, texts: Record<string, string>): string {
  const { opens, path } = placeOf(site, command);
  return urlOf(opens === command.id ? path : pathOf(command), new URLSearchParams(), texts);
}

/** Renders the tabs of a record. The first one is the record's page. `current`: the open tab. */
export async function tabs(
  request: PageRequest,
  { show, by, name }: PageSubject,
  current: ConsoleCommand,
): Promise<Html> {
  const { site } = request;
  const about = tabsOf(site, show, by);
  if (about.length === 0) return html``;
  const links = [show, ...about].map(async (other) => {
    const address = tabAddress(site, other, { [by]: name });
    const many = await other.tab?.count?.({ [by]: name }, contextForPerson(request));
    const count = many === undefined ? "" : html` <small>${many < mostCounted ? many : `${mostCounted - 1}+`}</small>`;
    const isOpen = other === current ? html` aria-current="page"` : "";
    return html`<a${isOpen} href="${address}">${other === show ? "Overview" : tabText(site, other)}${count}</a>`;
  });
  return html`<nav class="tabs" aria-label="About it">${await Promise.all(links)}</nav>`;
}

/** Returns links to commands that create something for the page's record, such as a new key for an account. */
export function makers({ site }: PageRequest, command: ConsoleCommand, texts: FormTexts): MenuLink[] {
  const [name] = command.target ?? [];
  const [subject] = (name !== undefined && texts[name]) || [];
  if (!recordShownBy(site, command) || name === undefined || subject === undefined) return [];
  return aboutSame(site, command, name)
    .filter(({ id }) => isMaker({ id }))
    .map((other) => ({ id: other.id, address: addressOf(other, { [name]: subject }), text: other.title }));
}

/**
 * Returns the other commands that take the record's id. A member named `id` counts only in commands of the same family
 * and in the record's tabs.
 */
function aboutSame(site: SiteMap, command: ConsoleCommand, name: string): ConsoleCommand[] {
  const { tabs = [] } = recordShownBy(site, command) ?? {};
  return [...site.commands.values()].filter(
    (other) =>
      other.id !== command.id &&
      (name !== "id" || familyOf(other) === familyOf(command) || tabs.includes(other.id)) &&
      membersOf(other.input).some((member) => member.name === name) &&
      memberWith("holds", other.answer) === undefined,
  );
}
