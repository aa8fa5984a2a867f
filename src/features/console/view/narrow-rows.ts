import type { Shows } from "../../../declare/command/answer-schema.ts";
import type { TableColumn, TableRow } from "../../../declare/command/answer-table.ts";

/**
 * Where a cell stands in a row on a phone: `name` and `value` in its first line, `lead` and `when` in its second one,
 * `also` in a line of its own. What has no place is folded away.
 */
export type NarrowPlace = "name" | "value" | "lead" | "when" | "also";

/** The kinds of column that take each place of a row, the most wanted first. */
const values: readonly Shows[] = ["state", "naira", "number", "text"];
const leads: readonly Shows[] = ["account", "text", "reference"];
const names: readonly Shows[] = ["event", "text", "reference", "account"];

/** Letters that a line of a phone holds beside another cell. */
const lineLength = 40;

/**
 * The two lines of a row on a phone, from what its columns show: what names it and what became of it, or the figure
 * that orders the rows, then whom or what it is about and when. Sentences have lines of their own.
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
  // If a figure has the place of the state, the state stands in a line below.
  put(firstOf(["state"]), "also");
  // A value that all rows share says less than one that differs.
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
  // With several times nobody would know which one is shown.
  const times = columns.filter(({ name, shows }) => shows === "time" && !places.has(name));
  put(times.length === 1 ? times[0] : times.find((each) => each === sorted), "when");
  return places;
}

/** Figures say nothing without the name of their column. */
export function isFigure({ shows }: Pick<TableColumn, "shows">): boolean {
  return shows === "naira" || shows === "number" || shows === "change";
}
