import type { Shows } from "../../../declare/command/answer-schema.ts";
import type { TableColumn, TableRow } from "../../../declare/command/answer-table.ts";

/**
 * The position of a cell in a row on a phone: `name` and `value` in the first line, `lead` and `when` in the second,
 * `also` in a line of its own. Other cells are folded away.
 */
export type NarrowPlace = "name" | "value" | "lead" | "when" | "also";

/** Types of columns for each position, best first. */
const values: readonly Shows[] = ["state", "naira", "number", "text"];
const leads: readonly Shows[] = ["account", "text", "reference"];
const names: readonly Shows[] = ["event", "text", "reference", "account"];

/** Letters that fit beside another cell on a phone. */
const lineLength = 40;

/**
 * Assigns columns to the two lines of a row on a phone. First line: the row's name, and its state or the figure that
 * sorts the list. Second line: account or subject, and time. Sentences get lines of their own.
 */
export function narrowRow(
  columns: readonly TableColumn[],
  rows: readonly TableRow[],
  { named, edited, sorted }: Record<"named" | "edited" | "sorted", TableColumn | undefined>,
): ReadonlyMap<string, NarrowPlace> {
  const places = new Map<string, NarrowPlace>(
    columns.flatMap(({ name, shows, also }) => (also || shows === "sentence" ? [[name, "also"] as const] : [])),
  );
  const lengthOf = ({ textOf }: TableColumn) => Math.max(...rows.map((row) => textOf(row).length));
  const texts = new Map(columns.map((column) => [column, new Set(rows.map(column.textOf)).size]));
  const different = (column: TableColumn) => texts.get(column)!;
  const firstOf = (kinds: readonly Shows[], from = columns) =>
    kinds.flatMap((kind) => from.find(({ name, shows }) => shows === kind && !places.has(name)) ?? [])[0];
  const put = (column: TableColumn | undefined, place: NarrowPlace) => column && places.set(column.name, place);
  const areUnique = (column: TableColumn) => different(column) === rows.length;
  const mayName = columns.filter((each) => names.includes(each.shows) && areUnique(each));
  put(named ?? mayName.find(({ spare }) => !spare) ?? mayName[0] ?? columns[0], "name");
  put(edited ?? (sorted && isFigure(sorted) && !places.has(sorted.name) ? sorted : firstOf(values)), "value");
  // A state without a place in the first line gets its own line.
  put(firstOf(["state"]), "also");
  // A value that all rows share tells less than one that differs.
  const telling = columns.toSorted((one, other) => different(other) - different(one));
  put(
    firstOf(
      leads,
      telling.filter((each) => each.shows === "account" || lengthOf(each) <= lineLength),
    ) ??
      firstOf(
        ["naira", "number"],
        columns.filter(({ spare }) => !spare),
      ) ??
      firstOf(["naira", "number"]),
    "lead",
  );
  // With several times it would be unclear which one is shown, so only the sorted one is.
  const times = columns.filter(({ name, shows }) => shows === "time" && !places.has(name));
  put(times.length === 1 ? times[0] : times.find((each) => each === sorted), "when");
  return places;
}

/** A figure needs its column's name beside it. */
export function isFigure({ shows }: Pick<TableColumn, "shows">): boolean {
  return shows === "naira" || shows === "number" || shows === "change";
}
