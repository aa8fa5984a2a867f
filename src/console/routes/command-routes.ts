import type { CommandContext } from "../../commands/context.ts";
import { type Html, html } from "../../http/pages/html.ts";
import type { HttpResponse } from "../../http/shell/http-response.ts";
import { answerCsv } from "../../operation/command/answer-csv.ts";
import { type AnswerFile, list } from "../../operation/command/answer-schema.ts";
import { listOf, listRows, memberWith, partsOf, tableOf } from "../../operation/command/answer-table.ts";
import { membersOf } from "../../operation/command/read-texts.ts";
import { type Command, confirms } from "../../operation/command.ts";
import type { SignedIn } from "../console-request.ts";
import { download, page } from "../console-response.ts";
import type { ConsoleRoom } from "../console-room.ts";
import { type ConsolePage, pathOf, placeOf } from "../site-map.ts";
import { answerView } from "../view/answer-view.ts";
import { asksByUrl, canCheck, commandForm, type FormTexts, problemBox } from "../view/command-form.ts";
import { framedPage, timeElement } from "../view/frame.ts";
import { recordShownBy } from "../view/record-links.ts";
import { seen, viewIn } from "../view/sorted-table.ts";
import { hasMembers, readTextsOf, textsIn, urlOf } from "./form-texts.ts";
import {
  chipMembers,
  chips,
  commandHead,
  commandList,
  filterForm,
  finder,
  formParts,
  seeAlso,
  titleOf,
  toolbar,
} from "./page-parts.ts";
import { aboveTable } from "./place-parts.ts";
import { editorOf, hasEditor, linksOf, pricesLink, recordActions } from "./row-actions.ts";
import { isExpected, redacted, runAs } from "./run-as.ts";

type AnyCommand = Command<CommandContext>;

/** A page with the table that it opens with. */
export async function showPlace(room: ConsoleRoom, visit: SignedIn, place: ConsolePage): Promise<HttpResponse> {
  const query = new URLSearchParams(visit.query);
  if (place.sinceToday && !hasMembers(query)) query.set("from", room.config.timeZone.dayOf(room.store.now()));
  if (place.sort !== undefined && !query.has("_sort")) query.set("_sort", place.sort);
  const asked = { ...visit, query };
  const command = place.opens === undefined ? undefined : room.site.commands.get(place.opens);
  const heading = html`<div class="title"><h1>${place.title}</h1>${toolbar(room, asked, place)}</div>`;
  if (!command) return framed(room, asked, place, place.title, html`${heading}${commandList(room, asked, place)}`);
  const shown = await shownAnswer(room, asked, command, place.path);
  if ("status" in shown) return shown;
  const byForm = new URLSearchParams(visit.query);
  for (const { name } of chipMembers(command)) byForm.delete(name);
  const isOpen = hasMembers(byForm) || shown.problem;
  const filter =
    membersOf(command.input).length === 0
      ? ""
      : html`<details class="filter"${isOpen ? html` open` : ""}><summary>Filter</summary>${await filterForm(room, command, asked, place.path, shown.problem)}</details>`;
  const above = await aboveTable(room, asked, place);
  const main = html`${heading}${above}${await chips(room, command, asked, place.path)}<div class="controls">${filter}${shown.tools}</div>${shown.problem && filter !== "" ? "" : shown.main}`;
  return framed(room, asked, place, place.title, main);
}

