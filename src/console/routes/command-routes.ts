import type { Desk } from "../../commands/desk.ts";
import { type Html, html } from "../../http/pages/html.ts";
import type { AnswerFile } from "../../operation/command/answer-schema.ts";
import { answerCsv, csvOfRows, listOf, listRows, listTable, memberWith } from "../../operation/command/answer-table.ts";
import { membersOf } from "../../operation/command/read-texts.ts";
import { type Command, mayRun, RoleFault } from "../../operation/command.ts";
import { formIn, longestForm, longestUpload, type SignedIn } from "../console-request.ts";
import { type ConsoleReply, download, page } from "../console-response.ts";
import type { ConsoleRoom } from "../console-room.ts";
import { type ConsolePage, pathOf, placeOf, verbOf } from "../site-map.ts";
import { answerView } from "../view/answer-view.ts";
import { asksByUrl, canCheck, commandForm, type FormTexts, faultBox } from "../view/command-form.ts";
import { framedPage } from "../view/frame.ts";
import { seen, viewIn } from "../view/sorted-table.ts";
import { hasMembers, readTextsOf, textsIn, urlOf } from "./form-texts.ts";
import { commandHead, filterForm, finder, formParts, toolbar } from "./page-parts.ts";
import { aboveTable } from "./place-parts.ts";
import { actionsOf, editorOf, hasEditor, recordActions } from "./row-actions.ts";
import { checkToken, confirmed, isExpected, redacted, refusedRole, runAs } from "./run-as.ts";

type AnyCommand = Command<Desk>;

/** A page with the table that it opens with. */
export async function showPlace(room: ConsoleRoom, visit: SignedIn, place: ConsolePage): Promise<ConsoleReply> {
  const { sinceToday } = place;
  const today = new URLSearchParams([...visit.query, ["from", room.config.timeZone.dayOf(room.store.now())]]);
  const asked = sinceToday && !hasMembers(visit.query) ? { ...visit, query: today } : visit;
  const command = place.opens === undefined ? undefined : room.site.commands.get(place.opens);
  const heading = html`<div class="title"><h1>${place.title}</h1>${toolbar(room, asked, place)}</div>`;
  if (!command) return framed(room, asked, place, place.title, heading);
  const shown = await shownAnswer(room, asked, command, place.path);
  if ("status" in shown) return shown;
  const filter = html`<details class="filter"${hasMembers(visit.query) || shown.fault ? html` open` : ""}><summary>Filter</summary>${filterForm(room, command, asked, place.path, shown.fault)}</details>`;
  const main = html`${heading}${await aboveTable(room, asked, place)}${filter}${finder(asked)}${shown.main}`;
  return framed(room, asked, place, place.title, main);
}

/** The form of a command, and its answer once the URL asks for it. */
export async function showCommand(room: ConsoleRoom, asked: SignedIn, command: AnyCommand): Promise<ConsoleReply> {
  if (!mayRun(asked.session.person.role, command)) throw await refusedRole(room, asked, command);
  const members = membersOf(command.input);
  const isAsked = hasMembers(asked.query) || (members.length === 0 && command.store !== "patient");
  if (!asksByUrl(command) || !isAsked)
    return commandPage(room, asked, command, { texts: textsIn(command, asked.query) });
  const shown = await shownAnswer(room, asked, command, asked.path);
  if ("status" in shown) return shown;
  const place = placeOf(room.site, command);
  const texts = textsIn(command, asked.query);
  const form =
    members.length === 0 ? "" : commandForm(command, { ...formParts(room, asked), texts, fault: shown.fault });
  const title = [verbOf(command), ...(command.target ?? []).flatMap((name) => texts[name] ?? [])].join(" ");
  const folded = html`<details class="filter"><summary>Show another</summary>${form}</details>`;
  const main = html`${commandHead(room, command, place, shown.fault ? undefined : title)}${
    shown.fault ? form : html`${members.length === 0 ? "" : folded}${shown.hasTable ? finder(asked) : ""}`
  }${shown.fault && members.length > 0 ? "" : shown.main}`;
  return framed(room, asked, place, title, main, hasEditor(command) ? ["htmx.js"] : []);
}

