import { closeSync, existsSync, fchmodSync, fstatSync, mkdirSync, openSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EveryCommand } from "../commands/context.ts";
import { answerCsv, wholeCsv } from "../declare/command/answer-csv.ts";
import type { AnswerFile } from "../declare/command/answer-schema.ts";
import { memberWith, partsOf, recordOf, type Table, tableOf } from "../declare/command/answer-table.ts";
import { projected } from "../declare/command/projected.ts";
import { plainText, type Text } from "../declare/command/rich-text.ts";
import { type Command, CommandError } from "../declare/command.ts";
import type { TimeZone } from "../runtime/time-zone.ts";
import type { Io } from "../terminal/io.ts";
import { type Paint, painter, recordText, shown, tableText } from "../terminal/table.ts";
import { mendLines } from "./mend-lines.ts";

export interface AnswerOptions {
  json?: true;
  csv?: true;
  all?: true;
  out?: string;
}

interface Run {
  answer: unknown;
  /** Reads all rows of the list, if the answer holds only one page of them. */
  rows?: AsyncIterable<readonly unknown[]> | undefined;
  /** The time zone in which times are shown to people. */
  zone: TimeZone;
  commands: EveryCommand;
  /** Whether the person gave options, which may leave rows out. */
  isFiltered: boolean;
}

type Row = Record<string, unknown>;

/** Prints the answer of a command, and returns the exit code. */
export async function showAnswer(io: Io, command: Command<never>, run: Run, options: AnswerOptions): Promise<number> {
  const { answer } = run;
  if ("lines" in command.answer) await printLines(io, answer as AsyncIterable<unknown>);
  else if (options.json) io.out(`${JSON.stringify(projected(command.answer, answer), null, 2)}\n`);
  else if (options.csv && run.rows) for await (const text of wholeCsv(command, run.rows)) io.out(text);
  else if (options.csv) io.out(await answerCsv(command, answer));
  else await printParts(io, command, run, options);
  return command.isWell?.(answer as never) === false ? 1 : 0;
}

async function printLines(io: Io, items: AsyncIterable<unknown>): Promise<void> {
  for await (const item of items) io.out(`${JSON.stringify(item)}\n`);
}

/**
 * Prints sentences that accompany a secret or a file to standard error, so that standard output holds only the secret
 * or the file.
 */
async function printParts(
  io: Io,
  command: Command<never>,
  { answer, zone, commands, isFiltered }: Run,
  options: AnswerOptions,
): Promise<void> {
  const parts = partsOf(command, answer, zone);
  const secret = memberWith("secret", command.answer);
  const files = memberWith("holds", command.answer);
  if (secret) io.out(`${(answer as Row)[secret]}\n`);
  if (files) saveFiles(io, (answer as Row)[files] as AnswerFile[], options.out, command.gives !== undefined);
  const say = secret || files ? io.err : io.out;
  // Shortens only what a terminal shows: a file or another program gets everything.
  const first = options.all || !io.isTerminal ? undefined : command.first;
  const [out, err] = [painter(io.colours?.out), painter(io.colours?.err)];
  const textOf = (text: Text) => plainText(text, { at: (time) => zone.textOf(time) });
  for (const part of parts) {
    if (typeof part === "string") say(`${shown(part)}\n`);
    else if ("text" in part) say(`${shown(textOf(part.text))}\n`);
    else if ("note" in part || "problem" in part) {
      const sentences = [
        "problem" in part ? err("red", textOf(part.problem)) : "",
        part.note === undefined ? "" : textOf(part.note),
      ];
      const mends = await mendLines(part.mends ?? [], commands);
      const lines = [sentences.filter((sentence) => sentence !== "").join(" "), ...mends];
      for (const line of lines) if (line !== "") io.err(`${line}\n`);
    } else if ("more" in part) io.err(`There may be more: add --cursor ${part.more}\n`);
    else if ("chart" in part) continue;
    else if ("record" in part) io.out(recordText(recordOf(command.answer, part.record, zone), out));
    else {
      const table = tableOf(command, answer, part, zone);
      const then = "list" in part && part.none === undefined ? command.noneThen : undefined;
      // How to add a row does not explain why none fits a filter.
      const isHelpful = then !== undefined && !(isFiltered && then.by !== undefined);
      const none = isHelpful ? `${table.none} ${then.says}` : table.none;
      io.out(titledTable({ ...table, none }, "whole" in part ? undefined : first, out));
    }
  }
  if (secret) io.err(`Save the ${secret} now. Duba does not show it again.\n`);
}

function titledTable(table: Table, first: number | undefined, paint: Paint): string {
  const { rows, title, none } = table;
  if (rows.length === 0 && none !== undefined) return `${none}\n`;
  const heading = title === undefined ? "" : `${paint("bold", title)}\n\n`;
  const more =
    first !== undefined && rows.length > first ? `… and ${rows.length - first} more: --all shows them.\n` : "";
  return heading + tableText(table, paint, first) + more;
}

/** Whether `--out` names a directory, which can take several files. */
export function isDirectory(path: string): boolean {
  return path.endsWith("/") || (existsSync(path) && statSync(path).isDirectory());
}

/** Writes files where `--out` says, or to standard output. */
function saveFiles(io: Io, files: readonly AnswerFile[], out: string | undefined, isPrivate: boolean): void {
  for (const { name, text } of files) {
    if (out === undefined) io.out(text);
    else saveFile(isDirectory(out) ? join(out, name) : out, text, isPrivate);
  }
  if (out !== undefined) io.err(`Duba wrote ${out}.\n`);
}

/**
 * Writes a file. Other users can neither read nor change a new file or directory, whatever the umask is. `isPrivate`:
 * nor a file that exists.
 */
function saveFile(path: string, text: string, isPrivate: boolean): void {
  try {
    mkdirSync(dirname(path), { mode: 0o700, recursive: true });
    const file = openSync(path, "w", 0o600);
    try {
      if (isPrivate && fstatSync(file).isFile()) fchmodSync(file, 0o600);
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new CommandError(`Duba cannot write the file ${path} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
