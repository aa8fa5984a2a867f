import type { TSchema } from "typebox";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Command } from "../command.ts";
import { nairaText } from "../money.ts";
import {
  type Column,
  list,
  type OwnColumn,
  type Part,
  type Showing,
  type Shows,
  type Viewing,
} from "./answer-schema.ts";
import type { MendWithLine } from "./mend.ts";
import { isRow, type Shape, shapeOf } from "./projected.ts";
import { plainText, type RichText, type Text } from "./rich-text.ts";

export type TableRow = Record<string, unknown>;

/** Formats times for people. */
export type TimeTexts = Pick<TimeZone, "textOf">;

export interface TableColumn {
  name: string;
  label?: string | undefined;
  shows: Shows;
  spare?: true | undefined;
  also?: true | undefined;
  over?: string | undefined;
  share?: true | undefined;
  line?: true | undefined;
  meterOf?: string | undefined;
  tones?: Showing["tones"];
  /** The value as the command returned it. */
  valueIn: (row: TableRow) => unknown;
  /** The cell for people. */
  textOf: (row: TableRow) => string;
  /** For a state: its author, start, end and reason, for people. */
  belowOf: (row: TableRow) => RichText;
  /** The sum of the rows, for people. */
  sumOf?: (rows: readonly TableRow[]) => string;
}

/** A table for a user interface. */
export interface Table {
  columns: readonly TableColumn[];
  rows: readonly TableRow[];
  title?: string | undefined;
  none?: string | undefined;
  /** The rows and their order are fixed. */
  whole?: boolean;
}

/** A member of a record: one text, or nested members. */
export interface RecordMember {
  name: string;
  label?: string | undefined;
  shows: Shows;
  text: string;
  value: unknown;
  tones?: Showing["tones"];
  members?: readonly RecordMember[];
}

/**
 * Returns the member and the row schema of the only list in an answer. Undefined if the answer has no list or several.
 */
export function listOf(schema: TSchema): { member: string | undefined; row: Shape } | undefined {
  const shape = schema as Shape;
  if (shape.type === "array" && shape.items?.properties) return { member: undefined, row: shape.items };
  const lists = Object.entries(shape.properties ?? {}).filter(([, { items, beside }]) => items?.properties && !beside);
  return lists.length === 1 ? { member: lists[0]![0], row: lists[0]![1].items! } : undefined;
}

/** Returns the answer in parts for people. Default: a table, or a record with its list as a table below. */
export function partsOf(command: Command<never>, answer: unknown, zone: TimeTexts): readonly Part[] {
  if (command.view) {
    const viewing: Viewing = {
      at: (time, isToSecond) => (time === null ? "-" : zone.textOf(time, isToSecond)),
    };
    return command.view(answer as never, viewing);
  }
  const { member } = listOf(command.answer) ?? {};
  if (Array.isArray(answer)) return [list];
  if (member === undefined) return [{ record: answer as TableRow }];
  const { [member]: _, ...rest } = answer as TableRow;
  return Object.keys(rest).length === 0 ? [list] : [{ record: rest }, "", list];
}

export function listRows({ answer: schema }: Command<never>, answer: unknown): TableRow[] {
  const member = listOf(schema)?.member;
  return ((member === undefined ? answer : (answer as TableRow)[member]) ?? []) as TableRow[];
}

export function tableOf(
  command: Command<never>,
  answer: unknown,
  part: Extract<Part, { list: unknown } | { rows: unknown }>,
  zone: TimeTexts,
): Table {
  const { title, none } = part;
  if ("rows" in part)
    return { ...tableOfRows(part.row, part.rows as TableRow[], zone), title, none, whole: part.whole === true };
  if (part.list === true) {
    const table = tableOfRows(listOf(command.answer)!.row, listRows(command, answer), zone, command.columns);
    return { ...table, title, none: none ?? command.none };
  }
  const { items } = (command.answer as Shape).properties![part.list]!;
  const rows = (answer as Record<string, TableRow[]>)[part.list]!;
  return { ...tableOfRows(items!, rows, zone, part.columns as Column<never>[] | undefined), title, none };
}

