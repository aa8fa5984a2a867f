import { type Html, html } from "../../http/pages/html.ts";
import type { HttpResponse } from "../../http/shell/http-response.ts";
import { membersOf } from "../../operation/command/read-texts.ts";
import { confirms } from "../../operation/command.ts";
import { page } from "../console-response.ts";
import type { Visit } from "../console-room.ts";
import { type ConsoleCommand, type ConsolePage, placeOf, urlOf } from "../site-map.ts";
import { asksByUrl, canCheck, commandForm, type FormState, type FormTexts, problemBox } from "../view/command-form.ts";
import { framedPage, timeElement } from "../view/frame.ts";
import { recordShownBy } from "../view/record-links.ts";
import { answerOf, answerParts, fileOf } from "./answers.ts";
import { hasMembers, readTextsOf, textsIn } from "./form-texts.ts";
import { chipMembers, chips, commandHead, commandList, formParts, seeAlso, titleOf, toolbar } from "./page-parts.ts";
import { aboveTable } from "./place-parts.ts";
import { hasEditor, linksOf, pricesLink, recordActions } from "./row-actions.ts";
import { isExpected, redacted, runAs } from "./run-as.ts";

/** A page with the table that it opens with. */
export async function showPlace(asked: Visit, place: ConsolePage): Promise<HttpResponse> {
  const query = new URLSearchParams(asked.query);
  if (place.sinceToday && !hasMembers(query)) query.set("from", asked.config.timeZone.dayOf(asked.store.now()));
  if (place.sort !== undefined && !query.has("_sort")) query.set("_sort", place.sort);
  const visit = { ...asked, query };
  const command = place.opens === undefined ? undefined : visit.whole.commands.get(place.opens);
  const heading = html`<div class="title"><h1>${place.title}</h1>${toolbar(visit, place)}</div>`;
  if (!command) return framed(visit, place, place.title, html`${heading}${commandList(visit, place)}`);
  const shown = await shownAnswer(visit, command, place.path);
  if ("status" in shown) return shown;
  const byForm = new URLSearchParams(asked.query);
  for (const { name } of chipMembers(command)) byForm.delete(name);
  const isOpen = hasMembers(byForm) || shown.problem;
  const form = await filterForm(visit, command, { problem: shown.problem, action: place.path });
  const filter =
    form && html`<details class="filter"${isOpen ? html` open` : ""}><summary>Filter</summary>${form}</details>`;
  const above = await aboveTable(visit, place);
  const main = html`${heading}${above}${await chips(visit, command, place.path)}<div class="controls">${filter}${shown.tools}</div>${shown.problem && form ? "" : shown.main}`;
  return framed(visit, place, place.title, main);
}

/** The form that asks for other rows; empty for a command without members. */
async function filterForm(visit: Visit, command: ConsoleCommand, more: Pick<FormState, "problem" | "action">) {
  const texts = textsIn(command, visit.query);
  if (membersOf(command.input).length === 0) return "";
  return commandForm(command, { ...(await formParts(visit, command, texts)), texts, ...more });
}

/** The form of a command, and its answer once the URL asks for it. */
export async function showCommand(visit: Visit, command: ConsoleCommand): Promise<HttpResponse> {
  const texts = textsIn(command, visit.query);
  if (!asksByUrl(command) || !(hasMembers(visit.query) || isCheap(command)))
    return commandPage(visit, command, { texts });
  const shown = await shownAnswer(visit, command, visit.path);
  if ("status" in shown) return shown;
  const { problem, tools } = shown;
  const place = placeOf(visit.site, command);
  const form = await filterForm(visit, command, { problem });
  const summary = command.target === undefined ? "Filter" : "Show another";
  const folded = form && html`<details class="filter"><summary>${summary}</summary>${form}</details>`;
  const main = problem
    ? html`${commandHead(visit, command, place)}${form === "" ? shown.main : form}`
    : html`${commandHead(visit, command, place, texts)}<div class="controls">${folded}${tools}</div>${seeAlso(visit, command, texts)}${shown.main}${await belowRecord(visit, command, texts)}`;
  const scripts = hasEditor(command) ? ["htmx.js", "webauthn.js", "passkey.js"] : [];
  return framed(visit, place, titleOf(command, texts), main, { scripts });
}

