import { appendWith } from "../../../audit/append.ts";
import { memberWith } from "../../../declare/command/answer-table.ts";
import { membersOf, readTexts, type Texts } from "../../../declare/command/read-texts.ts";
import { mayRun, type Offered, type Role } from "../../../declare/command.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import type { HttpResponse } from "../../../http/shell/http-response.ts";
import { formIn, longestForm, longestUpload } from "../console-request.ts";
import { page, redirect } from "../console-response.ts";
import type { Landed, PageRequest } from "../console-room.ts";
import { personActor } from "../people/people-rows.ts";
import { addressOf, type ConsoleCommand, isMaker, pathOf, placeOf } from "../site-map.ts";
import { timeOf } from "../view/cells.ts";
import { commandForm, offeredFields, worksOnce } from "../view/command-form.ts";
import { moreMenu } from "../view/menus.ts";
import { recordAddress, recordMade, recordOfTexts } from "../view/record-links.ts";
import { calledName } from "../view/words.ts";
import { answerParts, fileOf } from "./answers.ts";
import { commandPage, framed, showCommand, showPlace } from "./command-routes.ts";
import { confirmationOf, confirmOptions } from "./confirm-deed.ts";
import { emptied, isUnchanged, readTextsOf, type SentForm, textsIn, textsWas } from "./form-texts.ts";
import { foundNames } from "./found-names.ts";
import { landingAddress, landingOf, pageAt } from "./landing.ts";
import { learnNames } from "./learn-names.ts";
import { figuresLine, formParts, pageHead, pageTitle } from "./page-parts.ts";
import { contextForPerson, effectOf, isExpected, ownForm, redacted, runAs, shownTo } from "./run-as.ts";
import { AlreadySent, appendOnce, formRequestOf, keepAnswer, keptIn, sentForm } from "./sent-forms.ts";
import { localPath } from "./sign-in-routes.ts";

/** Handles a sent form: fill it in again, confirm it, or run it. */
export async function sentFormReply(request: PageRequest, command: ConsoleCommand): Promise<HttpResponse> {
  if (request.query.has("_typed")) return showTyped(request, command);
  if (command.shownAs === "found" && request.query.has("_names")) return foundNames(request);
  const form = await ownForm(request, takesFiles(command) ? longestUpload : longestForm);
  if (request.query.has("_offers")) return offeredReply(request, command, form);
  const was = textsWas(form.get("_was"));
  const read = Object.entries(readTextsOf(command, form));
  const given = {
    ...Object.fromEntries(read.filter(([name, texts]) => !isUnchanged(was, name, texts))),
    ...emptied(command, form, was),
  };
  const sent = { command, form, given, was };
  return request.query.has("_confirm") ? confirmOptions(request, sent) : runForm(request, sent);
}

/** Runs the command, a change only once, and shows its result or redirects to it. */
async function runForm(request: PageRequest, sent: SentForm): Promise<HttpResponse> {
  const { command, form, given } = sent;
  const { session, site } = request;
  try {
    const once = worksOnce(command) ? await formRequestOf(request, form) : undefined;
    const confirmation = (await effectOf(request, command, given)) && (await confirmationOf(request, sent));
    const { answer, plain } = await runAs(request, command, given, (protection) => {
      const append = appendWith(personActor(session.person), { confirmation, protection });
      return once ? appendOnce(append, request, once) : append;
    });
    request.readings.clear();
    const file = fileOf(command, answer);
    if (file) return file;
    const found = command.shownAs === "found" ? (answer as { kind: string; name: string }[]) : [];
    const only = found.length === 1 && recordAddress(site, found[0]!);
    if (only) return redirect(only);
    const landing = await landingOf(request, sent, answer);
    if (landing) {
      const kept = (await keepAnswer(request, once, { landing }))!;
      const secret = memberWith("secret", command.answer);
      if (secret === undefined) return redirect(landingAddress(landing, kept));
      const value = String((answer as Record<string, unknown>)[secret]);
      return landedPage(request, { ...landing, secret: { name: secret, value } });
    }
    const back = recordOfTexts(site, command, (member) => given[member]);
    const kept = await keepAnswer(request, once, { answer: plain });
    return kept === undefined
      ? outcomePage(request, command, { answer, plain, back, isTooLong: true })
      : redirect(addressOf(command, { _done: kept, _back: back }));
  } catch (problem) {
    if (problem instanceof AlreadySent) return alreadyDone(request, command, problem);
    if (!isExpected(problem)) throw problem;
    const offered = await offeredOf(request, command, given);
    return commandPage(request, command, { ...typedIn(command, form), problem: redacted(problem), offered });
  }
}

