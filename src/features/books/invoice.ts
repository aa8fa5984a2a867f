import { CsvError, type Info, parse } from "csv-parse/sync";
import { readChosen } from "../../declare/command/read-chosen.ts";
import { type ChosenFile, InputError } from "../../declare/command/read-texts.ts";
import { koboOf } from "../../declare/money.ts";
import { slicesOf } from "../../runtime/threads/in-thread.ts";
import { isDay, nextDay, TimeZone } from "../../runtime/time-zone.ts";
import {
  type Cells,
  headingAt,
  type InvoiceColumn,
  type NamedColumns,
  placesOf,
  shownHeadings,
} from "./invoice-columns.ts";

/** One line of a vendor's invoice. */
export interface InvoiceLine {
  /** Line number in the file. */
  line: number;
  /** The vendor's reference of the attempt. */
  reference: string | null;
  /** The time span that the text can mean, in milliseconds since 1970; `to` is exclusive. */
  time: { from: number; to: number } | null;
  /** Last four digits of the verified number. */
  last4: string | null;
  /** Kobo. A negative price is a credit. */
  price: number | null;
}

/** A line that is not an attempt: a total, or a line without facts about an attempt. */
export interface SumLine {
  line: number;
  /** Kobo. */
  price: number | null;
  /** The sum of the attempts above, in kobo. */
  above: number;
}

export interface Invoice {
  lines: InvoiceLine[];
  sums: SumLine[];
  /** The column headings that a page may show. */
  headings: readonly string[];
  /** The heading from which each fact was read. Null: the invoice has no such column. */
  columns: Record<InvoiceColumn, string | null>;
}

/** A part of the invoice that the thread yields. */
type InvoicePart = Pick<Invoice, "headings" | "columns"> | Pick<Invoice, "lines" | "sums">;

/** Words for a total. A reference would contain digits. */
const sumWords = /^(?:(?:grand|sub)[ -]?)?totals?\b[^0-9]*$/i;

const mostErrors = 10;
/** Longest line, in characters. */
const longestLine = 64 * 1024;
/** Lines that we check for the delimiter. */
const mostLooked = 20;

/** Reads an invoice like `parseInvoice`, in a worker thread. */
export async function readInvoice(file: ChosenFile, zone: TimeZone, named: NamedColumns): Promise<Invoice> {
  const invoice: Invoice = { lines: [], sums: [], headings: [], columns: namesAt([], noPlaces) };
  for await (const part of readChosen(file, import.meta.url, partsOfInvoice, zone.name, named)) {
    if (typeof part === "string") throw new InputError(part);
    if ("headings" in part) Object.assign(invoice, part);
    else {
      invoice.lines.push(...part.lines);
      invoice.sums.push(...part.sums);
    }
  }
  return invoice;
}

/** Runs in the thread. Yields parts of the invoice, or an error message. */
export function* partsOfInvoice(
  bytes: Uint8Array,
  zone: string,
  named: NamedColumns,
): Generator<InvoicePart | string, void> {
  try {
    const { lines, sums, ...rest } = parseInvoice(new TextDecoder().decode(bytes), new TimeZone(zone), named);
    yield rest;
    for (const slice of slicesOf(lines)) yield { lines: [...slice], sums: [] };
    for (const slice of slicesOf(sums)) yield { lines: [], sums: [...slice] };
  } catch (problem) {
    if (!(problem instanceof InputError)) throw problem;
    yield problem.message;
  }
}

/**
 * Returns all headings of an invoice, and the headings that would be used as reference, time, number and price. Does
 * not interpret its lines. Throws an `InputError` if the file is empty, is not CSV, or lacks a named column.
 */
export async function readHeadings(
  file: ChosenFile,
  zone: TimeZone,
  named: NamedColumns,
): Promise<Pick<Invoice, "headings" | "columns">> {
  for await (const part of readChosen(file, import.meta.url, headingsOfInvoice, zone.name, named)) {
    if (typeof part === "string") throw new InputError(part);
    return part;
  }
  return { headings: [], columns: namesAt([], noPlaces) };
}

