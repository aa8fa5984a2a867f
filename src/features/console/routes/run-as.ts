import { AccessError } from "../../../access/access-error.ts";
import { withEmails } from "../../../access/accounts/shown-actors.ts";
import type { StatusFacts } from "../../../commands/alarm.ts";
import { type CommandContext, contextOf } from "../../../commands/context.ts";
import { protectedBy } from "../../../commands/protected-command.ts";
import type { Letter } from "../../../declare/command/letter.ts";
import { isRow } from "../../../declare/command/projected.ts";
import type { Texts } from "../../../declare/command/read-texts.ts";
import { accept, answered, confirmed, confirms, type Effect } from "../../../declare/command.ts";
import { silent } from "../../../runtime/log.ts";
import { redactCredentials } from "../../../runtime/redact.ts";
import type { Audit, Audited } from "../../../storage/audited.ts";
import { ConsoleError, formIn, type SignedIn } from "../console-request.ts";
import type { PageRequest } from "../console-room.ts";
import { personActor } from "../people/people-rows.ts";
import { isFormToken } from "../people/sessions.ts";
import { type ConsoleCommand, commandsShownAs } from "../site-map.ts";
import { learnNames, namedIn } from "./learn-names.ts";

/** Whether an error is about the person's input, and not a bug of Duba. */
export const isExpected = (error: unknown): error is Error =>
  error instanceof AccessError || (error instanceof Error && "exitCode" in error);

/** Returns the command context for the signed-in person. `settings`: the configuration with the protection in force. */
export function contextForPerson(
  { session, store, commands, stories, health, openAlarms, keptTimes, origin, names, ...request }: PageRequest,
  { db = store.db, audit = request.audit, settings = request.config } = {},
): CommandContext {
  const { role } = session.person;
  const actor = personActor(session.person);
  return contextOf(
    {
      config: settings,
      log: silent,
      commands,
      consoleOrigin: origin(),
      stories,
      health,
      openAlarms,
      keptTimes,
      db,
      now: store.now,
      audit,
      actor,
      role,
      session: session.hash,
      progress: () => {},
      savesSeveral: false,
      learnName: (email, name) => name !== "" && names.set(email, name),
    },
    store.db,
  );
}

/**
 * Reads the input, and makes the context for the signed-in person. `auditOf`: returns the audit function, given the
 * protection that holds the command's changes back. Throws a `RoleError` or an `InputError`.
 */
async function prepared(
  request: PageRequest,
  command: ConsoleCommand,
  texts: Texts,
  { db = request.store.db, auditOf = () => request.audit }: { db?: Audited["db"]; auditOf?: AuditOf } = {},
) {
  const input = accept(command, request.session.person.role, texts, request.config.timeZone);
  const { config: settings, protection } = await protectedBy(command, { db: request.store.db, config: request.config });
  return { input, desk: contextForPerson(request, { db, audit: auditOf(protection), settings }) };
}

type AuditOf = (protection: string | undefined) => Audit;

/**
 * Runs a command as the signed-in person. `plain`: the answer for programs. `ageRemark`: a sentence about the age of a
 * report. Throws a `RoleError`, an `InputError` or another error for the person.
 */
export async function runAs(request: PageRequest, command: ConsoleCommand, texts: Texts, auditOf?: AuditOf) {
  const { store, reports } = request;
  if (command.reports) await request.caughtUp();
  const { db, ageRemark } = command.reports ? await reports.source() : { db: store.db, ageRemark: undefined };
  const { input, desk } = await prepared(request, command, texts, { db, ...(auditOf && { auditOf }) });
  const plain = await answered(command, input, desk);
  return { plain, answer: await shownTo(request, command, plain), ageRemark };
}

/** Returns all rows of a list in chunks, if its answer has only a page; else undefined. Throws as `runAs` does. */
export async function rowsAs(request: PageRequest, command: ConsoleCommand, texts: Texts) {
  if (!command.rows) return undefined;
  const { db } = await request.reports.source();
  const { input, desk } = await prepared(request, command, texts, { db });
  return command.rows(input as never, desk);
}

