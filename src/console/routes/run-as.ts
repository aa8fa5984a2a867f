import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import { AccessFault } from "../../access/access-fault.ts";
import { PasskeyFault, verifyAssertion } from "../../access/people/passkeys.ts";
import { personActor, personEvent } from "../../access/people/people-rows.ts";
import { isFormToken } from "../../access/people/sessions.ts";
import { withEmails } from "../../access/people/shown-actors.ts";
import { type Desk, deskOf } from "../../commands/desk.ts";
import type { Texts } from "../../operation/command/read-texts.ts";
import { accept, type Command } from "../../operation/command.ts";
import { silent } from "../../runtime/log.ts";
import { redactCredentials } from "../../runtime/redact.ts";
import { Refusal, type SignedIn } from "../console-request.ts";
import type { ConsoleRoom } from "../console-room.ts";

type AnyCommand = Command<Desk>;

/** A fault that is about what the person asked, and no fault of Duba. */
export const isExpected = (error: unknown): error is Error =>
  error instanceof AccessFault || (error instanceof Error && "exitCode" in error);

/** Runs a command as the person of the session. `said`: how old a report is. Throws a `RoleFault`, an `InputFault` or another fault for the person. */
export async function runAs(
  room: ConsoleRoom,
  { session }: Pick<SignedIn, "session">,
  command: AnyCommand,
  texts: Texts,
) {
  const { store, reports, audit } = room;
  const source = command.reports ? await reports.source() : { db: store.db, said: undefined };
  const config = { ...room.config, consoleOrigin: room.origin() };
  const input = accept(command, session.person.role, texts);
  const actor = personActor(session.person);
  const surroundings = { db: source.db, now: store.now, audit, actor, config, progress: () => {}, log: silent };
  const answer: unknown = await command.run(
    input,
    deskOf({ ...surroundings, savesSeveral: false, commands: async () => [] }, store.db),
  );
  return { answer: await withEmails(store.db, answer), input, said: source.said };
}

export function checkToken({ session }: SignedIn, form: FormData): void {
  if (!isFormToken(session, form.get("_token")))
    throw new Refusal(
      403,
      "form_token",
      "This form is not from this session. Go back, load the page again, and repeat.",
    );
}

/** What a passkey signs to confirm a command of this session. */
export function confirmationOf({ session }: SignedIn, commandId: string): string {
  return `confirm ${commandId} ${session.formToken}`;
}

/** Checks that the person confirmed a command of kind `danger`. Throws an `AccessFault`. */
export async function confirmed(
  room: ConsoleRoom,
  asked: SignedIn,
  command: AnyCommand,
  form: FormData,
): Promise<void> {
  const signed = form.get("_passkey");
  if (typeof signed !== "string" || signed === "")
    throw new AccessFault(
      "Nobody can undo this, so your passkey must confirm it. Press the button and use the passkey.",
    );
  const { store, origin } = room;
  const place = { db: store.db, now: store.now, origin: origin() };
  const response = parsed(signed) as AuthenticationResponseJSON;
  const { person } = asked.session;
  try {
    const signer = await verifyAssertion(place, confirmationOf(asked, command.id), response);
    if (signer.id !== person.id) throw new PasskeyFault("This is the passkey of another person. Use your own.");
  } catch (fault) {
    if (!(fault instanceof PasskeyFault)) throw fault;
    const facts = { reason: "passkey", command: command.id };
    await room.audit(store.db, personEvent("console.refused", personActor(person), person, facts));
    throw new AccessFault(fault.message);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Keeps in the audit trail that the role may not run the command. */
export async function refusedRole(
  room: ConsoleRoom,
  { session: { person } }: SignedIn,
  command: AnyCommand,
): Promise<Refusal> {
  const facts = { reason: "role", command: command.id };
  await room.audit(room.store.db, personEvent("console.refused", personActor(person), person, facts));
  return new Refusal(403, "role", `${command.id} needs the role ${command.role}. Your role is ${person.role}.`);
}

/** The fault without a credential in its message. */
export function redacted(fault: Error): Error {
  const message = redactCredentials(fault.message);
  if (message !== fault.message) fault.message = message;
  return fault;
}