/** Makes a table from rows. `columns`: by default all members of the schema that any row has. */
export function tableOfRows(
  schema: TSchema | Shape,
  rows: readonly TableRow[],
  zone: TimeTexts,
  columns?: readonly Column<never>[],
): Table {
  const { properties = {} } = shapeOf(schema);
  const drawn = columns ?? Object.keys(properties).filter((name) => rows.some((row) => row[name] !== undefined));
  const found = drawn.map((column) => {
    if (typeof column === "string" || !("of" in column)) {
      const { name, ...place } = typeof column === "string" ? { name: column as string } : (column as { name: string });
      return { ...place, name, of: (row: TableRow) => row[name], member: properties[name]! };
    }
    const { of, as = { type: "string" }, ...place } = column as OwnColumn<never>;
    return { ...place, of: of as (row: TableRow) => unknown, member: as as Shape };
  });
  const times = found.filter(({ member }) => showsOf(member) === "time");
  const isToSecond = areClose(rows.flatMap((row) => times.map(({ of }) => of(row))));
  return {
    rows,
    columns: found.map(({ of, member, ...place }) => ({
      ...placeIn(shapeOf(member)),
      ...place,
      shows: showsOf(member),
      ...tonesOf(member),
      valueIn: of,
      textOf: (row) => textOf(member, of(row), zone, isToSecond),
      belowOf: (row) => belowState(member, row, zone),
      ...(shapeOf(member).sums && {
        sumOf: (rows) => textOf(member, sumOf(member, rows.map(of)), zone),
      }),
    })),
  };
}

/** Returns the layout of a column. */
function placeIn({
  label,
  spare,
  also,
  over,
  share,
  line,
  meterOf,
}: Shape): Pick<TableColumn, "label" | "spare" | "also" | "over" | "share" | "line" | "meterOf"> {
  return { label, spare, also, over, share, line, meterOf };
}

function tonesOf(member: Shape): Pick<Showing, "tones"> {
  const { tones } = shapeOf(member);
  return tones === undefined ? {} : { tones };
}

/**
 * Returns the author, start, end and reason of a state: "by ada@example.com until 14:30, because …". Without an author,
 * returns only the start, if there is one.
 */
export function belowState(member: Shape, row: TableRow, zone: TimeTexts): RichText {
  const { by = "", since = "", until = "", why } = shapeOf(member);
  const textIn = (name: string, word: string, none: string[] = []) =>
    isEmpty(row[name]) ? none : [`${word} ${zone.textOf(timeIn(row[name]))}`];
  if (isEmpty(row[by])) return textIn(since, "since");
  const end = until === "" ? [] : textIn(until, "until", ["until resumed"]);
  const reason = why?.words[String(row[why.of])];
  const because = reason === undefined ? [] : [`, because ${reason}`];
  return [
    "by ",
    { actor: String(row[by]) },
    ...[...textIn(since, "since"), ...end].map((text) => ` ${text}`),
    ...because,
  ];
}

/** Returns null if no value is present. */
function sumOf(member: Shape, values: readonly unknown[]): number | null {
  const present = values.filter((value) => value !== null && value !== undefined);
  const numbers = present.map(showsOf(member) === "naira" ? koboIn : Number);
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number);
}

/**
 * Returns the members of a record for people. Leaves out empty declared members without a `none` text. Treats
 * undeclared members as text.
 */
export function recordOf(schema: TSchema | Shape, members: TableRow, zone: TimeTexts): RecordMember[] {
  const { properties = {} } = shapeOf(schema);
  const all = Object.entries(members)
    .map(([name, value]) => ({ name, value, member: properties[name] ?? {} }))
    .filter(
      ({ name, value, member }) => !isEmpty(value) || !(name in properties) || shapeOf(member).none !== undefined,
    );
  const isToSecond = areClose(all.filter(({ member }) => showsOf(member) === "time").map(({ value }) => value));
  return all.map(({ name, value, member }) => ({
    name,
    label: shapeOf(member).label,
    value,
    shows: showsOf(member),
    ...tonesOf(member),
    text: isRow(value) && showsOf(member) === "text" ? "" : textOf(member, value, zone, isToSecond),
    ...(isRow(value) && showsOf(member) === "text" && { members: recordOf(member, value, zone) }),
  }));
}