/** Returns suggestions for the input so far; none if it cannot be read. */
async function offeredOf(request: PageRequest, { input, offers }: ConsoleCommand, given: Texts): Promise<Offered> {
  if (!offers) return {};
  try {
    const { input: known } = readTexts(input, given, request.config.timeZone);
    return await offers.before(known as never, contextForPerson(request));
  } catch (problem) {
    if (isExpected(problem)) return {};
    throw problem;
  }
}

/** Returns the fields with suggestions. */
async function offeredReply(request: PageRequest, command: ConsoleCommand, form: FormData): Promise<HttpResponse> {
  const { say, config } = request;
  const offered = await offeredOf(request, command, readTextsOf(command, form));
  return page(offeredFields(command, offered, { texts: {}, say, zone: config.timeZone.name }).text);
}

/** Renders the page of a landing with a secret that only this response contains. */
function landedPage(request: PageRequest, landed: Landed): Promise<HttpResponse> {
  const { path, command, query } = pageAt(request, landed.address);
  const shown = { ...request, isPost: false, path, query, landed };
  return command
    ? showCommand(shown, command)
    : showPlace(shown, request.site.places.find((place) => place.path === path)!);
}

/** Adds to the request the result that its URL refers to (`_did`). */
export async function withLanding(request: PageRequest): Promise<PageRequest> {
  const id = request.query.get("_did");
  if (id === null) return request;
  const query = new URLSearchParams(request.query);
  query.delete("_did");
  const sent = await sentForm(request, id);
  const command = [...request.site.commands.values()].find((each) => pathOf(each) === sent?.path);
  const landed = sent && command && mayRun(request.session.person.role, sent) ? keptIn(sent).landing : undefined;
  return { ...request, query, ...(landed && { landed }) };
}

/** Returns the form's input, and its original values. */
function typedIn(command: ConsoleCommand, form: FormData) {
  const was = form.get("_was");
  return { texts: textsIn(command, form), ...(typeof was === "string" && { was }) };
}

function takesFiles({ input }: ConsoleCommand): boolean {
  return membersOf(input).some(({ member }) => member.holds === "file");
}

/**
 * Shows a form as typed before the session ended: see `typedPage`. This request changes nothing, so it needs no token.
 */
async function showTyped(request: PageRequest, command: ConsoleCommand): Promise<HttpResponse> {
  const form = await formIn(request, longestForm);
  if (form.get("_person") !== request.session.person.id) return redirect(pathOf(command));
  const files = takesFiles(command) ? ", choose its files again," : "";
  const problem = new Error(`Your session had ended. Look at what you typed${files} and send the form.`);
  return commandPage(request, command, { ...typedIn(command, form), problem });
}

/** Shows a form's stored result, to people whose role is not lower than the author's. */
export async function showDone(request: PageRequest, command: ConsoleCommand): Promise<HttpResponse> {
  const sent = await sentForm(request, request.query.get("_done")!);
  if (!sent || !mayRun(request.session.person.role, sent) || sent.path !== pathOf(command) || sent.answer === null)
    return redirect(pathOf(command));
  const { answer: plain } = keptIn(sent);
  if (plain === undefined) return redirect(pathOf(command));
  const answer = await shownTo(request, command, plain);
  return outcomePage(request, command, {
    answer,
    plain,
    at: sent.at,
    role: sent.role,
    back: localPath(request.query.get("_back")),
  });
}

/** Readers of a result, by its author's role. */
const forWhom = { viewer: "for everybody here", operator: "for operators and officers", officer: "for officers" };

interface Outcome {
  answer: unknown;
  plain: unknown;
  /** When the result was stored, and the author's role. */
  at?: number;
  role?: Role;
  /** The page of the record from which the form was opened. */
  back?: string | undefined;
  isTooLong?: true;
}

