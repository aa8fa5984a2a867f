import type { ConsolePage } from "../../../commands/console-page.ts";
import type { FoundRow } from "../../../commands/records/record-kinds.ts";
import {
  belowState,
  recordOf,
  type Table,
  type TableRow,
  type TimeTexts,
} from "../../../declare/command/answer-table.ts";
import { amount, expiry } from "../../../declare/command/forms.ts";
import { isRow } from "../../../declare/command/projected.ts";
import { type Member, membersOf } from "../../../declare/command/read-texts.ts";
import type { Text } from "../../../declare/command/rich-text.ts";
import { titleOf } from "../../../declare/command.ts";
import { eventText } from "../../../declare/event.ts";
import { nairaOf } from "../../../declare/money.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import type { PageRequest } from "../console-room.ts";
import {
  type ConsoleCommand,
  commandsAt,
  familyOf,
  isMaker,
  labelFor,
  menuGroupOf,
  pathOf,
  urlOf,
} from "../site-map.ts";
import { copyButton } from "../view/answer-view.ts";
import { shownAs } from "../view/cells.ts";
import { type FormState, type FormTexts, repeated } from "../view/command-form.ts";
import { rowShape } from "../view/figures.ts";
import { type MenuLink, moreMenu } from "../view/menus.ts";
import { labelIn } from "../view/paged-table.ts";
import { recordLinks, recordShownBy } from "../view/record-links.ts";
import { calledName, wordOf } from "../view/words.ts";
import { learnNames, namedInTexts } from "./learn-names.ts";
import { pickedFrom } from "./pickers.ts";
import { answerIfFound, contextForPerson } from "./run-as.ts";

/** Returns what a form needs in addition to its input. */
export async function formParts(
  request: PageRequest,
  command: ConsoleCommand,
  texts: FormTexts,
): Promise<Omit<FormState, "texts" | "problem">> {
  const { say, config, session } = request;
  await learnNames(request.store.db, request.names, namedInTexts(command, texts));
  return {
    formToken: session.formToken,
    person: session.person.id,
    say,
    zone: config.timeZone.name,
    vendors: config.upstreams,
    lists: await pickedFrom(request, command),
    set: await setNow(request, command, texts),
    subject: nameOfTarget(request, command, texts),
  };
}

/** Returns the name of the command's target; empty if the target has only an id. */
function nameOfTarget({ names }: PageRequest, command: ConsoleCommand, texts: FormTexts): string {
  const { target: [by] = [] } = command;
  const [name] = (by !== undefined && repeated(command).includes(by) && texts[by]) || [];
  if (name === undefined) return "";
  const called = calledName(name, names);
  return called !== name || /^d\d+$/.test(name) || name.includes("@") ? called : "";
}

/** Form members whose name differs in the record. */
const recordNames: Readonly<Record<string, string>> = { expires: "expires_at", scope: "scopes", address: "addresses" };

/** Returns the target's record as its page shows it; undefined if there is none, or the role may not see it. */
export async function targetRecord(request: PageRequest, { id, target: [by] = [] }: ConsoleCommand, texts: FormTexts) {
  const record = Object.values(request.site.records).find(
    ({ by: named, show }) =>
      named === by && show.endsWith(".show") && (by !== "id" || familyOf({ id: show }) === familyOf({ id })),
  );
  const command = record && request.site.commands.get(record.show);
  const [name] = (by !== undefined && texts[by]) || [];
  if (!command || name === undefined || !record.named.test(name)) return undefined;
  const answer = await answerIfFound(request, command, { [by!]: name });
  return isRow(answer) ? { record, command, answer } : undefined;
}

/** Returns the record's current values of the members that the form can change, as field texts. */
async function setNow(request: PageRequest, command: ConsoleCommand, texts: FormTexts): Promise<FormTexts> {
  const { kind, target: [by] = [], input } = command;
  const { answer } = (kind !== "read" && (await targetRecord(request, command, texts))) || {};
  return Object.fromEntries(
    membersOf(input).flatMap(({ name, member }) => {
      const value = answer?.[recordNames[name] ?? name];
      return value === undefined || name === by ? [] : [[name, fieldTexts(member, value, request.times)]];
    }),
  );
}

