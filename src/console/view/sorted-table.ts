import { type Html, html } from "../../http/pages/html.ts";
import type { Table, TableColumn, TableRow } from "../../operation/command/answer-table.ts";
import { labelFor } from "../site-map.ts";
import { cellAs } from "./cells.ts";
import type { Say } from "./command-words.ts";
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

/** A narrow screen shows a row of more columns as a card. */
const mostNarrowColumns = 3;

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
  const { columns, none = "There is nothing here." } = table;
  const all = seen(table, view);
  if (all.length === 0)
    return html`<p class="empty">${table.rows.length === 0 ? none : `None of these ${table.rows.length} rows has “${view.find}”. Filter to look at others, or use the box.`}</p>`;
  const size = table.whole ? all.length : pageRows;
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
    return html`<th scope="col"${isNumber(column) ? html` class="number"` : ""}${direction ? html` aria-sort="${direction}"` : ""}><a href="${urlFor({ _sort: next, _page: undefined })}">${labelFor(name)}</a></th>`;
  });
  const body = rows.map(({ row, own, actions, link }) => {
    const cells = columns.map((column) => {
      const form = editor?.(row, column.name);
      return form
        ? html`<td class="number" data-label="${labelFor(column.name)}">${form}</td>`
        : cell(column, row, {
            ...{ breaksTime, say },
            address: column === own?.column ? own.address : link?.(column.name, column.valueIn(row)),
          });
    });
    return html`<tr>${cells}${hasActions ? html`<td class="actions">${actions}</td>` : ""}</tr>`;
  });
  const isWide = columns.length + (hasActions ? 1 : 0) > mostNarrowColumns;
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table${isWide ? html` class="wide"` : ""}>
<thead><tr>${head}${hasActions ? html`<th scope="col" class="actions"><span class="hidden">Actions</span></th>` : ""}</tr></thead>
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

function isNumber({ shows }: Pick<TableColumn, "shows">): boolean {
  return shows === "number" || shows === "naira";
}

/** The cell that leads to the page of a row, and the actions that stand beside it. */
function ofRow({ own, actions }: RowLinks, row: TableRow, columns: readonly TableColumn[]) {
  if (!own) return { own: undefined, actions };
  const column = columns.find(({ valueIn }) => String(valueIn(row)) === own.name);
  if (!column) return { own: undefined, actions: [html`<a href="${own.address}">Show</a> `, ...actions] };
  return { own: { column, address: own.address }, actions: actions.length > mostActions ? [] : actions };
}

function pager(page: number, pages: number, count: number, urlFor: TableParts["urlFor"]): Html {
  const link = (to: number, text: string) =>
    to < 1 || to > pages ? "" : html`<a href="${urlFor({ _page: String(to) })}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages of the table">${link(page - 1, "Previous")} <span>Page ${page} of ${pages}, ${count} rows</span> ${link(page + 1, "Next")}</nav>`;
}

interface CellParts {
  /** A table with several times breaks them between the day and the clock. */
  breaksTime: boolean;
  say: Say;
  address: string | undefined;
}

function cell(column: TableColumn, row: TableRow, { breaksTime, say, address }: CellParts): Html {
  const { name, shows } = column;
  const text = column.textOf(row);
  const shown = cellAs({ shows, text }, say, breaksTime);
  const kind = isNumber(column) ? "number" : text.length > 28 ? "long" : "";
  const classes = [kind, text === "-" || text === "" ? "none" : ""].filter((each) => each !== "").join(" ");
  return html`<td${classes === "" ? "" : html` class="${classes}"`} data-label="${labelFor(name)}">${
    address === undefined ? shown : html`<a href="${address}">${shown}</a>`
  }</td>`;
}
