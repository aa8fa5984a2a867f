import { hash, randomBytes } from "node:crypto";
import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import { AccessError } from "../../access/access-error.ts";
import { deedOptions, PasskeyError, verifyDeed } from "../../access/people/passkeys.ts";
import { personActor, personEvent } from "../../access/people/people-rows.ts";
import type { CommandContext } from "../../commands/context.ts";
import { protectedBy } from "../../commands/protected-command.ts";
import type { HttpResponse } from "../../http/shell/http-response.ts";
import { type Confirmation, challengeOf, type Deed } from "../../operation/command/deed.ts";
import { type ChosenFile, membersOf, type Texts } from "../../operation/command/read-texts.ts";
import { accept, type Command, confirmed, type Effect } from "../../operation/command.ts";
import { redactCredentials, redactNumbers } from "../../runtime/redact.ts";
import { ConsoleError, formIn, longestUpload, type SignedIn } from "../console-request.ts";
import { jsonResponse } from "../console-response.ts";
import type { ConsoleRoom } from "../console-room.ts";
import { deedPage } from "./deed-page.ts";
import { readTextsOf } from "./form-texts.ts";
import { checkToken, deskAs, isExpected } from "./run-as.ts";

type AnyCommand = Command<CommandContext>;

/** What a person's passkey must confirm of these texts; undefined: nothing. Throws as `accept`, or what the command refuses about them. */
export async function effectOf(
  room: ConsoleRoom,
  asked: SignedIn,
  command: AnyCommand,
  texts: Texts,
): Promise<Effect | undefined> {
  const input = accept(command, asked.session.person.role, texts, room.config.timeZone);
  const { config: settings } = await protectedBy(command, { db: room.store.db, config: room.config });
  return confirmed(command, input, deskAs(room, asked, { settings }));
}

/** What the passkey has to sign for a form, with the page that shows it. An empty answer if it has nothing to sign: the form may be sent. */
export async function confirmOptions(room: ConsoleRoom, asked: SignedIn): Promise<HttpResponse> {
  const form = await formIn(asked, longestUpload);
  checkToken(asked, form);
  const command = room.site.commands.get(String(form.get("_command")));
  if (!command) throw new ConsoleError(404, "path", "The console has no such form.");
  const { person } = asked.session;
  const texts = readTextsOf(command, form);
  let effect: Effect | undefined;
  try {
    effect = await effectOf(room, asked, command, texts);
  } catch (problem) {
    // The form says what is wrong with it.
    if (isExpected(problem)) return jsonResponse({});
    throw problem;
  }
  if (!effect) return jsonResponse({});
  const [nonce, at] = [randomBytes(16).toString("base64url"), room.store.now()];
  const challenge = challengeOf({ command: command.id, input: await deedInputOf(room, command, texts), nonce, at });
  return jsonResponse({
    options: await deedOptions(placeOf(room), { person, challenge, purpose: purposeOf(asked) }),
    deed: `${nonce}.${at}`,
    page: (await deedPage(room, asked, command, { texts, effect })).text,
  });
}

/** What the passkey of the person signed: this command with these texts. Throws an `AccessError`, or a `ConsoleError` for another person's. */
export async function confirmationOf(
  room: ConsoleRoom,
  asked: SignedIn,
  command: AnyCommand,
  { texts, form }: { texts: Texts; form: FormData },
): Promise<Confirmation> {
  const signed = form.get("_passkey");
  if (typeof signed !== "string" || signed === "")
    throw new AccessError("Your passkey must confirm this. Press the button and use the passkey.");
  const [nonce = "", at] = String(form.get("_deed")).split(".");
  const deed: Deed = { command: command.id, input: await deedInputOf(room, command, texts), nonce, at: Number(at) };
  const { person } = asked.session;
  const answer = parsed(signed);
  try {
    const wanted = { person, challenge: challengeOf(deed), purpose: purposeOf(asked) };
    const publicKey = await verifyDeed(placeOf(room), wanted, answer);
    const { authenticatorData, clientDataJSON, signature } = answer.response;
    return {
      ...deed,
      ...{ passkey: answer.id, public_key: publicKey },
      ...{ authenticator_data: authenticatorData, client_data: clientDataJSON, signature },
    };
  } catch (problem) {
    if (!(problem instanceof PasskeyError)) throw problem;
    const facts = { reason: "passkey", command: command.id };
    await room.audit(room.store.db, personEvent("console.refused", personActor(person), person, facts));
    if (problem.person && problem.person.id !== person.id) throw new ConsoleError(403, "passkey", problem.message);
    throw new AccessError(problem.message);
  }
}

function placeOf({ store, origin }: ConsoleRoom) {
  return { db: store.db, now: store.now, origin: origin() };
}

/** A challenge answers in the session that asked. */
function purposeOf({ session }: SignedIn): string {
  return `confirm ${session.formToken}`;
}

/** The texts as a deed holds them: files by name and hash; what may be a secret, or the number of a person, by a keyed hash. */
async function deedInputOf(room: ConsoleRoom, { input }: AnyCommand, texts: Texts): Promise<Deed["input"]> {
  const keyed = async (text: string) => `hmac-sha256:${(await room.signer("confirmation"))(text)}`;
  const deed: Record<string, Deed["input"][string]> = {};
  for (const { name, member } of membersOf(input)) {
    const plain = async (text: string) =>
      member.private || redactNumbers(redactCredentials(text)) !== text ? keyed(text) : text;
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