/** Returns the answer as a letter, or undefined. Throws as `runAs` does. */
export async function letterAs(
  request: PageRequest,
  command: ConsoleCommand,
  texts: Texts,
): Promise<Letter | undefined> {
  if (!command.letter) return undefined;
  const { db } = await request.reports.source();
  const { input, desk } = await prepared(request, command, texts, { db });
  return command.letter(input as never, desk);
}

/** Replaces account ids in an answer with e-mails, and learns the names in the answer. */
export async function shownTo(
  { store: { db }, names }: PageRequest,
  command: ConsoleCommand,
  plain: unknown,
): Promise<unknown> {
  const answer = await withEmails(db, plain);
  // Rows with their own names need no look-up, and a list of accounts may be long.
  for (const row of Array.isArray(answer) ? answer : [])
    if (isRow(row) && typeof row.email === "string" && typeof row.name === "string" && row.name !== "")
      names.set(row.email, row.name);
  await learnNames(db, names, namedIn(command.answer, answer));
  return answer;
}

/**
 * Returns the status of at most this many milliseconds ago, for programs; undefined if the build has none. All people
 * share one reading.
 */
export async function statusFacts(request: PageRequest, milliseconds: number): Promise<unknown> {
  const read = statusReading(request);
  return read && JSON.parse(await request.readings.get("state", milliseconds, read));
}

/** Times in milliseconds: the age of a status on other pages, and how long a page waits for a newer or a first one. */
const atHand = { keptFor: 1_000, patience: 200, first: 2_000 };

/** Returns the status for the frame of pages. Without one at hand, the page waits two seconds at most. */
export async function statusAtHand(request: PageRequest): Promise<StatusFacts | undefined> {
  const read = statusReading(request);
  const text = read && (await request.readings.soon("state", read, atHand));
  return text === undefined ? undefined : JSON.parse(text);
}

function statusReading(request: PageRequest): (() => Promise<string>) | undefined {
  const [command] = commandsShownAs(request.site, "state");
  return command && (async () => JSON.stringify((await runAs(request, command, {})).plain));
}

/** Runs a command, or returns undefined if there is nothing to show. The form itself states the problem. */
export async function answerIfFound(request: PageRequest, command: ConsoleCommand, texts: Texts): Promise<unknown> {
  try {
    return (await runAs(request, command, texts)).answer;
  } catch (problem) {
    if (isExpected(problem)) return undefined;
    throw problem;
  }
}

/**
 * Returns the preview that the passkey must confirm, or undefined if none is needed. Throws the errors of `accept` and
 * of the command.
 */
export async function effectOf(
  request: PageRequest,
  command: ConsoleCommand,
  texts: Texts,
): Promise<Effect | undefined> {
  const { input, desk } = await prepared(request, command, texts);
  return confirmed(command, input, desk);
}

/**
 * Returns the preview of a command without a passkey; undefined if it has none. Throws the errors of `accept` and of
 * the command.
 */
export async function foreseen(
  request: PageRequest,
  command: ConsoleCommand,
  texts: Texts,
): Promise<Effect | undefined> {
  if (!command.effect || confirms(command) !== "never") return undefined;
  const { input, desk } = await prepared(request, command, texts);
  return command.effect(input as never, desk, (others) => command.run(input as never, { ...desk, ...others }));
}

/** Reads a form, and checks the session's token. */
export async function ownForm(asked: SignedIn, most: number): Promise<FormData> {
  const form = await formIn(asked, most);
  if (isFormToken(asked.session, form.get("_token"))) return form;
  const sentence = "This form is not from this session. Go back, load the page again, and repeat.";
  throw new ConsoleError(403, "form_token", sentence);
}

/** Removes credentials from a problem's message. */
export function redacted(problem: Error): Error {
  const message = redactCredentials(problem.message);
  if (message !== problem.message) problem.message = message;
  return problem;
}