function isEmpty(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0)
  );
}

function showsOf(member: Shape): Shows {
  const { shows, type, format } = shapeOf(member);
  if (shows) return shows;
  if (type === "boolean") return "yes";
  return format === "date-time" ? "time" : type === "integer" || type === "number" ? "number" : "text";
}

/** Whether times must show seconds: some differ only within a minute. */
function areClose(values: readonly unknown[]): boolean {
  const times = values.map(timeIn);
  const different = (length: number) => new Set(times.map((at) => Math.floor(at / length))).size;
  return different(60_000) < different(1_000);
}

/** Milliseconds since 1970, of a stored number or of ISO 8601 text. */
function timeIn(value: unknown): number {
  return typeof value === "number" ? value : Date.parse(String(value));
}

/** Formats a value for people. */
function textOf(member: Shape, value: unknown, zone: TimeTexts, isToSecond = false): string {
  const { none = "-", unit, words, items, patternProperties } = shapeOf(member);
  if (value !== "" && isEmpty(value)) return none;
  switch (showsOf(member)) {
    case "time":
      return Number.isNaN(new Date(timeIn(value)).getTime()) ? String(value) : zone.textOf(timeIn(value), isToSecond);
    case "naira":
      return nairaText(koboIn(value));
    case "number":
      return [typeof value === "number" ? value.toLocaleString("en") : value, unit ?? []].flat().join(" ");
    case "change":
      return changeText(Number(value) * 100, "%");
    case "yes":
      return value ? "yes" : "no";
    case "facts":
      return factsText(value);
    case "sentence":
    case "richText":
      return plainText(value as Text, { at: (time) => zone.textOf(timeIn(time)) });
    case "mends":
      return (value as readonly MendWithLine[]).map(({ line }) => line).join(", ");
    default:
      if (items?.shows === "sentence" && Array.isArray(value))
        return (value as Text[]).map((each) => plainText(each, { at: (time) => zone.textOf(time) })).join(" ");
      if (Array.isArray(value) && !value.some(isRow)) return value.join(", ");
      if (patternProperties && isRow(value)) {
        const [each] = Object.values(patternProperties);
        const texts = Object.entries(value).map(
          ([name, of]) => `${words?.[name] ?? name} (${textOf(each!, of, zone)})`,
        );
        return texts.join(", ");
      }
      return words?.[String(value)] ?? (typeof value === "object" ? JSON.stringify(value) : String(value));
  }
}

/** Formats a change, such as "+6.9 %". */
export function changeText(moved: number, unit: string): string {
  const rounded = Math.abs(moved) < 100 ? Math.round(moved * 10) / 10 : Math.round(moved);
  return `${rounded > 0 ? "+" : rounded < 0 ? "−" : ""}${Math.abs(rounded).toLocaleString("en")} ${unit}`;
}

/** Kobo, of a stored number or of naira text. */
function koboIn(value: unknown): number {
  return typeof value === "number" ? value : Math.round(Number(value) * 100);
}

/** Formats the facts of an audit entry: an object, or the stored text if that is not a JSON object. */
function factsText(facts: unknown): string {
  if (!isRow(facts)) return String(facts);
  const texts = Object.entries(facts).map(([name, fact]) => {
    if (name === "confirmation") return "confirmation=by passkey";
    return `${name}=${fact === null ? "-" : typeof fact === "object" ? JSON.stringify(fact) : fact}`;
  });
  return texts.join(" ");
}

/** Returns the name of the member whose schema has this mark. */
export function memberWith(mark: "secret" | "holds", schema: TSchema): string | undefined {
  return Object.entries((schema as Shape).properties ?? {}).find(([, member]) => member[mark])?.[0];
}