/** Runs in the thread, like `partsOfInvoice`. */
export function* headingsOfInvoice(
  bytes: Uint8Array,
  zone: string,
  named: NamedColumns,
): Generator<Pick<Invoice, "headings" | "columns"> | string, void> {
  try {
    const { heading, places } = openInvoice(new TextDecoder().decode(bytes), new TimeZone(zone), named);
    yield { headings: shownHeadings(heading.record), columns: namesAt(heading.record, places) };
  } catch (problem) {
    if (!(problem instanceof InputError)) throw problem;
    yield problem.message;
  }
}

const noPlaces = { reference: -1, time: -1, digits: -1, price: -1 };

/** Returns the headings at these indexes, as the file spells them. */
function namesAt(
  heading: readonly string[],
  { reference, time, digits, price }: Record<InvoiceColumn, number>,
): Record<InvoiceColumn, string | null> {
  const shown = shownHeadings(heading);
  const at = (place: number) => shown.find((name) => name === heading[place]?.trim()) ?? null;
  return { reference: at(reference), time: at(time), digits: at(digits), price: at(price) };
}

/** Finds the heading line, the lines below it, and the columns. Skips title lines above the heading. */
function openInvoice(text: string, zone: TimeZone, named: NamedColumns) {
  const cells = cellsOf(text);
  if (cells.length === 0) throw new InputError("The invoice is empty.");
  const forms = {
    isTime: (cell: string) => spanOf(cell, zone) !== undefined,
    isPrice: (cell: string) => priceOf(cell) !== undefined,
  };
  const at = headingAt(cells, named, forms);
  const [heading, rows] = [cells[at]!, cells.slice(at + 1)];
  const sample = rows.filter(({ record }) => !record.some((cell) => sumWords.test(cell.trim())));
  return { heading, rows, places: placesOf(heading, sample, named, forms) };
}

/**
 * Parses a CSV invoice with a heading line, and perhaps titles above it. Times without an offset are in `zone`. Throws
 * an `InputError` that names lines but repeats no value, because an invoice may hold whole numbers of persons.
 */
export function parseInvoice(text: string, zone: TimeZone, named: NamedColumns = {}): Invoice {
  const { heading, rows, places } = openInvoice(text, zone, named);
  if (places.reference < 0 && (places.time < 0 || places.digits < 0))
    throw new InputError(
      "The invoice needs a column with the vendor's reference, or one with the time and one with the number. " +
        "Say which columns of the file these are.",
    );
  const odd = rows.find(({ record }) => record.length !== heading.record.length);
  if (odd) throw new InputError(`Line ${odd.line} of the invoice is not CSV with the columns of the heading.`);
  const problems: string[] = [];
  const sums: SumLine[] = [];
  let above = 0;
  const lines = rows.flatMap(({ record, line }): InvoiceLine[] => {
    const cell = (column: InvoiceColumn) => record[places[column]]?.trim() || null;
    const read = <Value>(
      column: InvoiceColumn,
      form: string,
      of: (text: string) => Value | undefined,
    ): Value | null => {
      const text = cell(column);
      const value = text === null ? null : of(text);
      if (value === undefined) problems.push(`Line ${line}: the ${column} must be ${form}.`);
      return value ?? null;
    };
    const priceIn = () =>
      read("price", 'an amount in naira, such as "50", "1,050.50", or "-45.55" for a credit', priceOf);
    const isSum = record.some((text) => sumWords.test(text.trim()));
    const has = (column: InvoiceColumn) => cell(column) !== null && !sumWords.test(cell(column)!);
    if (!has("time") && !has("digits") && (isSum || !has("reference"))) {
      sums.push({ line, price: priceIn(), above });
      return [];
    }
    const attempt: InvoiceLine = {
      line,
      reference: cell("reference"),
      time: read("time", "a time such as 2026-11-03 14:05 or 03/11/2026 14:05", (text) => spanOf(text, zone)),
      last4: read("digits", "a number of four digits or more, or the last four", (text) => /\d{4}$/.exec(text)?.[0]),
      price: priceIn(),
    };
    above += attempt.price ?? 0;
    return [attempt];
  });
  if (problems.length > mostErrors)
    problems.splice(mostErrors, problems.length, `${problems.length - mostErrors} more lines.`);
  if (problems.length > 0) throw new InputError(problems.join("\n"));
  return { lines, sums, headings: shownHeadings(heading.record), columns: namesAt(heading.record, places) };
}