/** The form of a command, and its answer once the URL asks for it. */
export async function showCommand(room: ConsoleRoom, asked: SignedIn, command: AnyCommand): Promise<HttpResponse> {
  const members = membersOf(command.input);
  if (!asksByUrl(command) || !(hasMembers(asked.query) || isCheap(command)))
    return commandPage(room, asked, command, { texts: textsIn(command, asked.query) });
  const shown = await shownAnswer(room, asked, command, asked.path);
  if ("status" in shown) return shown;
  const place = placeOf(room.site, command);
  const texts = textsIn(command, asked.query);
  const form =
    members.length === 0
      ? ""
      : commandForm(command, { ...(await formParts(room, asked, command, texts)), texts, problem: shown.problem });
  const isOne = command.target !== undefined;
  const folded = html`<details class="filter"><summary>${isOne ? "Show another" : "Filter"}</summary>${form}</details>`;
  const controls = html`<div class="controls">${members.length === 0 ? "" : folded}${shown.tools}</div>`;
  const main = html`${commandHead(room, command, place, shown.problem ? undefined : texts)}${shown.problem ? form : html`${controls}${seeAlso(room, asked, command, texts)}`}${
    shown.problem && members.length > 0 ? "" : shown.main
  }${shown.problem ? "" : await belowRecord(room, asked, command, texts)}`;
  return framed(
    room,
    asked,
    place,
    titleOf(command, texts),
    main,
    hasEditor(command) ? { scripts: ["htmx.js", "webauthn.js", "passkey.js"] } : {},
  );
}

/** The table about a record that stands on its page. */
async function belowRecord(room: ConsoleRoom, asked: SignedIn, command: AnyCommand, texts: FormTexts) {
  const { by, below } = recordShownBy(command) ?? {};
  const about = below && room.site.commands.get(below);
  const [name] = (by !== undefined && texts[by]) || [];
  if (!about || name === undefined) return "";
  const { answer } = await runAs(room, asked, about, { [by!]: name });
  const links = linksOf(room, asked, placeOf(room.site, about), about);
  const { say, config } = room;
  const parts = {
    command: about,
    answer,
    view: viewIn(new URLSearchParams()),
    say,
    zone: config.timeZone,
    links,
  };
  return html`<h2>${titleOf(about)}</h2>${answerView({ ...parts, urlFor: () => urlOf(pathOf(about), new URLSearchParams(), { [by!]: name }) })}`;
}

/** Whether a page shows the answer before anybody asks for more than the page: of a list that needs no input, and of what is quick. */
function isCheap(command: AnyCommand): boolean {
  const members = membersOf(command.input);
  if (/\.(?:list|entries|summary)$/.test(command.id)) return !members.some(({ isRequired }) => isRequired);
  return members.length === 0 && command.store !== "untimed";
}

/** The answer to the texts of the URL: what to show, or a file. */
async function shownAnswer(
  room: ConsoleRoom,
  asked: SignedIn,
  command: AnyCommand,
  path: string,
): Promise<HttpResponse | { main: Html; tools: Html; problem?: Error }> {
  const { query } = asked;
  try {
    const { answer, plain, said } = await runAs(room, asked, command, readTextsOf(command, query));
    const file = fileOf(command, answer);
    if (file) return file;
    const parts = await answerParts(room, { ...asked, path }, command, { answer, plain });
    if ("status" in parts) return parts;
    const next = nextPage(command, answer);
    const older = html`<p class="links"><a href="${urlOf(path, query, { cursor: next, _page: undefined })}">Older rows</a></p>`;
    const links = linksOf(room, asked, placeOf(room.site, command), command);
    const main = html`${recordActions(links, answer)}${parts.main}
${said === undefined ? "" : html`<p class="quiet age" role="note">${said}</p>`}
${next === undefined ? "" : older}`;
    return { main, tools: html`${parts.find}${parts.csv}${pricesLink(room, asked, command)}` };
  } catch (problem) {
    if (!isExpected(problem)) throw problem;
    return { main: problemBox(redacted(problem), room.say, command), tools: html``, problem };
  }
}

