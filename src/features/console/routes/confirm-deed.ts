import { hash, randomBytes } from "node:crypto";
import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import { AccessError } from "../../../access/access-error.ts";
import { type Confirmation, challengeOf, type Deed } from "../../../declare/command/deed.ts";
import { type ChosenFile, membersOf, type Texts } from "../../../declare/command/read-texts.ts";
import { plainText } from "../../../declare/command/rich-text.ts";
import { type Effect, titleOf } from "../../../declare/command.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import type { HttpResponse } from "../../../http/shell/http-response.ts";
import { redactCredentials, redactNumbers } from "../../../runtime/redact.ts";
import { ConsoleError, type SignedIn } from "../console-request.ts";
import { jsonResponse } from "../console-response.ts";
import type { ConsoleRoom, PageRequest } from "../console-room.ts";
import { deedOptions, PasskeyError, verifyDeed } from "../people/passkeys.ts";
import { personActor } from "../people/people-rows.ts";
import { peopleTrail } from "../people/people-trail.ts";
import type { ConsoleCommand } from "../site-map.ts";
import { recordView } from "../view/answer-view.ts";
import { money } from "../view/cells.ts";
import { type FormTexts, repeated, weightOf } from "../view/command-form.ts";
import { calledName } from "../view/words.ts";
import { memberText, type SentForm } from "./form-texts.ts";
import { learnNames, namedInTexts } from "./learn-names.ts";
import { metaOf, targetRecord } from "./page-parts.ts";
import { effectOf, isExpected } from "./run-as.ts";

/**
 * Returns what the passkey has to sign for a form, with a page that shows it. An empty answer means: no passkey needed,
 * send the form.
 */
export async function confirmOptions(request: PageRequest, { command, given, was }: SentForm): Promise<HttpResponse> {
  let effect: Effect | undefined;
  try {
    effect = await effectOf(request, command, given);
  } catch (problem) {
    // The form itself will show the problem.
    if (isExpected(problem)) return jsonResponse({});
    throw problem;
  }
  if (!effect) return jsonResponse({});
  const [nonce, at] = [randomBytes(16).toString("base64url"), request.store.now()];
  const deed = { command: command.id, input: await deedInputOf(request, command, given), nonce, at };
  const { person } = request.session;
  return jsonResponse({
    options: await deedOptions(signedAt(request), {
      person,
      challenge: challengeOf(deed),
      purpose: purposeOf(request),
    }),
    deed: `${nonce}.${at}`,
    page: (await deedPage(request, { command, given, was }, effect)).text,
  });
}

/**
 * Verifies that the person's passkey signed this command with this input. Throws an `AccessError`; for another person's
 * passkey, a `ConsoleError`.
 */
export async function confirmationOf(request: PageRequest, { command, form, given }: SentForm): Promise<Confirmation> {
  const signed = form.get("_passkey");
  if (typeof signed !== "string" || signed === "")
    throw new AccessError("Your passkey must confirm this. Press the button and use the passkey.");
  const [nonce = "", at] = String(form.get("_deed")).split(".");
  const deed: Deed = { command: command.id, input: await deedInputOf(request, command, given), nonce, at: Number(at) };
  const { person } = request.session;
  const answer = parsed(signed);
  try {
    const wanted = { person, challenge: challengeOf(deed), purpose: purposeOf(request) };
    const publicKey = await verifyDeed(signedAt(request), wanted, answer);
    const { authenticatorData, clientDataJSON, signature } = answer.response;
    return {
      ...deed,
      passkey: answer.id,
      public_key: publicKey,
      authenticator_data: authenticatorData,
      client_data: clientDataJSON,
      signature,
    };
  } catch (problem) {
    if (!(problem instanceof PasskeyError)) throw problem;
    const facts = { reason: "passkey", command: command.id };
    await request.audit(
      request.store.db,
      peopleTrail.consoleRefused(personActor(person), { person: person.id, ...facts }),
    );
    if (problem.person && problem.person.id !== person.id) throw new ConsoleError(403, "passkey", problem.message);
    throw new AccessError(problem.message);
  }
}

function signedAt({ store, origin }: ConsoleRoom) {
  return { db: store.db, now: store.now, origin: origin() };
}

/** A challenge is valid only in the session that requested it. */
function purposeOf({ session }: SignedIn): string {
  return `confirm ${session.formToken}`;
}