/**
 * Returns the time span of all lines, in milliseconds since 1970; `to` is exclusive. `between`: from the end of the
 * first line's time to the start of the last line's. Throws an `InputError` for lines without times.
 */
export function timesOf(lines: readonly InvoiceLine[]) {
  const times = lines.flatMap(({ time }) => time ?? []);
  if (times.length === 0) throw new InputError("The invoice has no times: give its month.");
  const [first, last] = [
    times.reduce((one, other) => (other.from < one.from ? other : one)),
    times.reduce((one, other) => (other.to > one.to ? other : one)),
  ];
  return { from: first.from, to: last.to, between: { from: first.to, to: last.from } };
}

function cellsOf(text: string): Cells[] {
  const cells: Cells[] = [];
  const delimiter = delimiterOf(text);
  try {
    parse(text, {
      bom: true,
      delimiter,
      info: true,
      max_record_size: longestLine,
      relax_column_count: true,
      skip_empty_lines: true,
      // We collect records one by one: the parser's own list keeps details of each record, and needs much memory.
      on_record(parsed: unknown) {
        const { record, info } = parsed as { record: string[]; info: Info };
        cells.push({ record, line: info.lines });
        return undefined;
      },
    });
    return cells;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.code === "CSV_MAX_RECORD_SIZE")
      throw new InputError(
        `Line ${error.lines ?? 1} of the invoice is longer than 64 KiB: a quotation mark may be missing.`,
      );
    throw new InputError(`Line ${error.lines ?? 1} of the invoice is not CSV with the columns of the heading.`);
  }
}

/** Returns the delimiter that most of the first lines contain. Titles may contain commas. */
function delimiterOf(text: string): string {
  const lines = text.slice(0, longestLine).split(/\r?\n/, mostLooked);
  const many = (delimiter: string) => lines.filter((line) => line.includes(delimiter)).length;
  return ["\t", ";", ","].reduce((best, other) => (many(other) > many(best) ? other : best));
}

const priceText = /^(?:₦|NGN|N)?\s*([-\u2212(]?)\s*(?:₦|NGN|N)?\s*([\d.,]+)(\)?)$/i;

/** Reads an amount as kobo. A minus in front, or brackets, make it negative. */
function priceOf(text: string): number | undefined {
  const [, sign, amount = "", bracket] = priceText.exec(text) ?? [];
  const kobo = koboOf(amount.replace(/,(?=\d{3}\b)/g, ""));
  if (kobo === undefined || (sign === "(") !== (bracket === ")")) return undefined;
  return sign === "" ? kobo : 0 - kobo;
}

const dayText = /(?:(\d{4}-\d{2}-\d{2})|(\d{2})\/(\d{2})\/(\d{4}))/;
const clockText = /(?:[T ,]+(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?/;
const offsetText = /\s*(Z|[+-]\d{2}:?\d{2})?/;
const timeText = new RegExp(`^${dayText.source}${clockText.source}${offsetText.source}$`);

/** A text without seconds means the whole minute, and a text without a time the whole day. */
function spanOf(text: string, zone: TimeZone): { from: number; to: number } | undefined {
  const [, iso, dayOfMonth, month, year, hour, minute, second, offset] = timeText.exec(text) ?? [];
  const day = iso ?? `${year}-${month}-${dayOfMonth}`;
  if (!isDay(day)) return undefined;
  if (hour === undefined) return { from: zone.startOfDay(day), to: zone.startOfDay(nextDay(day)) };
  const shown = Date.parse(`${day}T${hour}:${minute}:${second ?? "00"}Z`);
  if (Number.isNaN(shown)) return undefined;
  const from =
    offset === undefined ? zone.atClock(shown) : Date.parse(new Date(shown).toISOString().replace("Z", offset));
  return Number.isNaN(from) ? undefined : { from, to: from + (second === undefined ? 60_000 : 1_000) };
}