/** Formats a record's value as text for a form field. */
function fieldTexts({ items, form = items?.form ?? "", enum: words }: Member, value: unknown, times: TimeTexts) {
  if (Array.isArray(value) && value.length > 0) return value.map(String);
  // Null and an empty list become an empty field.
  if (value === null || Array.isArray(value)) return [];
  if (words?.includes("on")) return [value ? "on" : "off"];
  if (typeof value !== "number") return [String(value)];
  return [
    form.startsWith(amount.form) ? nairaOf(value) : form.startsWith(expiry.form) ? times.textOf(value) : String(value),
  ];
}

/** Returns the name of the command's target, from the input. */
function subjectOf({ names }: PageRequest, command: ConsoleCommand, texts: FormTexts): string {
  const { target, input } = command;
  // Private texts, and pasted ones that may be private, must not stand in a heading.
  const shown = repeated(command);
  const required = membersOf(input).flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
  const given = (target ?? required)
    .filter((each) => shown.includes(each))
    .flatMap((each) => (texts[each] ?? []).map((text) => names.get(text) ?? wordOf(named(each, text), names)));
  return given.join(", ");
}

const named = (name: string, text: string) => ({ name, shows: name === "account" ? "account" : "text", text }) as const;

/**
 * Returns the page title: "New key" for "keys.create", "Kobo Pay" for a record, "Statement of Kobo Pay" for a report.
 */
export function pageTitle(
  request: PageRequest,
  command: ConsoleCommand,
  texts: FormTexts = {},
  answer?: unknown,
): string {
  const title = titleOf(command);
  const record = recordShownBy(request.site, command);
  if (record && isRow(answer)) return record.title(answer);
  const subject = subjectOf(request, command, texts);
  if (subject === "") return title;
  return command.kind === "read" ? `${title} of ${subject}` : `${title}: ${subject}`;
}

/** The head of a page: location, title, state and buttons. */
interface Head {
  crumb?: ConsolePage | undefined;
  title: string;
  state?: Html | string;
  tools?: Html | string;
  below?: Html | string;
}

/** A title of more characters may be cut on a phone, so it gets a tooltip. */
const longTitle = 40;

export function pageHead({ crumb, title, state = "", tools = "", below = "" }: Head): Html {
  const above = crumb ? html`<p class="crumb"><a href="${crumb.path}">${crumb.title}</a></p>` : "";
  return html`<header>${above}<div class="title"><h1${title.length > longTitle ? html` title="${title}"` : ""}>${title}</h1>${state}<div class="tools">${tools}</div></div>${below}</header>`;
}

/** Renders the head of a command's page with its form. */
export function formHead(request: PageRequest, command: ConsoleCommand, place: ConsolePage, texts: FormTexts): Html {
  const { guide } = command;
  const { say } = request;
  const below = guide
    ? html`<details><summary>${guide.heading.replace(/[.:]$/, "")}</summary><dl class="facts">${guide.items.map(([term, text]) => html`<div><dt>${/^[a-z]+\.[a-z_.]+$/.test(term) ? eventText(term) : term}</dt><dd>${say(text)}</dd></div>`)}</dl></details>`
    : "";
  return pageHead({ crumb: place, title: pageTitle(request, command, texts), below });
}

