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

/** What a page is about: the record, the command that shows it, and its name. */
export interface PageSubject {
  show: ConsoleCommand;
  by: string;
  name: string;
  answer: unknown;
}

/** The record that a page shows, or of which it shows more: the keys of an account. */
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
 * What shows more of a record: each list and report that takes its name, but what stands on its page, and the list that
 * it is a row of.
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

/** The pages about the same thing, as tabs. The first one is the page of the thing. `current`: the one that is open. */
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

/** What makes more of a thing: of an account a new key. */
export function makers({ site }: PageRequest, command: ConsoleCommand, texts: FormTexts): MenuLink[] {
  const [name] = command.target ?? [];
  const [subject] = (name !== undefined && texts[name]) || [];
  if (!recordShownBy(site, command) || name === undefined || subject === undefined) return [];
  return aboutSame(site, command, name)
    .filter(({ id }) => isMaker({ id }))
    .map((other) => ({ id: other.id, address: addressOf(other, { [name]: subject }), text: other.title }));
}

/** The other commands that take the name of the thing. Each family has ids of its own. */
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
