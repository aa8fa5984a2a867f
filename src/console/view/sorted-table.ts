import { type Html, html } from "../../http/pages/html.ts";
import { isRow } from "../../operation/command/answer-table.ts";
import { labelFor } from "../site-map.ts";
import type { Say } from "./command-words.ts";

export type CellRow = Readonly<Record<string, unknown>>;

/** Rows in the order and with the filter that the URL says. */
export interface View {
  /** Heading to sort by; with a minus before it the other way round. */
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

/** The places of the rows that a view shows, in its order. */
export function seen(rows: readonly CellRow[], { sort, find }: View): number[] {
  const wanted = find.toLowerCase();
  const places = [...rows.keys()].filter(
    (at) => wanted === "" || Object.values(rows[at]!).some((cell) => cellText(cell).toLowerCase().includes(wanted)),
  );
  const [heading, sign] = sort.startsWith("-") ? [sort.slice(1), -1] : [sort, 1];
  if (!rows.some((row) => Object.hasOwn(row, heading))) return places;
  const order = new Intl.Collator("en", { numeric: true });
  return places.sort(
    (one, other) => sign * order.compare(cellText(rows[one]![heading]), cellText(rows[other]![heading])),
  );
}

/** What a person can open or do from a row. */
export interface RowLinks {
  /** The page of what the row is about, and the text of the cell that names it. */
  own?: { name: string; address: string } | undefined;
  actions: readonly Html[];
}

/** More actions than these stand on the page of the row only. */
const mostActions = 2;

/** A narrow screen shows a row of more columns as a card. */
const mostNarrowColumns = 3;

interface TableParts {
  label: string;
  rows: readonly CellRow[];
  view: View;
  /** The address of the page with another view. */
  urlFor: (change: Record<string, string | undefined>) => string;
  say: Say;
  /** The form in a cell, if the cell can be changed in place. */
  cellForm?: ((at: number, heading: string) => Html | undefined) | undefined;
  /** Links of a row, by its place. */
  links?: (at: number) => RowLinks;
  none?: string | undefined;
}

/** A table that the server sorts, filters and divides into pages. */
export function sortedTable({
  label,
  rows,
  view,
  urlFor,
  say,
  cellForm,
  links,
  none = "There is nothing here.",
}: TableParts): Html {
  const places = seen(rows, view);
  if (places.length === 0) return html`<p class="empty">${rows.length === 0 ? none : `No row has “${view.find}”.`}</p>`;
  const pages = Math.ceil(places.length / pageRows);
  const page = Math.min(view.page, pages);
  const shown = places.slice((page - 1) * pageRows, page * pageRows);
  const headings = [...new Set(shown.flatMap((at) => Object.keys(rows[at]!)))];
  const isNumeric = new Set(
    headings.filter((heading) => {
      const texts = shown.map((at) => cellText(rows[at]![heading])).filter((text) => text !== "-" && text !== "");
      return (
        texts.length > 0 && !isName(heading) && texts.every((text) => /^[+-]?\d[\d.]*(?: %| of \d[\d.]*)?$/.test(text))
      );
    }),
  );
  const times = headings.filter((heading) => shown.some((at) => dayAndClock(rows[at]![heading]) !== undefined));
  const linksOf = new Map(shown.map((at) => [at, ofRow(links?.(at), rows[at]!)]));
  const hasActions = [...linksOf.values()].some(({ actions }) => actions.length > 0);
  const head = headings.map((heading) => {
    const direction = view.sort === heading ? "ascending" : view.sort === `-${heading}` ? "descending" : undefined;
    const next = direction === "ascending" ? `-${heading}` : heading;
    return html`<th scope="col"${isNumeric.has(heading) ? html` class="number"` : ""}${direction ? html` aria-sort="${direction}"` : ""}><a href="${urlFor({ _sort: next, _page: undefined })}">${labelFor(heading)}</a></th>`;
  });
  const body = shown.map((at) => {
    const { own, actions } = linksOf.get(at)!;
    const cells = headings.map((heading) => {
      const form = cellForm?.(at, heading);
      return form
        ? html`<td class="number" data-label="${labelFor(heading)}">${form}</td>`
        : cell(heading, rows[at]![heading], {
            isNumber: isNumeric.has(heading),
            breaksTime: times.length > 1,
            say,
            address: heading === own?.heading ? own.address : undefined,
          });
    });
    return html`<tr>${cells}${hasActions ? html`<td class="actions">${actions}</td>` : ""}</tr>`;
  });
  const isWide = headings.length + (hasActions ? 1 : 0) > mostNarrowColumns;
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table${isWide ? html` class="wide"` : ""}>
<thead><tr>${head}${hasActions ? html`<th scope="col" class="actions"><span class="hidden">Actions</span></th>` : ""}</tr></thead>
<tbody>${body}</tbody>
</table></div>
${pages > 1 ? pager(page, pages, places.length, urlFor) : ""}`;
}

/** The cell that leads to the page of a row, and the actions that stand beside it. */
function ofRow(
  { own, actions }: RowLinks = { actions: [] },
  row: CellRow,
): { own: { heading: string; address: string } | undefined; actions: readonly Html[] } {
  if (!own) return { own: undefined, actions };
  const heading = Object.keys(row).find((each) => cellText(row[each]) === own.name);
  if (heading === undefined) return { own: undefined, actions: [html`<a href="${own.address}">Show</a> `, ...actions] };
  return { own: { heading, address: own.address }, actions: actions.length > mostActions ? [] : actions };
}

function pager(page: number, pages: number, count: number, urlFor: TableParts["urlFor"]): Html {
  const link = (to: number, text: string) =>
    to < 1 || to > pages ? "" : html`<a href="${urlFor({ _page: String(to) })}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages of the table">${link(page - 1, "Previous")} <span>Page ${page} of ${pages}, ${count} rows</span> ${link(page + 1, "Next")}</nav>`;
}

/** What words of a state mean. A shape stands before each, so that nobody needs the colour. */
const tones: Readonly<Record<string, "good" | "bad" | "warn">> = {
  ...Object.fromEntries(
    [
      ...["active", "acknowledged", "published", "registered", "ready", "verified", "success", "succeeded", "found"],
      ...["delivered", "current"],
    ].map((word) => [word, "good"]),
  ),
  ...Object.fromEntries(
    ["open", "unknown", "failed", "paused", "suspended", "revoked", "rejected", "refused", "dead"].map((word) => [
      word,
      "bad",
    ]),
  ),
  ...Object.fromEntries(
    ["held", "scheduled", "expired", "invited", "started", "recomputed", "not_found", "phone_mismatch", "waiting"].map(
      (word) => [word, "warn"],
    ),
  ),
};

interface CellParts {
  isNumber: boolean;
  /** A table with several times breaks them between the day and the clock. */
  breaksTime: boolean;
  say: Say;
  address: string | undefined;
}

function cell(heading: string, value: unknown, { isNumber, breaksTime, say, address }: CellParts): Html {
  const text = shownText(heading, value);
  const shown = isState(heading)
    ? stateMark(text)
    : heading === "what"
      ? say(text)
      : isNumber
        ? html`${grouped(text)}`
        : wordOr(text, breaksTime);
  const kind = isNumber ? "number" : text.length > 28 || heading === "note" ? "long" : "";
  const classes = [kind, text === "-" || text === "" ? "none" : ""].filter((name) => name !== "").join(" ");
  return html`<td${classes === "" ? "" : html` class="${classes}"`} data-label="${labelFor(heading)}">${
    address === undefined ? shown : html`<a href="${address}">${shown}</a>`
  }</td>`;
}

/** A text with the places where it may break: a time after its day, an address after its @, a short name nowhere. */
function wordOr(text: string, breaksTime: boolean): Html {
  const whole = (part: string) => html`<span class="whole">${part}</span>`;
  const [day, clock] = dayAndClock(text) ?? [];
  if (day !== undefined) return breaksTime ? html`${whole(day)} ${whole(clock!)}` : whole(text);
  const breaks = text.length > 28 ? /(?<=[@.])/ : /(?<=@)/;
  if (/^\S+@\S+$/.test(text)) return html`${text.split(breaks).map((part) => html`${part}<wbr>`)}`;
  return /^\S{1,24}$/.test(text) ? whole(text) : html`${text}`;
}

/** Whether the cells of a column are names, even if they have digits only. */
function isName(heading: string): boolean {
  return /\b(?:id|key|reference|last4)$/.test(heading);
}

/** A number that people read by its thousands. */
export function grouped(text: string): string {
  return text.replaceAll(/\d+(?:\.\d+)?/g, (number) => {
    const [whole = "", ...rest] = number.split(".");
    return /^[1-9]\d{3,}$/.test(whole) ? [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ","), ...rest].join(".") : number;
  });
}

/** The parts of a time as tables show it: `2026-11-22 06:29Z`. */
function dayAndClock(value: unknown): [day: string, clock: string] | undefined {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d) (\d\d:\S+)$/.exec(cellText(value)) ?? [];
  return day === undefined ? undefined : [day, clock!];
}

function isState(name: string): boolean {
  return /^(?:state|result|outcome)$/.test(name);
}

export function stateMark(text: string): Html {
  const tone = Object.hasOwn(tones, text) ? tones[text]! : "plain";
  return html`<span class="state ${tone}">${/^[a-z_]+$/.test(text) ? text.replaceAll("_", " ") : text}</span>`;
}

/** As people read it: a time to the second, facts without their marks. */
export function shownText(heading: string, value: unknown): string {
  const text = cellText(value);
  const [, day, clock, zone] = /^(\d{4}-\d\d-\d\d)T([\d:]{8})\.\d{3}(Z|[+-][\d:]{5})$/.exec(text) ?? [];
  if (day !== undefined) return zone === "Z" ? `${day} ${clock}Z` : `${day} ${clock} ${zone}`;
  if (heading !== "facts" || !text.startsWith("{")) return text;
  try {
    const facts = Object.entries(JSON.parse(text) as CellRow);
    return facts.map(([name, fact]) => `${name.replaceAll("_", " ")}: ${cellText(fact)}`).join(", ");
  } catch {
    return text;
  }
}

export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && !value.some(isRow)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