/** Renders the head of an answer: name, state and buttons of a record; title of a list. */
export function answerHead(
  request: PageRequest,
  command: ConsoleCommand,
  place: ConsolePage,
  { texts, answer, links }: { texts: FormTexts; answer: unknown; links: readonly MenuLink[] },
): Html {
  const record = recordShownBy(request.site, command);
  const title = pageTitle(request, command, texts, answer);
  // A report offers itself in another form.
  const [first] = (record?.primary ?? [command.id]).flatMap((id) => {
    const own = links.filter((link) => link.id === id);
    return own.find(({ isWhole }) => isWhole) ?? own;
  });
  const beside = links.filter(
    (link, at) =>
      link !== first &&
      record?.beside?.includes(link.id ?? "") &&
      (link.isPart || links.findIndex(({ id }) => id === link.id) === at),
  );
  const others = links.filter((link) => link !== first && !beside.includes(link));
  const plain = beside.map(({ address, text }) => html`<a class="button" href="${address}">${text}</a>`);
  const tools = html`${first ? html`<a class="button main" href="${first.address}">${first.text}</a>` : ""}${plain}${moreMenu("this page", others)}`;
  if (!record || !isRow(answer))
    return pageHead({
      crumb: place,
      title,
      tools,
      below: figuresLine(request, command, answer) || html`<p class="quiet">${request.say(command.summary)}</p>`,
    });
  const { state, meta } = metaOf(request, command, answer);
  const said = record.says === undefined ? "" : answer[record.says];
  const says = said ? html`<p class="says">${request.say(said as Text)}</p>` : "";
  return pageHead({ crumb: place, title, state, tools, below: html`${meta}${says}` });
}

/** Renders the figures of an answer as a sentence below the title. */
export function figuresLine({ times }: PageRequest, command: ConsoleCommand, answer: unknown): Html | "" {
  const at = (time: number | null) => (time === null ? "–" : times.textOf(time));
  const figures = (answer !== undefined && command.figures?.(answer as never, { at })) || "";
  return figures === "" ? "" : html`<p class="meta">${figures}</p>`;
}

/** Renders one line about a record: its main facts. */
export function metaOf(
  request: PageRequest,
  command: ConsoleCommand,
  answer: FoundRow,
  without = "",
): { state: Html | string; meta: Html } {
  const { state, meta, labelled, members: ids } = recordShownBy(request.site, command)!;
  const members = recordOf(command.answer, answer, request.times);
  const shownOf = (member: (typeof members)[number]) =>
    shownAs({ ...member, text: wordOf(member, request.names) }, request.say);
  const stated = members.find(({ name }) => name === state);
  const link = recordLinks(request.site);
  const facts = meta.flatMap((each) => {
    const member = members.find(({ name }) => name === each && name !== without);
    if (!member) return [];
    const shown = shownOf(member);
    if (each === "id" || ids.includes(each))
      return html`<span class="whole"><span class="id">${member.text}</span> ${copyButton(member.text)}</span>`;
    const address = link(each, member.value);
    const label = labelled?.includes(each) ? html`${member.label ?? labelFor(each)} ` : "";
    return [html`<span>${label}${address === undefined ? shown : html`<a href="${address}">${shown}</a>`}</span>`];
  });
  const below = stated
    ? request.say.words(belowState(rowShape(command.answer).properties![stated.name]!, answer, request.times))
    : "";
  const shownState = stated ? html`${shownOf(stated)}${below === "" ? "" : html` <small>${below}</small>`}` : "";
  return { state: shownState, meta: html`<p class="meta">${facts}</p>` };
}

/** Renders the commands of a page without a table. */
export function commandList({ site, say }: PageRequest, place: ConsolePage): Html {
  return html`<dl class="facts">${commandsAt(site, place).map((command) => html`<div><dt><a href="${pathOf(command)}">${titleOf(command)}</a></dt><dd>${say(command.summary)}</dd></div>`)}</dl>`;
}

/** A longer menu gets a heading for each command family. */
const mostUngrouped = 12;

/**
 * Renders a page's buttons: one filled, and all further buttons in the menu "…". In a short menu, the commands for rows
 * come after the other commands.
 * `isFilled`: false if the page has another filled button.
 */
export function placeTools(
  { site }: PageRequest,
  place: ConsolePage,
  more: readonly MenuLink[],
  { isFilled = true } = {},
): Html {
  const primary = place.primary === undefined ? undefined : site.commands.get(place.primary);
  const commands = commandsAt(site, place).filter(({ id }) => id !== primary?.id);
  const parts =
    commands.length > mostUngrouped
      ? [...Map.groupBy(commands, menuGroupOf)]
      : [commands.filter((each) => !actsOnRow(each)), commands.filter(actsOnRow)].map(
          (some) => [undefined, some] as const,
        );
  const links = parts.flatMap(([heading, some], part) =>
    some.map(
      (command, at): MenuLink => ({
        address: pathOf(command),
        text: command.title,
        isDanger: command.kind === "danger",
        isApart: at === 0 && part > 0,
        heading: at === 0 ? heading : undefined,
      }),
    ),
  );
  const button = isFilled ? "button main" : "button";
  const filled = primary ? html`<a class="${button}" href="${pathOf(primary)}">${primary.title}</a>` : "";
  return html`${filled}${moreMenu(place.title, [...links, ...more])}`;
}

