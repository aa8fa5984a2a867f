import { AccessError } from "../../access/access-error.ts";
import { personActor } from "../../access/people/people-rows.ts";
import { isFormToken } from "../../access/people/sessions.ts";
import { withEmails } from "../../access/people/shown-actors.ts";
import { type CommandContext, contextOf } from "../../commands/context.ts";
import { protectedBy } from "../../commands/protected-command.ts";
import type { Texts } from "../../operation/command/read-texts.ts";
import { accept, answered, type Command } from "../../operation/command.ts";
import { silent } from "../../runtime/log.ts";
import { redactCredentials } from "../../runtime/redact.ts";
import { ConsoleError, type SignedIn } from "../console-request.ts";
import type { ConsoleRoom } from "../console-room.ts";

type AnyCommand = Command<CommandContext>;

/** A problem that is about what the person asked, and no problem of Duba. */
export const isExpected = (error: unknown): error is Error =>
  error instanceof AccessError || (error instanceof Error && "exitCode" in error);

/** What a command is handed that runs as the person of the session. `settings`: those that a command goes by which holds changes back. */
export function deskAs(
  room: ConsoleRoom,
  { session }: Pick<SignedIn, "session">,
  { db = room.store.db, audit = room.audit, settings = room.config } = {},
): CommandContext {
  const actor = personActor(session.person);
  const config = { ...settings, consoleOrigin: room.origin() };
  const { now } = room.store;
  const { role } = session.person;
  const context = { db, now, audit, actor, role, session: session.hash, config, progress: () => {}, log: silent };
  const commands = async () => [...room.site.commands.values()];
  return contextOf({ ...context, savesSeveral: false, commands }, room.store.db);
}

/** Runs a command as the person of the session. `plain`: its answer as programs have it. `said`: how old a report is. Throws a `RoleError`, an `InputError` or another problem for the person. */
export async function runAs(
  room: ConsoleRoom,
  asked: Pick<SignedIn, "session">,
  command: AnyCommand,
  texts: Texts,
  audit = room.audit,
) {
  const { store, reports } = room;
  const source = command.reports ? await reports.source() : { db: store.db, said: undefined };
  const input = accept(command, asked.session.person.role, texts, room.config.timeZone);
  const { config: settings } = await protectedBy(command, { db: store.db, config: room.config });
  const plain = await answered(command, input, deskAs(room, asked, { db: source.db, audit, settings }));
  return { plain, answer: await withEmails(store.db, plain), said: source.said };
}

export function checkToken({ session }: SignedIn, form: FormData): void {
  if (!isFormToken(session, form.get("_token")))
    throw new ConsoleError(
      403,
      "form_token",
      "This form is not from this session. Go back, load the page again, and repeat.",
    );
}

/** The problem without a credential in its message. */
export function redacted(problem: Error): Error {
  const message = redactCredentials(problem.message);
  if (message !== problem.message) problem.message = message;
  return problem;
}
