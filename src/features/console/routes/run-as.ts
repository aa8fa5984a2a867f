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

/** A problem that is about what the person asked, and no problem of Duba. */
export const isExpected = (error: unknown): error is Error =>
  error instanceof AccessError || (error instanceof Error && "exitCode" in error);

/**
 * What a command is handed that runs as the person of the session. `settings`: those that a command goes by which holds
 * changes back.
 */
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
 * What a command runs with as the person of the session: its input, and what it is handed. `auditOf`: appends the
 * entries of a command that this protection holds back. Throws a `RoleError`, or an `InputError`.
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
 * Runs a command as the person of the session. `plain`: its answer as programs have it. `ageRemark`: how old a report
 * is. Throws a `RoleError`, an `InputError` or another problem for the person.
 */
export async function runAs(request: PageRequest, command: ConsoleCommand, texts: Texts, auditOf?: AuditOf) {
  const { store, reports } = request;
  if (command.reports) await request.caughtUp();
  const { db, ageRemark } = command.reports ? await reports.source() : { db: store.db, ageRemark: undefined };
  const { input, desk } = await prepared(request, command, texts, { db, ...(auditOf && { auditOf }) });
  const plain = await answered(command, input, desk);
  return { plain, answer: await shownTo(request, command, plain), ageRemark };
}

/** All rows of a list that its answer has a page of; undefined for a list that has them all. Throws as `runAs`. */
export async function rowsAs(request: PageRequest, command: ConsoleCommand, texts: Texts) {
  if (!command.rows) return undefined;
  const { db } = await request.reports.source();
  const { input, desk } = await prepared(request, command, texts, { db });
  return command.rows(input as never, desk);
}

/** The letter that the answer would be. Throws as `runAs`. */
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

/** An answer with e-mails in place of ids. The request learns what people call those that it names. */
export async function shownTo(
  { store: { db }, names }: PageRequest,
  command: ConsoleCommand,
  plain: unknown,
): Promise<unknown> {
  const answer = await withEmails(db, plain);
  // Rows that say their names need no look into the store: a list of accounts may be long.
  for (const row of Array.isArray(answer) ? answer : [])
    if (isRow(row) && typeof row.email === "string" && typeof row.name === "string" && row.name !== "")
      names.set(row.email, row.name);
  await learnNames(db, names, namedIn(command.answer, answer));
  return answer;
}

/**
 * How the service was less than so many milliseconds ago, as programs have it; undefined in a build that does not say.
 * All people share a reading of it.
 */
export async function statusFacts(request: PageRequest, milliseconds: number): Promise<unknown> {
  const read = statusReading(request);
  return read && JSON.parse(await request.readings.get("state", milliseconds, read));
}

/** Milliseconds: what pages say beside their own rows is so old at most, and keeps no page for longer. */
const atHand = { keptFor: 1_000, patience: 200, first: 2_000 };

/** The same as pages say it beside their own rows: a store that is away delays none of them. */
export async function statusAtHand(request: PageRequest): Promise<StatusFacts | undefined> {
  const read = statusReading(request);
  const text = read && (await request.readings.soon("state", read, atHand));
  return text === undefined ? undefined : JSON.parse(text);
}

function statusReading(request: PageRequest): (() => Promise<string>) | undefined {
  const [command] = commandsShownAs(request.site, "state");
  return command && (async () => JSON.stringify((await runAs(request, command, {})).plain));
}

/**
 * The answer of a command as people read it; undefined where there is nothing of this name, which the form itself says.
 */
export async function answerIfFound(request: PageRequest, command: ConsoleCommand, texts: Texts): Promise<unknown> {
  try {
    return (await runAs(request, command, texts)).answer;
  } catch (problem) {
    if (isExpected(problem)) return undefined;
    throw problem;
  }
}

/**
 * What a person's passkey must confirm of these texts; undefined: nothing. Throws as `accept`, or what the command
 * refuses about them.
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
 * What a command that no passkey confirms would do with these texts; undefined where it does not say. Throws as
 * `accept`, or what the command refuses about them.
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

/** The fields of a form of this session. */
export async function ownForm(asked: SignedIn, most: number): Promise<FormData> {
  const form = await formIn(asked, most);
  if (isFormToken(asked.session, form.get("_token"))) return form;
  const sentence = "This form is not from this session. Go back, load the page again, and repeat.";
  throw new ConsoleError(403, "form_token", sentence);
}

/** The problem without a credential in its message. */
export function redacted(problem: Error): Error {
  const message = redactCredentials(problem.message);
  if (message !== problem.message) problem.message = message;
  return problem;
}