/** Runs the command of a form that was sent. */
export async function runForm(room: ConsoleRoom, asked: SignedIn, command: AnyCommand): Promise<ConsoleReply> {
  const { session } = asked;
  const isUpload = membersOf(command.input).some(({ member }) => member.holds === "file");
  const form = await formIn(asked.raw, isUpload ? longestUpload : longestForm);
  checkToken(asked, form);
  if (!mayRun(session.person.role, command)) throw await refusedRole(room, asked, command);
  const texts = Object.fromEntries(
    membersOf(command.input).map(({ name }) => [name, form.getAll(name).filter((each) => typeof each === "string")]),
  ) as FormTexts;
  try {
    if (command.kind === "danger") await confirmed(room, asked, command, form);
    const { answer, input } = await runAs(room, asked, command, readTextsOf(command, form, room.config.timeZone));
    const file = fileOf(command, answer);
    if (file) return file;
    const place = placeOf(room.site, command);
    const view = viewIn(new URLSearchParams());
    const actions = actionsOf(room, asked, place, command);
    const shown = answerView({
      command,
      answer,
      input,
      view,
      urlFor: () => pathOf(command),
      say: room.say,
      actions,
    });
    const main = html`${commandHead(room, command, place)}<div class="outcome" role="status">${shown}</div><p><a href="${place.path}">Back to ${place.title}</a></p>`;
    return framed(room, asked, place, verbOf(command), main);
  } catch (fault) {
    if (!isExpected(fault)) throw fault;
    return commandPage(room, asked, command, { texts, fault: redacted(fault) });
  }
}

/** The answer to the texts of the URL: what to show, or a file. */
async function shownAnswer(
  room: ConsoleRoom,
  asked: SignedIn,
  command: AnyCommand,
  path: string,
): Promise<ConsoleReply | { main: Html; fault?: Error; hasTable?: boolean }> {
  const { query } = asked;
  try {
    const { answer, input } = await runAs(room, asked, command, readTextsOf(command, query, room.config.timeZone));
    const file = fileOf(command, answer);
    if (file) return file;
    const view = viewIn(query);
    const urlFor = (change: Record<string, string | undefined>) => urlOf(path, query, change);
    const hasList = listOf(command.answer) !== undefined;
    if (query.get("_csv") === "1" && hasList) {
      // The columns that the table shows, in its order; a statement's lines whole, as programs read them.
      const { rows } = listTable(command, answer);
      const headings = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      const cells = seen(rows, view).map((at) => headings.map((heading) => rows[at]![heading]));
      const text = command.first === undefined ? await csvOfRows(headings, cells) : await answerCsv(command, answer);
      return download(`${command.id}.csv`, "text/csv; charset=utf-8", text);
    }
    const place = placeOf(room.site, command);
    const actions = actionsOf(room, asked, place, command);
    const next = nextPage(command, answer);
    const main = html`${hasList && listRows(command, answer).length > 0 ? html`<p class="links"><a href="${urlFor({ _csv: "1", _page: undefined })}">CSV of this table</a></p>` : ""}
${recordActions(actions, answer)}${answerView({ command, answer, input, view, urlFor, say: room.say, actions, editor: editorOf(room, asked, command) })}
${next === undefined ? "" : html`<p class="links"><a href="${urlFor({ cursor: next, _page: undefined })}">Older rows</a></p>`}`;
    return { main, hasTable: hasList };
  } catch (fault) {
    if (fault instanceof RoleFault) throw await refusedRole(room, asked, command);
    if (!isExpected(fault)) throw fault;
    return { main: faultBox(redacted(fault), room.say, command), fault };
  }
}

/** The cursor of the page that follows. */
function nextPage(command: AnyCommand, answer: unknown): string | undefined {
  const next = (answer as { next?: unknown }).next;
  return typeof next === "string" && membersOf(command.input).some(({ name }) => name === "cursor") ? next : undefined;
}

/** A file of the answer, which the browser saves. */
function fileOf(command: AnyCommand, answer: unknown): ConsoleReply | undefined {
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

async function commandPage(
  room: ConsoleRoom,
  asked: SignedIn,
  command: AnyCommand,
  state: { texts: FormTexts; fault?: Error },
): Promise<ConsoleReply> {
  const place = placeOf(room.site, command);
  const form = commandForm(command, { ...formParts(room, asked), ...state });
  const title = state.fault ? `Fault: ${verbOf(command)}` : verbOf(command);
  const scripts = command.kind === "danger" ? ["webauthn.js", "passkey.js"] : canCheck(command) ? ["htmx.js"] : [];
  return framed(room, asked, place, title, html`${commandHead(room, command, place)}${form}`, scripts);
}

function framed(
  room: ConsoleRoom,
  { session }: SignedIn,
  place: ConsolePage | undefined,
  title: string,
  main: Html,
  scripts: readonly string[] = [],
): ConsoleReply {
  return page(framedPage({ title, main, scripts }, { site: room.site, place, session, shownAt: room.store.now() }));
}
