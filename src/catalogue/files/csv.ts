import { type CsvError, type Info, parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { withFormula, withoutFormula } from "../../declare/formula.ts";
import { declaredList, type ListName } from "../../lists/index.ts";
import type { MemberKind } from "../../lists/list.ts";
import type { EntryError, WantedEntry, WantedList } from "../document/replace-lists.ts";
import { type EntryContent, mostEntries } from "../model/lists.ts";
import { isSold, supplyFacts } from "../model/supply.ts";
import { columnsOf, readEntry, supplyTextsOf, textsOf } from "./entry.ts";
import { longestRecord, type ReportError, readWithErrors, tooManyEntries } from "./file-errors.ts";
import { lineBreak, readUtf8 } from "./utf8.ts";

const tooLong = "is longer than 64 KiB: a quotation mark may be opened here, and never closed";

/** A list from a file, without its invalid entries. */
export interface ReadList extends WantedList {
  readonly problems: readonly EntryError[];
}

/**
 * Reads a list from UTF-8 CSV with a heading. A first line such as `sep=;` sets the separator. Places are lines. It
 * stops at 100 errors, at a CSV record above 64 KiB, or at more entries than a catalogue can hold, and then returns no
 * entries.
 */
export function readCsv(list: ListName, bytes: Uint8Array): ReadList {
  const entries: WantedEntry[] = [];
  const members: Readonly<Record<string, MemberKind>> = declaredList(list).kinds;
  const own = Object.keys(members);
  const all = isSold(list) ? [...own, ...supplyFacts] : own;
  const columns = { of: list, all, needed: own.filter((name) => members[name] !== "id") };
  const { problems, isStopped } = readWithErrors((problem) =>
    readRows(bytes, columns, problem, ({ values, place }) => {
      const content = readEntry(list, values, (sentence) => problem(place, sentence));
      if (content) entries.push({ content, place });
      if (entries.length > mostEntries) problem(place, tooManyEntries(), true);
    }),
  );
  return { list, entries: isStopped ? [] : entries, problems: problems.map((problem) => ({ list, ...problem })) };
}

export interface Columns {
  /** The name of the owner of these columns, for people. */
  readonly of: string;
  readonly all: readonly string[];
  /** The columns that a file must have. */
  readonly needed: readonly string[];
}

/** A row below the heading, by column. */
export interface CsvRow {
  readonly values: Record<string, string>;
  readonly place: string;
}

/** Reads the rows below a heading from UTF-8. Reports and skips invalid rows. Places are lines. */
export function readRows(bytes: Uint8Array, wanted: Columns, problem: ReportError, take: (row: CsvRow) => void): void {
  const text = textOf(bytes, problem);
  if (text === undefined) return;
  let columns: readonly string[] | undefined;
  let hasHeading = false;
  readRecords(text, problem, (values, line) => {
    const place = `line ${line}`;
    if (!hasHeading) {
      hasHeading = true;
      columns = headingOf(wanted, upTo(values, 0), place, problem);
      return;
    }
    if (columns === undefined) return;
    const given = upTo(values, columns.length);
    if (given.length !== columns.length)
      return problem(place, `has ${given.length} values, and the heading has ${columns.length}`);
    take({ values: Object.fromEntries(columns.map((name, at) => [name, withFormula(given[at]!)])), place });
  });
  if (!hasHeading) problem("", "the file is empty: its first line must be a heading");
}

/** Drops empty values that spreadsheets append to a row, but keeps at least `least` values. */
function upTo(values: readonly string[], least: number): readonly string[] {
  return values.slice(0, Math.max(least, values.findLastIndex((value) => value.trim() !== "") + 1));
}

/** The text with line feeds only, because the parser miscounts other line breaks. */
function textOf(bytes: Uint8Array, problem: ReportError): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 4));
  if (start.startsWith("PK\u0003\u0004")) return void problem("", "this is a workbook: save it as CSV UTF-8");
  if (/^(\u00ff\u00fe|\u00fe\u00ff)/.test(start)) return void problem("", "this is UTF-16 text: save it as CSV UTF-8");
  const text = readUtf8(bytes);
  if (typeof text === "string") return text.includes("\r") ? text.replaceAll(lineBreak, "\n") : text;
  return void problem(`line ${text.badLine}`, "this is not UTF-8 text: save the file as CSV UTF-8");
}

/**
 * Calls `take` with each CSV record that is not empty and the number of its first line, from 1. Reports and skips
 * records that the parser rejects.
 */
