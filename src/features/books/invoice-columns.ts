import { checkKinds } from "../../declare/check-kind.ts";
import { InputError } from "../../declare/command/read-texts.ts";
import { holdsNumber } from "../../runtime/redact.ts";

/** Usual column headings of vendors, in lower case, with `_` for all other characters. */
const headings = {
  reference: ["vendor_reference", "reference", "reference_id", "ref", "transaction_reference", "transaction_id", "id"],
  time: ["time", "timestamp", "date_time", "datetime", "created_at", "date"],
  digits: ["last4", "last_4", "last_digits", "number", ...checkKinds, "id_number"],
  price: ["price", "amount", "cost", "charge", "fee"],
} as const;

export type InvoiceColumn = keyof typeof headings;
export const invoiceColumns = Object.keys(headings) as InvoiceColumn[];

/** The heading of each column of an invoice. */
export type ColumnNames = Partial<Record<InvoiceColumn, string | undefined>>;

/** A person's word for "the invoice has no such column". */
export const noColumn = "none";

/** How to find the columns of an invoice. */
export interface NamedColumns {
  /** Headings that the person gave. Each must exist. */
  names?: ColumnNames;
  /** Headings that a person gave for an earlier invoice of the vendor. Missing ones are ignored. */
  remembered?: ColumnNames;
  /** Whether to guess a column without a usual heading from its cells. */
  guesses?: boolean;
}

export interface Cells {
  record: string[];
  line: number;
}

/** Checks of a cell's form. */
export interface CellForms {
  isTime: (text: string) => boolean;
  isPrice: (text: string) => boolean;
}

/** Most lines above the heading, such as the vendor's name and the month. */
const mostTitles = 20;
/** Lines that a guess looks at. */
const mostSampled = 500;

/** Words in unusual headings, by column. */
const words: Readonly<Record<InvoiceColumn, RegExp>> = {
  time: /date|time|when|day/,
  digits: /bvn|nin|number|digit|customer|id/,
  price: /price|amount|cost|charge|fee|total|sum|naira|ngn|₦/,
  reference: /ref|txn|trans|order|request|id/,
};

/** Headings of whole numbers that are not amounts. */
const counts = /^(?:s_?n|no|sn|line|row|qty|quantity|count|units?)$/;

const wholeNumber = /^[\dxX*•]{7}\d{4}$/;

/** Returns the index of the heading line: the one with most given, then most usual headings, then most filled cells. */
export function headingAt(
  rows: readonly Cells[],
  { names = {}, remembered = {} }: NamedColumns,
  forms: CellForms,
): number {
  const given = [names, remembered].flatMap((some) => Object.values(some)).filter((name) => name !== undefined);
  const wanted = new Set(given.map(plain));
  const scores = rows.slice(0, mostTitles + 1).map(({ record }) => {
    // A line with data has no headings, even if one of its cells, such as "BVN", is a usual heading.
    if (record.some((cell) => isData(cell.trim(), forms))) return -1;
    const found = record.map(plain);
    const known = invoiceColumns.filter((column) => headings[column].some((name) => found.includes(name))).length;
    const named = found.filter((name) => wanted.has(name)).length;
    return named * 1e6 + known * 1e5 + record.filter((cell) => cell.trim() !== "").length;
  });
  return scores.indexOf(Math.max(...scores));
}

/** Returns the headings that a page may show, without any that may be a personal number. */
export function shownHeadings(heading: readonly string[]): string[] {
  const shown = heading.map((cell) => cell.trim()).filter((cell) => cell !== "" && !holdsNumber(cell));
  return [...new Set(shown)];
}

/**
 * Returns the index of each column; -1: the invoice lacks it. Throws an `InputError` if a heading that the person gave
 * is missing.
 */
export function placesOf(
  heading: Cells,
  rows: readonly Cells[],
  { names = {}, remembered = {}, guesses = false }: NamedColumns,
  forms: CellForms,
): Record<InvoiceColumn, number> {
  const found = heading.record.map(plain);
  const usual = (column: InvoiceColumn) =>
    headings[column].map((name) => found.indexOf(name)).find((at) => at >= 0) ?? -1;
  const known = invoiceColumns.map((column) => {
    const named = names[column];
    if (named === noColumn) return [column, -1] as const;
    if (named !== undefined) {
      const at = found.indexOf(plain(named));
      if (at < 0) throw new InputError(`The invoice has no column "${named}".`);
      return [column, at] as const;
    }
    if (remembered[column] === noColumn) return [column, -1] as const;
    const before = remembered[column] === undefined ? -1 : found.indexOf(plain(remembered[column]));
    return [column, before >= 0 ? before : usual(column)] as const;
  });
  const places = Object.fromEntries(known) as Record<InvoiceColumn, number>;
  if (!guesses || heading.record.some((cell) => isData(cell.trim(), forms))) return places;
  for (const column of ["time", "digits", "price", "reference"] as const) {
    const isOpen = (names[column] ?? remembered[column]) !== noColumn;
    if (places[column] < 0 && isOpen) places[column] = guess(column, heading, rows, forms, Object.values(places));
  }
  return places;
}

/** Whether a cell is data. If the first line has data, the invoice has no headings, and that line must not be lost. */
function isData(cell: string, { isTime, isPrice }: CellForms): boolean {
  return isTime(cell) || isPrice(cell) || wholeNumber.test(cell);
}

/** Finds a column whose cells all fit: by a word of its heading, or because no other column fits. */
function guess(
  column: InvoiceColumn,
  { record: heading }: Cells,
  rows: readonly Cells[],
  { isTime, isPrice }: CellForms,
  taken: readonly number[],
): number {
  const isAmount = (text: string) => isPrice(text) && !wholeNumber.test(text);
  const fits: Record<InvoiceColumn, (text: string) => boolean> = {
    time: isTime,
    digits: (text) => wholeNumber.test(text),
    price: isAmount,
    reference: (text) => /\d/.test(text) && !/\s/.test(text) && !isTime(text) && !wholeNumber.test(text),
  };
  const found = heading.flatMap((name, at) => {
    if (name.trim() === "" || taken.includes(at)) return [];
    const cells = rows.slice(0, mostSampled).flatMap(({ record }) => record[at]?.trim() || []);
    if (cells.length === 0 || !cells.every(fits[column])) return [];
    // Each reference may occur only once.
    if (column === "reference" && new Set(cells).size < cells.length) return [];
    return counts.test(plain(name)) ? [] : [{ name: name.toLowerCase(), at, isNumeric: cells.every(isAmount) }];
  });
  const named = found.find(({ name }) => words[column].test(name));
  const only = found.length === 1 && !(column === "reference" && found[0]!.isNumeric) ? found[0] : undefined;
  return (named ?? only)?.at ?? -1;
}

export function plain(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
}