/** The table about a record that stands on its page. */
async function belowRecord(visit: Visit, command: ConsoleCommand, { ...given }: FormTexts) {
  const { by = "", below = "" } = recordShownBy(command) ?? {};
  const about = visit.site.commands.get(below);
  const [name] = given[by] ?? [];
  if (!about || name === undefined) return "";
  const texts = { [by]: name };
  const { answer } = await runAs(visit, about, texts);
  return html`<h2>${titleOf(about)}</h2>${answerOf(visit, about, answer, { texts })}`;
}

/** Whether a page shows the answer before anybody asks for more than the page: of a list that needs no input, and of what is quick. */
function isCheap(command: ConsoleCommand): boolean {
  const members = membersOf(command.input);
  if (/\.(?:list|entries|summary)$/.test(command.id)) return !members.some(({ isRequired }) => isRequired);
  return members.length === 0 && command.store !== "untimed";
}

/** The answer to the texts of the URL: what to show, or a file. */
async function shownAnswer(
  visit: Visit,
  command: ConsoleCommand,
  path: string,
): Promise<HttpResponse | { main: Html; tools: Html; problem?: Error }> {
  const { query } = visit;
  try {
    const { answer, plain, said } = await runAs(visit, command, readTextsOf(command, query));
    const file = fileOf(command, answer);
    if (file) return file;
    const parts = await answerParts({ ...visit, path }, command, { answer, plain });
    if ("status" in parts) return parts;
    const next = nextPage(command, answer);
    const older = html`<p class="links"><a href="${urlOf(path, query, { cursor: next, _page: undefined })}">Older rows</a></p>`;
    const main = html`${recordActions(linksOf(visit, command), answer)}${parts.main}
${said === undefined ? "" : html`<p class="quiet age" role="note">${said}</p>`}
${next === undefined ? "" : older}`;
    return { main, tools: html`${parts.find}${parts.csv}${pricesLink(visit, command)}` };
  } catch (problem) {
    if (!isExpected(problem)) throw problem;
    return { main: problemBox(redacted(problem), visit.say, command), tools: html``, problem };
  }
}

/** The cursor of the page that follows. */
function nextPage(command: ConsoleCommand, answer: unknown): string | undefined {
  const next = (answer as { next?: unknown }).next;
  return typeof next === "string" && membersOf(command.input).some(({ name }) => name === "cursor") ? next : undefined;
}

/** The page of a command with its form. */
export async function commandPage(
  visit: Visit,
  command: ConsoleCommand,
  state: Pick<FormState, "texts" | "problem">,
): Promise<HttpResponse> {
  const place = placeOf(visit.site, command);
  const form = commandForm(command, { ...(await formParts(visit, command, state.texts)), ...state });
  const title = state.problem ? `Problem: ${titleOf(command)}` : titleOf(command);
  const scripts = [
    ...(confirms(command) === "never" ? [] : ["webauthn.js", "passkey.js"]),
    ...(canCheck(command) ? ["htmx.js"] : []),
  ];
  return framed(visit, place, title, html`${commandHead(visit, command, place)}${form}`, { scripts, at: null });
}

/** `at`: when what it shows was read; null if it shows nothing. */
export function framed(
  { site, session, store, config }: Visit,
  place: ConsolePage,
  title: string,
  main: Html,
  { scripts, styles, at = store.now() }: { scripts?: string[]; styles?: string[]; at?: number | null } = {},
): HttpResponse {
  const shownAt = at === null ? undefined : timeElement(at, config.timeZone);
  return page(framedPage({ title, main, scripts, styles }, { site, place, session, shownAt }));
}
