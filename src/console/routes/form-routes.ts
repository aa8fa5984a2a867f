import { personActor } from "../../access/people/people-rows.ts";
import { appendWith } from "../../audit/append.ts";
import type { CommandContext } from "../../commands/context.ts";
import { html } from "../../http/pages/html.ts";
import type { HttpResponse } from "../../http/shell/http-response.ts";
import { memberWith } from "../../operation/command/answer-table.ts";
import { membersOf } from "../../operation/command/read-texts.ts";
import type { Command } from "../../operation/command.ts";
import { formIn, longestForm, longestUpload, type SignedIn } from "../console-request.ts";
import { redirect } from "../console-response.ts";
import type { ConsoleRoom } from "../console-room.ts";
import { pathOf, placeOf } from "../site-map.ts";
import { answerView } from "../view/answer-view.ts";
import { type FormTexts, worksOnce } from "../view/command-form.ts";
import { timeElement } from "../view/frame.ts";
import { recordAddress } from "../view/record-links.ts";
import { viewIn } from "../view/sorted-table.ts";
import { ageLine, commandPage, fileOf, framed } from "./command-routes.ts";
import { confirmationOf, mustConfirm } from "./confirm-deed.ts";
import { readTextsOf } from "./form-texts.ts";
import { commandHead, titleOf } from "./page-parts.ts";
import { linksOf } from "./row-actions.ts";
import { checkToken, isExpected, redacted, runAs } from "./run-as.ts";
import { AlreadySent, appendOnce, formRequestOf, keepAnswer, sentForm } from "./sent-forms.ts";

type AnyCommand = Command<CommandContext>;

/** Runs the command of a form that was sent. What changes something does it once, and redirects to the page of its answer. */
export async function runForm(room: ConsoleRoom, asked: SignedIn, command: AnyCommand): Promise<HttpResponse> {
  const { person } = asked.session;
  const isUpload = membersOf(command.input).some(({ member }) => member.holds === "file");
  const form = await formIn(asked, isUpload ? longestUpload : longestForm);
  checkToken(asked, form);
  const texts = Object.fromEntries(
    membersOf(command.input).map(({ name }) => [name, form.getAll(name).filter((each) => typeof each === "string")]),
  ) as FormTexts;
  try {
    const once = worksOnce(command) ? await formRequestOf(room, asked, form) : undefined;
    const given = readTextsOf(command, form);
    const confirmation = (await mustConfirm(room, asked, command, given))
      ? await confirmationOf(room, asked, command, { texts: given, form })
      : undefined;
    const append = appendWith(personActor(person), { confirmation });
    const audit = once ? appendOnce(append, room, asked, once) : append;
    const { answer, input, said } = await runAs(room, asked, command, given, audit);
    room.readings.clear();
    const file = fileOf(command, answer);
    if (file) return file;
    const isSecret = memberWith("secret", command.answer) !== undefined;
    if (once && !isSecret && (await keepAnswer(room, once, answer))) return redirect(donePath(command, once.id));
    const found = command.id === "find" ? (answer as { kind: string; name: string }[]) : [];
    const only = found.length === 1 && recordAddress(room.site, person.role, found[0]!);
    if (only) return redirect(only);
    return outcomePage(room, asked, command, { answer, input, said });
  } catch (fault) {
    if (fault instanceof AlreadySent) return alreadyDone(room, asked, command, fault);
    if (!isExpected(fault)) throw fault;
    return commandPage(room, asked, command, { texts, fault: redacted(fault) });
  }
}

/** The page of what a form did. */
export async function showDone(room: ConsoleRoom, asked: SignedIn, command: AnyCommand): Promise<HttpResponse> {
  const { person } = asked.session;
  const sent = await sentForm(room, asked.query.get("_done")!);
  if (sent?.person_id !== person.id || sent.path !== pathOf(command) || sent.answer === null)
    return redirect(pathOf(command));
  return outcomePage(room, asked, command, { answer: JSON.parse(sent.answer), input: {}, said: undefined });
}

function outcomePage(
  room: ConsoleRoom,
  asked: SignedIn,
  command: AnyCommand,
  { answer, input, said }: { answer: unknown; input: object; said: string | undefined },
): HttpResponse {
  const place = placeOf(room.site, command);
  const links = linksOf(room, asked, place, command);
  const zone = room.config.timeZone;
  const parts = { command, answer, input, view: viewIn(new URLSearchParams()), say: room.say, zone, links };
  const shown = answerView({ ...parts, urlFor: () => pathOf(command) });
  const main = html`${commandHead(room, command, place, {})}<div class="outcome" role="status">${shown}</div>${ageLine(said)}<p><a href="${place.path}">Back to ${place.title}</a></p>`;
  return framed(room, asked, place, titleOf(command), main);
}

async function alreadyDone(
  room: ConsoleRoom,
  asked: SignedIn,
  command: AnyCommand,
  { id, at }: AlreadySent,
): Promise<HttpResponse> {
  const place = placeOf(room.site, command);
  const hasAnswer = typeof (await sentForm(room, id))?.answer === "string";
  const link = hasAnswer
    ? html`<a href="${donePath(command, id)}">See what it did</a>`
    : html`<a href="${place.path}">${place.title}</a>`;
  const main = html`${commandHead(room, command, place, {})}<div class="outcome" role="status"><p class="sentence">This was done at ${timeElement(at, room.config.timeZone)}. Nothing was done again.</p></div>
<p class="links">${link} <a href="${pathOf(command)}">A new form</a></p>`;
  return framed(room, asked, place, titleOf(command), main);
}

function donePath(command: AnyCommand, id: string): string {
  return `${pathOf(command)}?${new URLSearchParams({ _done: id })}`;
}