async function outcomePage(
  request: PageRequest,
  command: ConsoleCommand,
  { answer, plain, at, role = "officer", back = "/", isTooLong }: Outcome,
): Promise<HttpResponse> {
  const parts = await answerParts(request, command, { answer, plain });
  if ("status" in parts) return parts;
  const { main: shown, find, csv, handsOut } = parts;
  const does = command.does?.(answer as never);
  const hasTable = at !== undefined && csv.length > 0 && does === undefined;
  const long = html`<p class="warn">This answer is too long for pages: here is its beginning. A terminal shows all of it.</p>`;
  const sending = html`<p class="quiet">The link works for 12 hours, ${forWhom[role]}.</p>`;
  const again = command.offers?.after?.(answer as never);
  const asksAgain = again
    ? html`<details class="fold"><summary>Read other columns</summary>${commandForm(command, { ...(await formParts(request, command, {})), texts: textsOf(again.texts), offered: again.offered })}</details>`
    : "";
  return donePage(
    request,
    command,
    html`${hasTable ? html`<div class="filters">${moreMenu("this answer", csv)}${find}</div>` : ""}
<div class="outcome" role="status">${does === undefined ? "" : checkedHead(request, command, { answer, does, at })}${isTooLong ? long : ""}${shown}</div>${asksAgain}
${hasTable ? sending : ""}${await leads(request, command, { answer, back, isFilled: handsOut === "" })}`,
    {
      at,
      tools: at === undefined ? "" : handsOut,
      below: does === undefined ? figuresLine(request, command, answer) : "",
      scripts: again ? ["htmx.js"] : [],
    },
  );
}

const textsOf = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, [text]]));

/** Renders the head of a dry run's result. htmx moves `does` to the button of the checked form. */
function checkedHead(
  { times, store }: PageRequest,
  command: ConsoleCommand,
  { answer, does, at = store.now() }: { answer: unknown; does: string; at?: number | undefined },
): Html {
  const found = command.figures?.(answer as never, { at: (time) => (time === null ? "–" : times.textOf(time)) });
  return html`<span id="does" hidden>${does}</span><div class="heads checked"><h2 tabindex="-1" autofocus>${found || "What it would do"}</h2><span class="quiet">checked ${timeOf(at, times.textOf(at, true))}, nothing is changed</span></div>`;
}

/** Links from a result: to the created record, and back to where the form was opened. */
async function leads(
  request: PageRequest,
  command: ConsoleCommand,
  { answer, back, isFilled }: { answer: unknown; back: string; isFilled: boolean },
) {
  const { site, names, store } = request;
  const place = placeOf(site, command);
  const isNew = isMaker(command) || memberWith("secret", command.answer) !== undefined;
  const made = isNew ? recordMade(site, command, answer) : undefined;
  const links = [
    ...(made === undefined ? [] : [["Open", made] as const]),
    ...(back === "/" ? [] : [["Back to", back] as const]),
  ].map(async ([verb, address], at) => {
    const texts = Object.fromEntries(new URLSearchParams(address.split("?")[1]));
    await learnNames(
      store.db,
      names,
      Object.values(texts).flatMap((text) => [{ actor: text }, { key: text }]),
    );
    const [name = ""] = Object.values(texts);
    return html`<a class="button${at === 0 && isFilled ? " main" : ""}" href="${address}">${verb} ${calledName(name, names)}</a>`;
  });
  if (links.length === 0) return html`<p><a href="${place.path}">Back to ${place.title}</a></p>`;
  return html`<div class="buttons">${await Promise.all(links)}</div>`;
}

async function alreadyDone(
  request: PageRequest,
  command: ConsoleCommand,
  { id, at }: AlreadySent,
): Promise<HttpResponse> {
  const place = placeOf(request.site, command);
  const { answer, landing } = keptIn(await sentForm(request, id));
  const address = landing
    ? landingAddress(landing, id)
    : answer === undefined
      ? undefined
      : addressOf(command, { _done: id });
  const link =
    address === undefined
      ? html`<a href="${place.path}">${place.title}</a>`
      : html`<a href="${address}">See what it did</a>`;
  return donePage(
    request,
    command,
    html`<div class="outcome" role="status"><p class="says">This was done at ${timeOf(at, request.times.textOf(at, true))}. Nothing was done again.</p></div>
<p>${link} · <a href="${pathOf(command)}">A new form</a></p>`,
  );
}

/** Renders the result of a form. `at`: when it was stored. */
function donePage(
  request: PageRequest,
  command: ConsoleCommand,
  outcome: Html,
  {
    at,
    tools = "",
    below = "",
    scripts = [],
  }: { at?: number | undefined; tools?: Html | ""; below?: Html | ""; scripts?: string[] } = {},
): Promise<HttpResponse> {
  const place = placeOf(request.site, command);
  const title = pageTitle(request, command);
  const main = html`${pageHead({ crumb: place, title, tools, below })}${outcome}`;
  return framed(request, place, title, main, at === undefined ? { scripts } : { at, scripts });
}