/** An answer with what finds rows in it, in the view that the URL says; or its CSV, if the URL asks for that. `plain`: as programs have it. */
export async function answerParts(
  room: ConsoleRoom,
  asked: SignedIn,
  command: AnyCommand,
  { answer, plain }: { answer: unknown; plain: unknown },
): Promise<HttpResponse | { main: Html; find: Html; csv: Html }> {
  const { path, query } = asked;
  const zone = room.config.timeZone;
  const view = viewIn(query);
  const table = listOf(command.answer) && tableOf(command, answer, list, zone);
  // An answer may show other tables in place of its list: what is found in those is no row of the list.
  const showsList = () => partsOf(command, answer, zone).some((part) => typeof part !== "string" && "list" in part);
  const rows = table ? (view.find === "" || showsList() ? seen(table, view) : table.rows) : [];
  if (query.get("_csv") === "1" && table) {
    // Without a view of its own it is what --csv gives, byte for byte.
    const rowOf = new Map(listRows(command, plain).map((row, at) => [table.rows[at], row]));
    const text = await answerCsv(
      command,
      plain,
      rows.map((row) => rowOf.get(row)!),
    );
    return download(`${command.id}.csv`, "text/csv; charset=utf-8", text);
  }
  const links = linksOf(room, asked, placeOf(room.site, command), command);
  const urlFor = (change: Record<string, string | undefined>) => urlOf(path, query, change);
  const editor = editorOf(room, asked, command);
  return {
    main: answerView({ command, answer, view, urlFor, say: room.say, zone, links, editor }),
    find: (table?.rows.length ?? 0) > 1 || view.find !== "" ? finder(asked) : html``,
    csv:
      rows.length > 0
        ? html`<a href="${urlFor({ _csv: "1", _page: undefined })}">CSV of ${rows.length.toLocaleString("en")} ${rows.length === 1 ? "row" : "rows"}</a>`
        : html``,
  };
}

/** The cursor of the page that follows. */
function nextPage(command: AnyCommand, answer: unknown): string | undefined {
  const next = (answer as { next?: unknown }).next;
  return typeof next === "string" && membersOf(command.input).some(({ name }) => name === "cursor") ? next : undefined;
}

/** A file of the answer, which the browser saves. */
export function fileOf(command: AnyCommand, answer: unknown): HttpResponse | undefined {
  if ("lines" in command.answer)
    return download(`${command.id}.jsonl`, "application/jsonl", jsonLines(answer as AsyncIterable<unknown>));
  const member = memberWith("holds", command.answer);
  if (member === undefined) return undefined;
  const [file] = (answer as Record<string, readonly AnswerFile[]>)[member]!;
  if (!file) return undefined;
  return download(
    file.name,
    file.name.endsWith(".csv") ? "text/csv; charset=utf-8" : "application/octet-stream",
    file.text,
  );
}

async function* jsonLines(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

/** The page of a command with its form. */
export async function commandPage(
  room: ConsoleRoom,
  asked: SignedIn,
  command: AnyCommand,
  state: { texts: FormTexts; problem?: Error },
): Promise<HttpResponse> {
  const place = placeOf(room.site, command);
  const form = commandForm(command, { ...(await formParts(room, asked, command, state.texts)), ...state });
  const title = state.problem ? `Problem: ${titleOf(command)}` : titleOf(command);
  const scripts = [
    ...(confirms(command) === "never" ? [] : ["webauthn.js", "passkey.js"]),
    ...(canCheck(command) ? ["htmx.js"] : []),
  ];
  return page(
    framedPage(
      { title, main: html`${commandHead(room, command, place)}${form}`, scripts },
      { site: room.site, place, session: asked.session, shownAt: undefined },
    ),
  );
}

/** `at`: when what it shows was read. */
export function framed(
  room: ConsoleRoom,
  { session }: SignedIn,
  place: ConsolePage | undefined,
  title: string,
  main: Html,
  { scripts = [], at = room.store.now() }: { scripts?: readonly string[]; at?: number } = {},
): HttpResponse {
  const shownAt = timeElement(at, room.config.timeZone);
  return page(framedPage({ title, main, scripts }, { site: room.site, place, session, shownAt }));
}