function actsOnRow({ id, input, target: [name] = [] }: ConsoleCommand): boolean {
  if (isMaker({ id })) return false;
  const member = membersOf(input).find((each) => each.name === name)?.member;
  return member !== undefined && !member.private && member.holds === undefined;
}

/** Renders a search field for rows. Its placeholder names at most two columns. */
export function finder({ path, query }: PageRequest, columns: Table["columns"]): Html {
  const kept = [...query].filter(([name]) => name !== "_find" && name !== "_page");
  const kinds = ["account", "event", "reference", "richText", "text"];
  const named = columns.filter(({ shows }) => kinds.includes(shows)).slice(0, 2);
  const nameOf = (column: (typeof named)[number]) => (column.name === "actor" ? "who" : labelIn(column));
  const label = capital(named.map((column) => nameOf(column).replace(/^[A-Z](?![A-Z])/, lower)).join(" or "));
  return html`<form class="tools" method="get" action="${path}">${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label class="visually-hidden" for="find">Find in these rows</label><input id="find" type="search" name="_find" placeholder="${label || "Find in these rows"}" value="${query.get("_find") ?? ""}"><button class="button">Find</button></form>`;
}

const lower = (text: string) => text.toLowerCase();

/** A member with more words becomes a field of the form instead of links. */
const mostChips = 8;

/** Returns the members that become links above a list: flags, and members with few words. */
export function chipMembers({ input }: ConsoleCommand) {
  return membersOf(input).flatMap(({ name, member, isRequired }) => {
    const words = member.type === "boolean" ? ["true"] : (member.enum ?? []);
    const areFew = words.length > 0 && words.length <= mostChips;
    return !isRequired && member.default === undefined && areFew ? [{ name, words }] : [];
  });
}

/** Renders filter links, such as states with their row counts. `all`: the unfiltered rows, if already read. */
export async function chips(
  request: PageRequest,
  command: ConsoleCommand,
  path: string,
  all?: readonly TableRow[],
): Promise<Html> {
  const { query, names } = request;
  const members = chipMembers(command);
  if (members.length === 0) return html``;
  const counts = await command.choiceCounts?.({}, contextForPerson(request), all as never);
  const chip = (text: string, change: Record<string, string | undefined>, isChosen: boolean, many = 0) => {
    const address = urlOf(path, query, { ...change, cursor: undefined, _page: undefined });
    return html`<li><a class="chip" href="${address}"${isChosen ? html` aria-current="true"` : ""}>${capital(text)}${many > 0 ? html` <b>${many.toLocaleString("en")}</b>` : ""}</a></li>`;
  };
  // With another filter, the counts would include rows that it hides.
  const countOf = (name: string, word: string) =>
    [...query].every(([each, text]) => each === name || each.startsWith("_") || text === "")
      ? counts?.[name]?.[word]
      : 0;
  const links = members.flatMap(({ name, words }) =>
    words.map((word) => {
      const isChosen = query.get(name) === word;
      const shown = { name, shows: name === "state" ? "state" : "text", text: word } as const;
      const text = word === "true" ? labelFor(name) : wordOf(shown, names);
      return chip(text, { [name]: isChosen ? undefined : word }, isChosen, countOf(name, word));
    }),
  );
  const none = Object.fromEntries(members.map(({ name }) => [name, undefined]));
  const isAll = members.every(({ name }) => !query.get(name));
  return html`<ul class="chips" aria-label="Show">${chip("All", none, isAll, countOf(members[0]!.name, ""))}${links}</ul>`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
