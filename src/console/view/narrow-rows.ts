import type { Shows } from "../../operation/command/answer-schema.ts";
import type { TableColumn, TableRow } from "../../operation/command/answer-table.ts";
import { labelFor } from "../site-map.ts";

/**
 * Where a cell stands in a row on a phone: `name`, `first` and `value` in its first line, `lead`, `second` and `time` in its second
 * one, a `sentence` in lines of its own, and `more` where it is folded away.
 */
export type NarrowPlace = "name" | "first" | "value" | "lead" | "sentence" | "second" | "time" | "more";

export interface NarrowRow {
  places: ReadonlyMap<string, NarrowPlace>;
  /** Whether the lines leave something out. */
  folds: boolean;
}

/** What people look for first at the end of a line, and what they read on. */
const values: readonly Shows[] = ["state", "naira", "number", "text"];
const leads: readonly Shows[] = ["sentence", "facts", "account", "text", "reference"];
const names: readonly Shows[] = ["text", "reference", "account"];

/** Letters that a line of a phone holds, that a text takes of it, and that are left of a longer one which begins a line. */
const lineLength = 40;
const longest = 20;
const shortest = 14;

/**
 * The two lines of a row on a phone, from what its columns show: what names it and what became of it, then whom or what it is about
 * and when. Other columns fill both lines in their order. `taken`: letters of the second line that stand there already.
 */
export function narrowRow(
  columns: readonly TableColumn[],
  rows: readonly TableRow[],
  { named, edited, taken }: { named: TableColumn | undefined; edited: TableColumn | undefined; taken: number },
): NarrowRow {
  const places = new Map<string, NarrowPlace>();
  const room = { first: lineLength, second: lineLength - taken };
  const lengthOf = ({ textOf }: TableColumn) => Math.max(...rows.map((row) => textOf(row).length));
  const widthOf = (column: TableColumn, most: number, label = "") =>
    Math.min(most, lengthOf(column)) + label.length + 2;
  const put = (column: TableColumn, line: keyof typeof room, place: NarrowPlace, width: number) => {
    room[line] -= width;
    places.set(column.name, place);
  };
  const different = ({ textOf }: TableColumn) => new Set(rows.map(textOf)).size;
  const firstOf = (kinds: readonly Shows[], from = columns) =>
    kinds.flatMap((kind) => from.find(({ name, shows }) => shows === kind && !places.has(name)) ?? [])[0];
  const areUnique = (column: TableColumn) => different(column) === rows.length;
  const name =
    named ??
    columns.find(({ shows }) => rows.length === 1 && shows === "reference") ??
    columns.find((column) => names.includes(column.shows) && areUnique(column)) ??
    columns[0]!;
  put(name, "first", "name", widthOf(name, longest));
  const value = edited ?? firstOf(values);
  if (value) put(value, "first", "value", widthOf(value, longest, isFigure(value) ? labelFor(value.name) : ""));
  // What all rows have in common tells less than what only one of them has.
  const telling = columns.toSorted((one, other) => different(other) - different(one));
  const lead =
    firstOf(
      leads,
      telling.filter((each) => each.shows !== "text" || lengthOf(each) <= lineLength),
    ) ?? firstOf(leads);
  if (lead?.shows === "sentence") places.set(lead.name, "sentence");
  else if (lead) put(lead, "second", "lead", widthOf(lead, shortest));
  // Of several times nobody would know which one it is.
  const [time, ...others] = columns.filter(({ shows }) => shows === "time");
  if (time && time !== name && others.length === 0 && widthOf(time, lineLength) <= room.second)
    put(time, "second", "time", widthOf(time, lineLength));
  for (const column of columns.filter((each) => !places.has(each.name))) {
    const width = widthOf(column, lineLength, labelFor(column.name));
    const line = (["first", "second"] as const).find((each) => width <= room[each]);
    put(column, line ?? "second", line ?? "more", line ? width : 0);
  }
  const isCut = lead?.shows !== "sentence" && lead !== undefined && lengthOf(lead) > shortest;
  return { places, folds: isCut || [...places.values()].includes("more") };
}

/** Figures say nothing without the name of their column. */
export function isFigure({ shows }: Pick<TableColumn, "shows">): boolean {
  return shows === "naira" || shows === "number";
}
