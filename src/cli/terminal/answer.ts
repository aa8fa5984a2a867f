import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TSchema } from "typebox";
import { withoutFormula } from "../../catalogue/files/formula.ts";
import { type AnswerFile, type Column, list, type Part, timeText } from "../../operation/command/answer-schema.ts";
import { type Command, CommandFault } from "../../operation/command.ts";
import type { Io } from "./io.ts";
import { isRow, type Paint, painter, record, shown, table } from "./table.ts";

export interface AnswerOptions {
  json?: true;
  csv?: true;
  all?: true;
  out?: string;
}

interface Run {
  answer: unknown;
  input: object;
}

type Row = Record<string, unknown>;
type AnyColumn = Column<never>;
type Table = Extract<Part, { rows: unknown }>;

/** A schema as this file reads it. */
interface Shape {
  type?: string;
  format?: string;
  secret?: boolean;
  holds?: "files";
  properties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: readonly Shape[];
}

/** Prints the answer of a command, and returns the exit code. */
export async function showAnswer(
  io: Io,
  command: Command<never>,
  { answer, input }: Run,
  options: AnswerOptions,
): Promise<number> {
  if ("lines" in command.answer) await printLines(io, answer as AsyncIterable<unknown>);
  else if (options.json) io.out(`${JSON.stringify(answer, null, 2)}\n`);
  else if (options.csv) io.out(await csvOf(command, answer));
  else printParts(io, command, { answer, input }, options);
  return command.isWell?.(answer as never) === false ? 1 : 0;
}

/** The list in an answer: where it is and the shape of its rows. Undefined for an answer without exactly one list. */
export function listOf(schema: TSchema): { member: string | undefined; row: Shape } | undefined {
  const shape = schema as Shape;
  if (shape.type === "array" && shape.items?.properties) return { member: undefined, row: shape.items };
  const lists = Object.entries(shape.properties ?? {}).filter(([, { items }]) => items?.properties);
  return lists.length === 1 ? { member: lists[0]![0], row: lists[0]![1].items! } : undefined;
}

async function printLines(io: Io, items: AsyncIterable<unknown>): Promise<void> {
  for await (const item of items) io.out(`${JSON.stringify(item)}\n`);
}

/** Sentences beside a secret or a file go to standard error, so that standard output holds it alone. */
function printParts(io: Io, command: Command<never>, { answer, input }: Run, options: AnswerOptions): void {
  const parts = command.view?.(answer as never, input as never) ?? partsOf(command, answer);
  const secret = memberWith("secret", command.answer);
  const files = memberWith("holds", command.answer);
  if (secret) io.out(`${(answer as Row)[secret]}\n`);
  if (files) saveFiles(io, (answer as Row)[files] as AnswerFile[], options.out);
  const say = secret || files ? io.err : io.out;
  const first = options.all ? undefined : command.first;
  const [out, err] = [painter(io.colours?.out), painter(io.colours?.err)];
  for (const part of parts) {
    if (typeof part === "string") say(`${shown(part)}\n`);
    else if ("fault" in part) io.err(`${[err("red", part.fault), part.note ?? []].flat().join(" ")}\n`);
    else if ("note" in part) io.err(`${part.note}\n`);
    else if ("list" in part) io.out(tableText(listTable(command, answer), first, out));
    else if ("record" in part) io.out(record(part.record, out));
    else io.out(tableText(part, first, out));
  }
  if (secret) io.err(`Save the ${secret} now. Duba does not show it again.\n`);
}

function tableText({ rows, title, none }: Table, first = Number.POSITIVE_INFINITY, paint: Paint): string {
  if (rows.length === 0 && none !== undefined) return `${none}\n`;
  const heading = title === undefined ? "" : `${paint("bold", title)}\n\n`;
  const more = rows.length > first ? `… and ${rows.length - first} more: --all shows them.\n` : "";
  return heading + table(rows.slice(0, first), paint) + more;
}