/** Returns the input as it is signed: files by name and hash; possible secrets and personal numbers by keyed hash. */
async function deedInputOf({ signer }: ConsoleRoom, { input }: ConsoleCommand, texts: Texts): Promise<Deed["input"]> {
  const keyed = async (text: string) => `hmac-sha256:${(await signer("confirmation"))(text)}`;
  const deed: Record<string, Deed["input"][string]> = {};
  for (const { name, member } of membersOf(input)) {
    const plain = async (text: string) =>
      member.private || member.keyed || redactNumbers(redactCredentials(text)) !== text ? keyed(text) : text;
    const given = texts[name];
    if (given === undefined) continue;
    if (typeof given === "string") deed[name] = await plain(given);
    else if (given === true) deed[name] = true;
    else
      deed[name] = await Promise.all(
        given.map(async (each) =>
          typeof each === "string" ? plain(each) : `${await plain(each.name)} sha256:${await hashOf(each)}`,
        ),
      );
  }
  return deed;
}

async function hashOf(file: ChosenFile): Promise<string> {
  return hash("sha256", await file.read());
}

function parsed(text: string): AuthenticationResponseJSON {
  try {
    return { response: {}, ...JSON.parse(text) };
  } catch {
    return { response: {} } as AuthenticationResponseJSON;
  }
}

/** Renders the confirmation: a question and the effect. Scripts show it in place of the form. */
async function deedPage(
  request: PageRequest,
  { command, given: texts, was }: Omit<SentForm, "form">,
  effect: Effect,
): Promise<Html> {
  const { target: [by = "account"] = [], input } = command;
  const named = typeof texts[by] === "string" ? { [by]: [texts[by]] } : {};
  await learnNames(request.store.db, request.names, namedInTexts(command, named));
  const { asks = questionOf(request, command, named), says, moves = [], isDanger } = effect;
  const pieces = says.flatMap((text) => (typeof text === "string" ? [] : text));
  await learnNames(
    request.store.db,
    request.names,
    pieces.filter((piece) => typeof piece !== "string"),
  );
  const shown = await targetRecord(request, command, named);
  const sentences = [asks, ...says]
    .map((text) => plainText(text, { at: (time) => request.times.textOf(time) }))
    .join(" ");
  const given = membersOf(input).flatMap(({ name, member }) => {
    if (texts[name] === undefined || member.holds === "passkey" || (name === by && shown)) return [];
    const text = [was[name] ?? [], texts[name]]
      .map((each) => memberText(each, member))
      .filter(Boolean)
      .join(" → ");
    return sentences.includes(text) || text === member.default
      ? []
      : [{ name, label: member.label, shows: "text" as const, value: null, text }];
  });
  const moved = moves.map(
    ({ what, before, after }) =>
      html`<div><dt>${what} now</dt><dd>${money(before)}</dd></div><div><dt>Afterwards</dt><dd><strong>${money(after)}</strong></dd></div>`,
  );
  const facts = recordView(given, request, moved);
  const deeds = says.map((sentence) => html`<p class="deed">${request.say(sentence)}</p>`);
  return html`<section class="panel confirm" aria-labelledby="deed"><h1 id="deed" tabindex="-1">${asks}</h1>
${shown ? metaOf(request, shown.command, shown.answer, "id").meta : ""}
${deeds.length > 0 || facts.text.includes("<div>") ? deeds : html`<p>${request.say(command.summary)}</p>`}
${facts.text.includes("<div>") ? html`<div class="then">${facts}</div>` : ""}
<p class="quiet">${weightOf(command)}</p>
<p class="wrong" role="alert" data-problem></p>
<p class="buttons"><button type="button" class="button ${isDanger ? "danger" : "main"}" data-confirm>Confirm with your passkey</button> <button type="button" class="button" data-back>Back</button></p></section>`;
}

/** Returns the question, "Suspend Kobo Pay?"; for a command that creates a record, "New key for Kobo Pay?". */
function questionOf({ names }: PageRequest, command: ConsoleCommand, named: FormTexts): string {
  const title = titleOf(command);
  const shown = new Set(repeated(command));
  const [name] = Object.entries(named).flatMap(([member, texts]) => (shown.has(member) ? texts : []));
  if (name === undefined) return `${title}?`;
  return `${title}${/^New\b|\ba\b/.test(title) ? " for" : ""} ${calledName(name, names)}?`;
}
