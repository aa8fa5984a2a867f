import type { Table, TableColumn, TableRow } from "../../../declare/command/answer-table.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import { labelFor } from "../site-map.ts";
import { isGood, money, shownAs } from "./cells.ts";
import { meter, share, usedText } from "./figures.ts";
import { type MenuLink, moreMenu } from "./menus.ts";
import { isFigure, type NarrowPlace, narrowRow } from "./narrow-rows.ts";
import type { RecordLink } from "./record-links.ts";
import type { Say } from "./words.ts";

/** Order, filter and page of a table, from the URL. */
export interface View {
  /** The column to sort by; descending after a minus. */
  sort: string;
  /** Show only rows that contain this text. */
  find: string;
  /** Counts from 1. */
  page: number;
  /** Show only rows of this time span, in milliseconds since 1970; `to` is exclusive. */
  span?: { from: number; to: number } | undefined;
}

/** Most rows of a page. */
export const pageRows = 50;

export function viewIn(query: URLSearchParams): View {
  const page = Number(query.get("_page") ?? 1);
  return {
    sort: query.get("_sort") ?? "",
    find: (query.get("_find") ?? "").slice(0, 200),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** Returns the column that a time span filters: the one that sorts the list, else the first time. */
export function timeColumn({ columns }: Pick<Table, "columns">, { sort }: Pick<View, "sort">): TableColumn | undefined {
  const times = columns.filter(({ shows }) => shows === "time");
  return times.find(({ name }) => name === sort.replace(/^-/, "")) ?? times[0];
}

/** Returns the filtered rows, in order. */
export function seen({ columns, rows }: Table, { sort, find, span }: View): TableRow[] {
  const wanted = find.toLowerCase();
  const timed = span && timeColumn({ columns }, { sort });
  const isIn = (at: unknown) => typeof at === "number" && at >= span!.from && at < span!.to;
  const found = rows.filter(
    (row) =>
      (!timed || isIn(timed.valueIn(row))) &&
      (wanted === "" ||
        columns.some(({ textOf, valueIn }) => `${textOf(row)}\n${valueIn(row)}`.toLowerCase().includes(wanted))),
  );
  const [name, sign] = sort.startsWith("-") ? [sort.slice(1), -1] : [sort, 1];
  const column = columns.find((each) => each.name === name);
  if (!column) return found;
  // Each cell is formatted once; a comparison of long lists would format each a dozen times.
  const cells = found.map((row) => {
    const value = column.valueIn(row);
    return { row, value, text: typeof value === "number" || value === null ? "" : column.textOf(row) };
  });
  // Empty cells sort last in both directions.
  const isNothing = ({ value }: SortedCell) => (value === null ? 1 : 0);
  cells.sort((one, other) => isNothing(one) - isNothing(other) || sign * order(one, other));
  return cells.map(({ row }) => row);
}

const collator = new Intl.Collator("en", { numeric: true });

type SortedCell = { value: unknown; text: string };

function order(one: SortedCell, other: SortedCell): number {
  if (typeof one.value === "number" && typeof other.value === "number") return one.value - other.value;
  return collator.compare(one.text, other.text);
}

/** Links of a row. */
export interface RowLinks {
  /** The row's record: its URL, and the text of the cell that names it. */
  own?: { name: string; address: string } | undefined;
  actions: readonly MenuLink[];
  /** Finds links to other records that the row names. */
  link?: RecordLink;
}

/** With more columns, a phone shows each row in two lines. */
const mostNarrowColumns = 2;

/** With more columns, a usual screen hides the spare ones. */
const mostAtOnce = 8;

interface TableParts {
  label: string;
  table: Table;
  view: View;
  /** Whether the first column names the row. */
  isNamed: boolean;
  /** Returns the page's URL with another view. */
  urlFor: (change: Record<string, string | undefined>) => string;
  say: Say;
  /** Renders the form in an editable cell. */
  editor?: ((row: TableRow, column: string) => Html | undefined) | undefined;
  links: (row: TableRow) => RowLinks;
  /** Shown in an empty table: how the first row appears. */
  noneThen?: Html | undefined;
  /** Shows only so many rows. */
  most?: number;
}

/** Renders a table that the server sorts, filters and pages. */
export function sortedTable({
  label,
  table,
  view,
  isNamed,
  urlFor,
  say,
  editor,
  links,
  noneThen,
  most,
}: TableParts): Html {
  const { none = "There is nothing here." } = table;
  const all = table.whole ? table.rows : seen(table, view).slice(0, most);
  if (all.length === 0)
    return html`<p class="empty"><strong>${table.rows.length === 0 ? none : view.find === "" ? "Nothing in these days." : `Nothing here has “${view.find}”.`}</strong>${table.rows.length === 0 ? (noneThen ?? "") : " Filter to look at others, or use the box."}</p>`;
  const size = table.whole ? all.length : pageRows;
  const columns = usedColumns(table);
  const pages = Math.ceil(all.length / size);
  const page = Math.min(view.page, pages);
  const rows = all.slice((page - 1) * size, page * size).map((row) => ({ row, ...links(row) }));
  const [first] = rows;
  const named = isNamed
    ? columns[0]
    : columns.find(({ valueIn }) => first!.own && String(valueIn(first!.row)) === first!.own.name);
  const edited = columns.find(({ name }) => editor?.(first!.row, name));
  const sorted = columns.find(({ name }) => name === view.sort.replace(/^-/, ""));
  const shown = rows.map(({ row }) => row);
  const places = columns.length > mostNarrowColumns ? narrowRow(columns, shown, { named, edited, sorted }) : undefined;
  const placeOf = ({ name }: TableColumn) => places?.get(name) ?? (name === named?.name ? "name" : undefined);
  const hasActions = rows.some(({ actions }) => actions.length > 0);
  const hasOwn = rows.every(({ own }) => own);
  // Cells that a phone hides are on the row's page, or can be unfolded.
  const folds = places !== undefined && !hasOwn && columns.some(({ name }) => !places.has(name));
  // A row shows the beginning of its facts, and unfolds the rest on wide screens as well.
  const hasFacts = folds && columns.some(({ shows }) => shows === "facts");
  const head = columns.map((column) => {
    const { name } = column;
    const direction = view.sort === name ? "ascending" : view.sort === `-${name}` ? "descending" : undefined;
    const next = direction === "ascending" ? `-${name}` : name;
    const text = labelIn(column);
    return html`${barCell(column)}<th scope="col"${classesOf(column, placeOf(column))}${direction ? html` aria-sort="${direction}"` : ""}>${table.whole ? text : html`<a href="${urlFor({ _sort: next, _page: undefined })}">${text}</a>`}</th>`;
  });
  const largestOf = new Map(
    columns.flatMap((column) => (column.share ? [[column.name, largestIn(column, all)] as const] : [])),
  );
  const body = rows.map(({ row, own, actions, link }) => {
    const cells = columns.map((column) => [
      barCell(column, share(Number(column.valueIn(row) ?? 0), largestOf.get(column.name) || 1)),
      cell(column, row, {
        say,
        place: placeOf(column),
        form: editor?.(row, column.name),
        address: own && column === (named ?? columns[0]) ? own.address : link?.(column.name, column.valueIn(row)),
      }),
    ]);
    const name = named ? named.textOf(row) : (own?.name ?? String(shown.indexOf(row) + 1));
    const key = `${label} ${own?.name ?? shown.indexOf(row)}`;
    const menu = hasActions ? html`<td class="acts">${moreMenu(name, actions, key)}</td>` : "";
    const fold = folds
      ? html`<td class="${hasFacts ? "fold wide" : "fold"}"><details><summary>More</summary></details></td>`
      : "";
    return html`<tr>${cells}${menu}${fold}</tr>`;
  });
  const acts = html`<th scope="col" class="acts"><span class="visually-hidden">Actions</span></th>`;
  return html`<div class="rows" role="region" aria-label="${label}" tabindex="0"><table${places ? (columns.length > mostAtOnce ? html` class="many"` : "") : html` class="few"`}>
<thead>${overHeads(columns, hasActions)}<tr>${head}${hasActions ? acts : ""}${hasFacts ? html`<td class="fold wide"></td>` : ""}</tr></thead>
<tbody>${body}</tbody>
${sums(columns, all, { hasActions, placeOf })}</table></div>
${pages > 1 ? pager(page, pages, all.length, urlFor) : ""}`;
}

/** Renders the headings that columns share, if any. */
function overHeads(columns: readonly TableColumn[], hasActions: boolean): Html {
  if (!columns.some(({ over }) => over)) return html``;
  // Hidden spare columns have header cells of their own, so that no heading spans them.
  const spans: { over: string | undefined; spare: boolean; count: number }[] = [];
  for (const { over, share, spare = false } of columns) {
    const last = spans.at(-1);
    const count = share ? 2 : 1;
    if (last && last.over === over && last.spare === spare) last.count += count;
    else spans.push({ over, spare, count });
  }
  const cells = spans.map(({ over, spare, count }) =>
    over === undefined || spare
      ? html`<td colspan="${count}"${spare ? html` class="spare"` : ""}></td>`
      : html`<th scope="colgroup" colspan="${count}" class="over number">${over}</th>`,
  );
  return html`<tr>${cells}${hasActions ? html`<td></td>` : ""}</tr>`;
}

export function labelIn({ name, label }: Pick<TableColumn, "name" | "label">): string {
  return label ?? labelFor(name);
}

/** The label with the shared heading, for places where that heading is not shown. */
function wholeLabel({ over, ...column }: TableColumn): string {
  return over === undefined ? labelIn(column) : `${over} ${labelIn(column).toLowerCase()}`;
}

function classesOf(column: TableColumn, place: NarrowPlace | undefined, more: string | undefined = undefined): Html {
  const { shows, spare } = column;
  const kind =
    isFigure(column) && column.meterOf === undefined
      ? "number"
      : shows === "sentence" || (shows === "richText" && place !== "name")
        ? "sentence"
        : shows === "facts"
          ? "brief"
          : undefined;
  const classes = [place, kind, spare && "spare", shows === "time" && "time", more].filter(Boolean);
  return classes.length === 0 ? html`` : html` class="${classes.join(" ")}"`;
}

/** Renders the sums of all rows of the view. */
function sums(
  columns: readonly TableColumn[],
  rows: readonly TableRow[],
  { hasActions, placeOf }: { hasActions: boolean; placeOf: (column: TableColumn) => NarrowPlace | undefined },
): Html | string {
  if (rows.length < 2 || !columns.some(({ sumOf }) => sumOf)) return "";
  const cells = columns.map((column, at) => {
    const { sumOf, shows } = column;
    const text = sumOf?.(rows) ?? "";
    const sum = shows === "naira" ? money(text) : html`${text}`;
    const label = sumOf ? html` data-label="${wholeLabel(column)}"` : "";
    return html`${barCell(column)}<td${classesOf(column, at === 0 ? "name" : placeOf(column))}${label}>${at === 0 ? "All" : sum}</td>`;
  });
  return html`<tfoot><tr>${cells}${hasActions ? html`<td class="acts"></td>` : ""}</tr></tfoot>`;
}

function pager(page: number, pages: number, count: number, urlFor: TableParts["urlFor"]): Html {
  const link = (to: number, text: string) =>
    to < 1 || to > pages ? "" : html`<a href="${urlFor({ _page: String(to) })}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages of the table">${link(page - 1, "Previous")} <span>Page ${page} of ${pages}, ${count} rows</span> ${link(page + 1, "Next")}</nav>`;
}

/** Returns the columns in which at least one row has a value; all columns of a table with at most two. */
function usedColumns({ columns, rows }: Table): readonly TableColumn[] {
  const isNothing = (value: unknown) => value === null || value === "" || (Array.isArray(value) && value.length === 0);
  return columns.length <= mostNarrowColumns
    ? columns
    : columns.filter(({ valueIn }) => !rows.every((row) => isNothing(valueIn(row))));
}

function largestIn({ valueIn }: TableColumn, rows: readonly TableRow[]): number {
  return rows.reduce((largest, row) => Math.max(largest, Number(valueIn(row) ?? 0)), 0);
}

/** Renders the cell of a row's bar, before a column with `share`: the bar compares the row with the largest one. */
function barCell({ share: isCompared }: TableColumn, bar: Html | string = ""): Html | string {
  return isCompared ? html`<td class="beside">${bar}</td>` : "";
}

interface CellParts {
  say: Say;
  address: string | undefined;
  /** Replaces the text with a form. */
  form: Html | undefined;
  /** The cell's position on a phone. */
  place: NarrowPlace | undefined;
}

function cell(column: TableColumn, row: TableRow, { say, address, form, place }: CellParts): Html {
  const text = column.textOf(row);
  const value = column.valueIn(row);
  const bound = column.meterOf === undefined ? undefined : row[column.meterOf];
  const isBound = typeof bound === "number" && typeof value === "number" && bound > 0;
  const countText = isBound
    ? html`<span>${usedText(value, bound, column.shows)}</span>`
    : place === "also" && (value === null || (column.shows === "state" && isGood(value)))
      ? html`<span class="empty-here">${value === null ? "–" : shownAs({ ...column, text, value }, say)}</span>`
      : shownAs({ ...column, text, value }, say);
  const shown = form ?? countText;
  const below = column.belowOf(row);
  const isLong = column.shows === "text" && text.length > 48 && place !== "name" && place !== "lead";
  const bar = isBound ? meter(value, bound, labelIn(column)) : "";
  return html`<td${classesOf(column, place, isLong ? "sentence" : undefined)} data-label="${wholeLabel(column)}">${bar}${
    address === undefined ? shown : html`<a href="${address}">${shown}</a>`
  }${below.length === 0 ? "" : html` <small>${say(below)}</small>`}</td>`;
}
