import { readFile } from "node:fs/promises";
import type { CommandContext } from "../commands/context.ts";
import { type ChosenFile, InputError, membersOf, type Texts } from "../declare/command/read-texts.ts";
import { plainText } from "../declare/command/rich-text.ts";
import {
  accept,
  answered,
  type Command,
  CommandError,
  confirmed,
  type Effect,
  mayBeDanger,
} from "../declare/command.ts";
import { redactCredentials } from "../runtime/redact.ts";
import type { TimeZone } from "../runtime/time-zone.ts";
import { type Io, zoneIn } from "../terminal/io.ts";
import { type Ask, asker } from "../terminal/stdin-lines.ts";
import { type AnswerOptions, showAnswer } from "./answer.ts";
import { terminalRole, withContext } from "./open-context.ts";

/** The options that a terminal adds to the members of commands. */
export interface InterfaceOptions extends AnswerOptions {
  data?: string;
  author?: string;
  yes?: true;
}

/**
 * Runs a command with these texts, shows its answer, and returns the exit code. Throws an `InputError` for texts that
 * it cannot use.
 */
export async function runCommand(
  io: Io,
  command: Command<CommandContext>,
  texts: Texts,
  options: InterfaceOptions,
): Promise<number> {
  const ask = asker(io);
  try {
    const all = { ...texts, ...filesIn(command, texts), ...(await privateTexts(command, texts, ask)) };
    const input = accept(command, terminalRole, all, zoneIn(io.environment));
    // If the command cannot compute its effect, nothing in the store helps the person to decide. So we ask before we
    // open it.
    if (command.kind === "danger" && !command.effect && !options.yes) await confirm(io, command, all, [], ask);
    const { data, author, out } = options;
    const opening = { overrides: { ...settingsIn(command, texts), DUBA_DATA: data }, author, out };
    return await withContext(io, command, opening, async (context, clearProgress) => {
      const asks = command.effect && mayBeDanger(command) && !options.yes;
      const effect = asks ? await confirmed(command, input, context) : undefined;
      if (effect?.isDanger) await confirm(io, command, all, saysOf(effect, context.config.timeZone), ask);
      // A person who asks for a page, or for a number of rows, gets just those and not all rows.
      const isPage = ["limit", "lines", "cursor"].some((name) => texts[name] !== undefined);
      const rows = options.csv && !isPage ? command.rows?.(input as never, context) : undefined;
      const answer = rows ? undefined : await answered(command, input, context);
      clearProgress();
      const forPrograms = options.json || options.csv;
      const { withEmails } = await import("../access/accounts/shown-actors.ts");
      const shown = forPrograms ? answer : await withEmails(context.db, answer);
      return showAnswer(
        io,
        command,
        {
          answer: shown,
          rows,
          zone: context.config.timeZone,
          commands: context.commands,
          isFiltered: Object.values(texts).some((text) => text !== undefined),
        },
        options,
      );
    });
  } finally {
    await ask.end();
  }
}

/**
 * A command line is seen by other users of the machine, so we read private members from standard input, one line for
 * each.
 */
async function privateTexts({ input }: Command<CommandContext>, texts: Texts, ask: Ask): Promise<Texts> {
  const read: Record<string, string> = {};
  const members = membersOf(input);
  const kind = texts.kind ?? members.find(({ name }) => name === "kind")?.member.default;
  for (const { name, member } of members) {
    if (member.kinds && !member.kinds.includes(String(kind))) continue;
    if (!member.private || (member.with !== undefined && !texts[member.with])) continue;
    read[name] = (await ask.line(`${member.placeholder ?? name}: `)) ?? "";
  }
  return read;
}

function saysOf({ says }: Effect, zone: TimeZone): string[] {
  return says.map((text) => plainText(text, { at: (time) => zone.textOf(time) }));
}

/** Says what the command will do, and asks the person to confirm by typing what it acts on. */
async function confirm(
  { stdin }: Io,
  { kind, target: [name = "account"] = [], input }: Command<CommandContext>,
  texts: Texts,
  says: readonly string[],
  ask: Ask,
): Promise<void> {
  const warns = [...says, ...(kind === "danger" ? ["Nobody can undo this."] : [])].join(" ");
  if (!stdin.isTTY)
    throw new InputError(`Nothing was changed: nobody is at the terminal to confirm. With --yes: ${warns}`);
  const { member } = membersOf(input).find((each) => each.name === name)!;
  const wanted = typed(texts[name]);
  const isSecret = member.private || redactCredentials(wanted) !== wanted;
  const what = isSecret ? `the ${member.placeholder ?? name} again` : wanted;
  const line = await ask.line(`${warns} To confirm, type ${what}: `);
  if (line !== wanted) throw new CommandError("You did not confirm. Nothing was changed.");
}

/** Writes a member as a person types it: words with spaces between them, files by their names. */
function typed(text: Texts[string]): string {
  return Array.isArray(text)
    ? text.map((each) => (typeof each === "string" ? each : each.name)).join(" ")
    : String(text);
}

/** Returns the members that stand for settings, by the names of the settings. */
function settingsIn({ input }: Command<CommandContext>, texts: Texts): Record<string, string | undefined> {
  const members = membersOf(input).filter(({ member }) => member.setting !== undefined);
  return Object.fromEntries(members.map(({ name, member }) => [member.setting, texts[name] as string | undefined]));
}

function filesIn({ input }: Command<CommandContext>, texts: Texts): Texts {
  const chosen = membersOf(input).filter(({ name, member }) => member.holds === "file" && texts[name] !== undefined);
  return Object.fromEntries(chosen.map(({ name }) => [name, (texts[name] as readonly string[]).map(fileAt)]));
}

function fileAt(path: string): ChosenFile {
  const failed = (error: NodeJS.ErrnoException) =>
    Promise.reject(
      new CommandError(
        error.code === "ENOENT" ? `There is no file ${path}.` : `Duba cannot read the file ${path} (${error.code}).`,
      ),
    );
  return { name: path, read: async () => new Uint8Array(await readFile(path).catch(failed)) };
}
