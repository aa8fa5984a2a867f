import { type Html, html } from "../../http/pages/html.ts";
import type { Table, TableColumn, TableRow } from "../../operation/command/answer-table.ts";
import { labelFor } from "../site-map.ts";
import { cellAs } from "./cells.ts";
import type { Say } from "./command-words.ts";
import { isFigure, type NarrowPlace, narrowRow } from "./narrow-rows.ts";
import type { RecordLink } from "./record-links.ts";

/** Rows in the order and with the filter that the URL says. */
export interface View {
  /** Column to sort by; with a minus before it the other way round. */
  sort: string;
  /** Only rows with this text. */
  find: string;
  /** From 1. */
  page: number;
}

export const pageRows = 100;

export function viewIn(query: URLSearchParams): View {
  const page = Number(query.get("_page") ?? 1);
  return {
    sort: query.get("_sort") ?? "",
    find: (query.get("_find") ?? "").slice(0, 200),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** The rows that a view shows, in its order. */
export function seen({ columns, rows }: Table, { sort, find }: View): TableRow[] {
  const wanted = find.toLowerCase();
  const found = rows.filter(
    (row) => wanted === "" || columns.some(({ textOf }) => textOf(row).toLowerCase().includes(wanted)),
  );
  const [name, sign] = sort.startsWith("-") ? [sort.slice(1), -1] : [sort, 1];
  const column = columns.find((each) => each.name === name);
  return column ? found.sort((one, other) => sign * order(column, one, other)) : found;
}

const collator = new Intl.Collator("en", { numeric: true });

function order({ valueIn, textOf }: TableColumn, one: TableRow, other: TableRow): number {
  const [first, second] = [valueIn(one), valueIn(other)];
  if (typeof first === "number" && typeof second === "number") return first - second;
  return collator.compare(textOf(one), textOf(other));
}

/** What a person can open or do from a row. */
export interface RowLinks {
  /** The page of what the row is about, and the text of the cell that names it. */
  own?: { name: string; address: string } | undefined;
  actions: readonly Html[];
  /** The pages of other things that the row names. */
  link?: RecordLink;
}

/** More actions than these stand on the page of the row only. */
const mostActions = 3;

/** A phone shows a row of more columns as two lines. */
const mostNarrowColumns = 2;

interface TableParts {
  label: string;
  table: Table;
  view: View;
  /** The address of the page with another view. */
  urlFor: (change: Record<string, string | undefined>) => string;
  say: Say;
  /** The form in a cell, if the cell can be changed in place. */
  editor?: ((row: TableRow, column: string) => Html | undefined) | undefined;
  links: (row: TableRow) => RowLinks;
}

/** A table that the server sorts, filters and divides into pages. */
export function sortedTable({ label, table, view, urlFor, say, editor, links }: TableParts): Html {
  const { none = "There is nothing here." } = table;
  const all = table.whole ? table.rows : seen(table, view);
  if (all.length === 0)
    return html`<p class="empty">${table.rows.length === 0 ? none : `None of these ${table.rows.length} rows has “${view.find}”. Filter to look at others, or use the box.`}</p>`;
  const size = table.whole ? all.length : pageRows;
  const columns = usedColumns(table);
  const pages = Math.ceil(all.length / size);
  const page = Math.min(view.page, pages);
  const rows = all.slice((page - 1) * size, page * size).map((row) => {
    const of = links(row);
    return { row, link: of.link, ...ofRow(of, row, columns) };
  });
  const hasActions = rows.some(({ actions }) => actions.length > 0);
  const breaksTime = columns.filter(({ shows }) => shows === "time").length > 1;
  const head = columns.map((column) => {
    const { name } = column;
    const direction = view.sort === name ? "ascending" : view.sort === `-${name}` ? "descending" : undefined;
    const next = direction === "ascending" ? `-${name}` : name;
    return html`<th scope="col"${isFigure(column) ? html` class="number"` : ""}${direction ? html` aria-sort="${direction}"` : ""}>${table.whole ? labelFor(name) : html`<a href="${urlFor({ _sort: next, _page: undefined })}">${labelFor(name)}</a>`}</th>`;
  });
  const isWide = columns.length + (hasActions ? 1 : 0) > mostNarrowColumns;
  const { places, folds } = isWide
    ? narrowRow(
        columns,
        rows.map(({ row }) => row),
        {
          named: rows.find(({ own }) => own)?.own?.column,
          edited: columns.find(({ name }) => editor?.(rows[0]!.row, name)),
          taken: rows.every(({ own }) => own) ? 0 : hasActions ? 20 : 8,
        },
      )
    : { places: new Map<string, NarrowPlace>(), folds: false };
  const body = rows.map(({ row, own, actions, link }) => {
    const cells = columns.map((column) =>
      cell(column, row, {
        ...{ breaksTime, say, place: places.get(column.name), form: editor?.(row, column.name) },
        address: column === own?.column ? own.address : link?.(column.name, column.valueIn(row)),
      }),
    );
    // What a phone leaves out stands on the page of the row, or unfolds.
    const fold = folds && !own ? html`<td class="fold"><details><summary>More</summary></details></td>` : "";
    return html`<tr>${cells}${hasActions ? html`<td class="${own ? "actions more" : "actions"}">${actions}</td>` : ""}${fold}</tr>`;
  });
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table${isWide ? html` class="wide"` : ""}>
<thead><tr>${head}${hasActions ? html`<th scope="col" class="actions"><span class="visually-hidden">Actions</span></th>` : ""}</tr></thead>
<tbody>${body}</tbody>
${sums(columns, all, hasActions)}</table></div>
${pages > 1 ? pager(page, pages, all.length, urlFor) : ""}`;
}

/** What all rows of the view add up to. */
function sums(columns: readonly TableColumn[], rows: readonly TableRow[], hasActions: boolean): Html | string {
  if (rows.length < 2 || !columns.some(({ sumOf }) => sumOf)) return "";
  const cells = columns.map(({ name, sumOf }, at) =>
    sumOf
      ? html`<td class="number" data-label="${labelFor(name)}">${sumOf(rows)}</td>`
      : html`<td${at === 0 ? "" : html` class="none"`}>${at === 0 ? "Total" : ""}</td>`,
  );
  return html`<tfoot><tr>${cells}${hasActions ? html`<td class="actions"></td>` : ""}</tr></tfoot>`;
}

/** The cell that leads to the page of a row, and the actions that stand beside it. */
function ofRow({ own, actions }: RowLinks, row: TableRow, columns: readonly TableColumn[]) {
  if (!own) return { own: undefined, actions };
  const column = columns.find(({ valueIn }) => String(valueIn(row)) === own.name) ?? columns[0]!;
  return { own: { column, address: own.address }, actions: actions.length > mostActions ? [] : actions };
}

function pager(page: number, pages: number, count: number, urlFor: TableParts["urlFor"]): Html {
  const link = (to: number, text: string) =>
    to < 1 || to > pages ? "" : html`<a href="${urlFor({ _page: String(to) })}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages of the table">${link(page - 1, "Previous")} <span>Page ${page} of ${pages}, ${count} rows</span> ${link(page + 1, "Next")}</nav>`;
}

/** The columns in which any row has something. */
function usedColumns({ columns, rows }: Table): readonly TableColumn[] {
  const isNothing = (value: unknown) => value === null || value === "" || (Array.isArray(value) && value.length === 0);
  return columns.length <= mostNarrowColumns
    ? columns
    : columns.filter(({ valueIn }) => !rows.every((row) => isNothing(valueIn(row))));
}

interface CellParts {
  /** A table with several times breaks them between the day and the clock. */
  breaksTime: boolean;
  say: Say;
  address: string | undefined;
  /** In place of the text. */
  form: Html | undefined;
  /** On a phone. */
  place: NarrowPlace | undefined;
}

function cell(column: TableColumn, row: TableRow, { breaksTime, say, address, form, place }: CellParts): Html {
  const { name, shows } = column;
  const text = column.textOf(row);
  const shown = form ?? cellAs({ shows, text }, say, breaksTime);
  const kind = isFigure(column) ? "number" : text.length > 20 ? "long" : "";
  const classes = [kind, text === "-" || text === "" ? "none" : "", place ?? ""].filter((each) => each !== "");
  return html`<td${classes.length === 0 ? "" : html` class="${classes.join(" ")}"`} data-label="${labelFor(name)}">${
    address === undefined ? shown : html`<a href="${address}">${shown}</a>`
  }</td>`;
}
