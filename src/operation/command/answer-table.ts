import type { TSchema } from "typebox";
import type { Command } from "../command.ts";
import { withoutFormula } from "../formula.ts";
import { type Column, list, type Part, timeText } from "./answer-schema.ts";

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

/** The list in an answer: where it is and the shape of its rows. Undefined for an answer without exactly one list. */
export function listOf(schema: TSchema): { member: string | undefined; row: Shape } | undefined {
  const shape = schema as Shape;
  if (shape.type === "array" && shape.items?.properties) return { member: undefined, row: shape.items };
  const lists = Object.entries(shape.properties ?? {}).filter(([, { items }]) => items?.properties);
  return lists.length === 1 ? { member: lists[0]![0], row: lists[0]![1].items! } : undefined;
}

/** Without a view of its own an answer is a table, or a record with its list as a table below. */
export function partsOf(command: Command<never>, answer: unknown): Part[] {
  const { member } = listOf(command.answer) ?? {};
  if (Array.isArray(answer)) return [list];
  if (member === undefined) return [{ record: answer as Row }];
  const { [member]: _, ...rest } = answer as Row;
  return Object.keys(rest).length === 0 ? [list] : [{ record: rest }, "", list];
}

/** The rows of the list in an answer. */
export function listRows({ answer: schema }: Command<never>, answer: unknown): Row[] {
  const member = listOf(schema)?.member;
  return ((member === undefined ? answer : (answer as Row)[member]) ?? []) as Row[];
}

/** The list in an answer as its columns show it, a row of cells for each of its rows. */
export function listTable(command: Command<never>, answer: unknown): Table {
  const { answer: schema, columns, none } = command;
  const rows = cellsOf(columns, listOf(schema)!.row, listRows(command, answer));
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

/** All members of each row, under their names, as programs read them. */
export async function answerCsv(command: Command<never>, answer: unknown): Promise<string> {
  const names = Object.keys(listOf(command.answer)?.row.properties ?? {});
  return csvOfRows(
    names,
    listRows(command, answer).map((row) => names.map((name) => row[name])),
  );
}

/** CSV for spreadsheets: no cell can become a formula. */
export async function csvOfRows(headings: readonly string[], rows: readonly (readonly unknown[])[]): Promise<string> {
  const { stringify } = await import("csv-stringify/sync");
  return stringify([headings, ...rows.map((cells) => cells.map(csvCell))]);
}

function csvCell(value: unknown): string | number {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return value;
  const text = typeof value === "string" ? value : Array.isArray(value) ? value.join(" ") : JSON.stringify(value);
  return /^-?\d+(\.\d+)?$/.test(text) ? text : withoutFormula(text);
}

export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