/** Without a view of its own an answer is a table, or a record with its list as a table below. */
function partsOf(command: Command<never>, answer: unknown): Part[] {
  const { member } = listOf(command.answer) ?? {};
  if (Array.isArray(answer)) return [list];
  if (member === undefined) return [{ record: answer as Row }];
  const { [member]: _, ...rest } = answer as Row;
  return Object.keys(rest).length === 0 ? [list] : [{ record: rest }, "", list];
}

function listTable(command: Command<never>, answer: unknown): Table {
  const { columns, none, answer: schema } = command;
  const rows = cellsOf(columns, listOf(schema)!.row, rowsOf(command, answer));
  return { rows, ...(none !== undefined && { none }) };
}

function cellsOf(columns: Command<never>["columns"], shape: Shape, rows: readonly Row[]): Row[] {
  const drawn = Object.entries(columns ?? allOf(shape, rows)).map(([name, given]) => {
    const column: AnyColumn = typeof given === "string" ? { heading: given } : given;
    const { heading = name, unit, none = "-", of = (row: Row) => row[name] } = column;
    const isTime = !column.of && isInstant(shape.properties?.[name]);
    const cell = (row: Row) => cellOf((of as (row: Row) => unknown)(row), isTime, none);
    return { heading: unit === undefined ? heading : `${heading} (${unit})`, cell };
  });
  return rows.map((row) => Object.fromEntries(drawn.map(({ heading, cell }) => [heading, cell(row)])));
}

function cellOf(value: unknown, isTime: boolean, none: string): unknown {
  if (value === null || value === undefined) return none;
  if (Array.isArray(value) && !value.some(isRow)) return value.join(" ");
  return isTime ? timeText(value as string) : value;
}

/** The members that any row has. */
function allOf({ properties = {} }: Shape, rows: readonly Row[]): Record<string, string> {
  const names = Object.keys(properties).filter((name) => rows.some((row) => name in row));
  return Object.fromEntries(names.map((name) => [name, name]));
}

function isInstant(shape: Shape | undefined): boolean {
  return shape?.format === "date-time" || shape?.anyOf?.some(isInstant) === true;
}

/** The name of the member of an answer whose schema has this mark. */
export function memberWith(mark: "secret" | "holds", schema: TSchema): string | undefined {
  return Object.entries((schema as Shape).properties ?? {}).find(([, member]) => member[mark])?.[0];
}

/** The rows of the list in an answer. */
function rowsOf({ answer: schema }: Command<never>, answer: unknown): Row[] {
  const member = listOf(schema)?.member;
  return ((member === undefined ? answer : (answer as Row)[member]) ?? []) as Row[];
}

/** All members of each row, under their names, as programs read them. */
async function csvOf(command: Command<never>, answer: unknown): Promise<string> {
  const { stringify } = await import("csv-stringify/sync");
  const names = Object.keys(listOf(command.answer)?.row.properties ?? {});
  const rows = rowsOf(command, answer);
  return stringify([names, ...rows.map((each) => names.map((name) => csvCell(each[name])))]);
}

function csvCell(value: unknown): string | number {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return value;
  const text = typeof value === "string" ? value : Array.isArray(value) ? value.join(" ") : JSON.stringify(value);
  return /^-?\d+(\.\d+)?$/.test(text) ? text : withoutFormula(text);
}

/** Whether `--out` names a directory, which can take several files. */
export function isDirectory(path: string): boolean {
  return path.endsWith("/") || (existsSync(path) && statSync(path).isDirectory());
}

/** Writes files where `--out` says, or to standard output. */
function saveFiles(io: Io, files: readonly AnswerFile[], out: string | undefined): void {
  for (const { name, text, private: isPrivate = false } of files) {
    if (out === undefined) io.out(text);
    else saveFile(isDirectory(out) ? join(out, name) : out, text, isPrivate ? 0o600 : 0o666);
  }
  if (out !== undefined) io.err(`Duba wrote ${out}.\n`);
}

function saveFile(path: string, text: string, mode: number): void {
  try {
    const directory = dirname(path);
    if (!existsSync(directory)) mkdirSync(directory);
    writeFileSync(path, text, { mode });
  } catch (error) {
    throw new CommandFault(`Duba cannot write the file ${path} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
