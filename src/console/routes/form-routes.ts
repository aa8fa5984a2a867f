import { personActor } from "../../access/people/people-rows.ts";
import { withEmails } from "../../access/people/shown-actors.ts";
import { appendWith } from "../../audit/append.ts";
import type { CommandContext } from "../../commands/context.ts";
import { protectedBy } from "../../commands/protected-command.ts";
import { html } from "../../http/pages/html.ts";
import type { HttpResponse } from "../../http/shell/http-response.ts";
import { memberWith } from "../../operation/command/answer-table.ts";
import { membersOf } from "../../operation/command/read-texts.ts";
import { type Command, mayRun } from "../../operation/command.ts";
import { formIn, longestForm, longestUpload, type SignedIn } from "../console-request.ts";
import { redirect } from "../console-response.ts";
import type { ConsoleRoom } from "../console-room.ts";
import { pathOf, placeOf } from "../site-map.ts";
import { type FormTexts, worksOnce } from "../view/command-form.ts";
import { timeElement } from "../view/frame.ts";
import { recordAddress } from "../view/record-links.ts";
import { answerParts, commandPage, fileOf, framed } from "./command-routes.ts";
import { confirmationOf, effectOf } from "./confirm-deed.ts";
import { readTextsOf } from "./form-texts.ts";
import { commandHead, titleOf } from "./page-parts.ts";
import { checkToken, isExpected, redacted, runAs } from "./run-as.ts";
import { AlreadySent, appendOnce, formRequestOf, keepAnswer, sentForm } from "./sent-forms.ts";

type AnyCommand = Command<CommandContext>;

/** Runs the command of a form that was sent. What changes something does it once, and redirects to the page of its answer. */
export async function runForm(room: ConsoleRoom, asked: SignedIn, command: AnyCommand): Promise<HttpResponse> {
  const { person } = asked.session;
  const form = await formIn(asked, takesFiles(command) ? longestUpload : longestForm);
  checkToken(asked, form);
  const texts = typedIn(command, form);
  try {
    const once = worksOnce(command) ? await formRequestOf(room, asked, form) : undefined;
    const given = readTextsOf(command, form);
    const confirmation = (await effectOf(room, asked, command, given))
      ? await confirmationOf(room, asked, command, { texts: given, form })
      : undefined;
    const { protection } = await protectedBy(command, { db: room.store.db, config: room.config });
    const append = appendWith(personActor(person), { confirmation, protection });
    const audit = once ? appendOnce(append, room, asked, once) : append;
    const { answer, plain } = await runAs(room, asked, command, given, audit);
    room.readings.clear();
    const file = fileOf(command, answer);
    if (file) return file;
    const found = command.id === "find" ? (answer as { kind: string; name: string }[]) : [];
    const only = found.length === 1 && recordAddress(room.site, person.role, found[0]!);
    if (only) return redirect(only);
    if (memberWith("secret", command.answer) !== undefined) return outcomePage(room, asked, command, { answer, plain });
    const kept = await keepAnswer(room, asked, once, plain);
    return kept === undefined
      ? outcomePage(room, asked, command, { answer, plain, isTooLong: true })
      : redirect(donePath(command, kept));
  } catch (problem) {
    if (problem instanceof AlreadySent) return alreadyDone(room, asked, command, problem);
    if (!isExpected(problem)) throw problem;
    return commandPage(room, asked, command, { texts, problem: redacted(problem) });
  }
}

function takesFiles({ input }: AnyCommand): boolean {
  return membersOf(input).some(({ member }) => member.holds === "file");
}

function typedIn(command: AnyCommand, form: FormData): FormTexts {
  return Object.fromEntries(
    membersOf(command.input).map(({ name }) => [name, form.getAll(name).filter((each) => typeof each === "string")]),
  );
}

/** The form as its person had typed it when the session ended: see `typedPage`. It does nothing, and so it wants no token. */
export async function showTyped(room: ConsoleRoom, asked: SignedIn, command: AnyCommand): Promise<HttpResponse> {
  const form = await formIn(asked, longestForm);
  if (form.get("_person") !== asked.session.person.id) return redirect(pathOf(command));
  const files = takesFiles(command) ? ", choose its files again," : "";
  const problem = new Error(`Your session had ended. Look at what you typed${files} and send the form.`);
  return commandPage(room, asked, command, { texts: typedIn(command, form), problem });
}

/** The page of what a form did or found, for people who may do no less than the one who sent it. */
export async function showDone(room: ConsoleRoom, asked: SignedIn, command: AnyCommand): Promise<HttpResponse> {
  const sent = await sentForm(room, asked.query.get("_done")!);
  if (!sent || !mayRun(asked.session.person.role, sent) || sent.path !== pathOf(command) || sent.answer === null)
    return redirect(pathOf(command));
  const plain: unknown = JSON.parse(sent.answer);
  const answer = await withEmails(room.store.db, plain);
  return outcomePage(room, asked, command, { answer, plain, at: sent.at });
}

/** `at`: when it was kept. */
async function outcomePage(
  room: ConsoleRoom,
  asked: SignedIn,
  command: AnyCommand,
  { answer, plain, at, isTooLong }: { answer: unknown; plain: unknown; at?: number; isTooLong?: true },
): Promise<HttpResponse> {
  const place = placeOf(room.site, command);
  const parts = await answerParts(room, asked, command, { answer, plain });
  if ("status" in parts) return parts;
  const { main: shown, find, csv } = parts;
  const hasTable = at !== undefined && csv.text !== "";
  const long = html`<p class="note warn">This answer is too long for pages: here is its beginning. A terminal shows all of it.</p>`;
  const sending = html`<p class="quiet">You can send the address of this page to somebody with your role or a higher one. Duba keeps the answer for at most 12 hours.</p>`;
  const main = html`${commandHead(room, command, place, {})}${hasTable ? html`<div class="controls">${find}</div>` : ""}
<div class="outcome" role="status">${isTooLong ? long : ""}${hasTable ? html`<p class="links">${csv}</p>` : ""}${shown}</div>
${hasTable ? sending : ""}<p><a href="${place.path}">Back to ${place.title}</a></p>`;
  return framed(room, asked, place, titleOf(command), main, at === undefined ? {} : { at });
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