function readRecords(given: string, problem: ReportError, take: (values: string[], line: number) => void): void {
  const [first = "", delimiter = ","] = /^"?sep=([^"\n])"?\1*(?=\n|$)/.exec(given) ?? [];
  // The line break after `sep=` stays, so that line numbers are right.
  const text = given.slice(first.length);
  const long = longLineIn(text);
  if (long !== undefined) problem(`line ${long}`, tooLong, true);
  parse(text, {
    delimiter,
    info: true,
    max_record_size: longestRecord,
    raw: true,
    record_delimiter: "\n",
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    skip_records_with_error: true,
    on_skip: (error, record) => void (error && problem(...problemOf(error, record ?? "", text, delimiter))),
    on_record(parsed: unknown) {
      const { record, info } = parsed as { record: string[]; info: Info };
      const breaks = record.reduce((count, value) => count + value.split("\n").length - 1, 0);
      take(record, info.lines - breaks);
      return undefined;
    },
  });
}

/** The number of the first line that is too long for a record. */
function longLineIn(text: string): number | undefined {
  for (let [at, line] = [0, 1]; at < text.length; line += 1) {
    const end = text.indexOf("\n", at);
    const next = end < 0 ? text.length : end;
    if (next - at > longestRecord) return line;
    at = next + 1;
  }
  return undefined;
}

function problemOf(error: CsvError, record: string, text: string, delimiter: string): Parameters<ReportError> {
  if (error.code === "CSV_QUOTE_NOT_CLOSED") {
    // The record extends to the end of the text.
    const opening = text.length - record.length + openingIn(record, delimiter);
    return [`line ${text.slice(0, opening).split("\n").length}`, "a quotation mark is opened here, and never closed"];
  }
  const { lines = 1 } = error as CsvError & { lines?: number };
  if (error.code === "CSV_MAX_RECORD_SIZE")
    return [`line ${lines - record.slice(0, -1).split("\n").length + 1}`, tooLong, true];
  return [
    `line ${lines}`,
    'a quotation mark stands inside a value: put the value in quotation marks, and write it as ""',
  ];
}

/** The position in a record of the quotation mark that is never closed. */
function openingIn(record: string, delimiter: string): number {
  const ends = [delimiter, "\n"];
  for (let at = 0; ; ) {
    let end = at;
    if (record[at] === '"') {
      do end = record.indexOf('"', end + 1) + 1;
      while (end > 0 && record[end] === '"');
      if (end === 0 || !ends.includes(record[end]!)) return at;
    } else while (end < record.length && !ends.includes(record[end]!)) end += 1;
    if (end >= record.length) return at;
    at = end + 1;
  }
}

/** The columns; undefined if the heading is invalid. */
function headingOf(
  { of, all, needed }: Columns,
  names: readonly string[],
  place: string,
  problem: ReportError,
): readonly string[] | undefined {
  const say = (sentence: string) => void problem(place, sentence);
  if (names.length === 1 && /[;\t]/.test(names[0]!))
    return say(
      `the values are separated by ${names[0]!.includes(";") ? "semicolons" : "tabs"}: save the file with commas`,
    );
  const unknown = names.filter((name) => !all.includes(name));
  const missing = needed.filter((name) => !names.includes(name));
  const twice = names.filter((name, at) => names.indexOf(name) < at);
  const wrong = [
    ...(missing.length > 0 ? [`lacks ${missing.join(", ")}`] : []),
    ...(unknown.length > 0 ? [`has ${unknown.map((name) => JSON.stringify(name)).join(", ")}`] : []),
    ...(twice.length > 0 ? [`has ${twice.join(", ")} twice`] : []),
  ];
  if (wrong.length === 0) return names;
  return say(`the heading ${wrong.join(" and ")}; the columns of ${of} are ${all.join(", ")}`);
}

/** Writes a list as CSV with a heading, a byte order mark for spreadsheets, and escaped formulas. */
export function csvOf(list: ListName, contents: readonly EntryContent[]): string {
  const columns = columnsOf(list, contents);
  const rows = contents.map((content) => {
    const texts: Record<string, string> = { ...textsOf(list, content), ...supplyTextsOf(content) };
    return columns.map((name) => texts[name]!);
  });
  return csvTextOf(columns, rows);
}

/** Writes rows as CSV, like `csvOf`. */
export function csvTextOf(columns: string[], rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((row) => row.map(withoutFormula)),
    { header: true, columns, bom: true },
  );
}
