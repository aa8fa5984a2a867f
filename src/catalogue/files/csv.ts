import { once } from "node:events";
import { type CsvError, type Info, parse } from "csv-parse";
import { stringify } from "csv-stringify/sync";
import { withFormula, withoutFormula } from "../../operation/formula.ts";
import type { EntryFault, WantedEntry, WantedList } from "../changes/difference.ts";
import { type EntryContent, type ListName, listShapeOf, type MemberKind } from "../model/lists.ts";
import { readEntry, textsOf } from "./entry.ts";
import { lineBreak, readUtf8 } from "./utf8.ts";

/** Characters that are parsed at a time. */
const CHUNK = 64 * 1024;

/** A list from a file, without its faulty entries. */
export interface ReadList extends WantedList {
  readonly faults: readonly EntryFault[];
}

/** Reads a list from CSV with a heading, in UTF-8. A first line such as `sep=;` sets the separator. Places are lines. */
export async function readCsv(list: ListName, bytes: Uint8Array): Promise<ReadList> {
  const entries: WantedEntry[] = [];
  const faults: EntryFault[] = [];
  const fault = (place: string, sentence: string) => void faults.push({ list, place, sentence });
  const members: Readonly<Record<string, MemberKind>> = listShapeOf(list).members;
  const all = Object.keys(members);
  const columns = { of: list, all, needed: all.filter((name) => members[name] !== "id") };
  for await (const { values, place } of readRows(bytes, columns, fault)) {
    const content = readEntry(list, values, (sentence) => fault(place, sentence));
    if (content) entries.push({ content, place });
  }
  return { list, entries, faults };
}

interface Columns {
  /** Names what has these columns, for people. */
  readonly of: string;
  readonly all: readonly string[];
  /** Those that a file must have. */
  readonly needed: readonly string[];
}

/** Reads the rows below a heading, in UTF-8. Reports and skips faulty ones. Places are lines. */
export async function* readRows(
  bytes: Uint8Array,
  wanted: Columns,
  fault: Fault,
): AsyncGenerator<{ values: Record<string, string>; place: string }, void> {
  const text = textOf(bytes, fault);
  if (text === undefined) return;
  let columns: readonly string[] | undefined;
  for await (const { values, line } of records(text, fault)) {
    const place = `line ${line}`;
    if (columns === undefined) {
      columns = headingOf(wanted, upTo(values, 0), place, fault);
      if (columns === undefined) return;
      continue;
    }
    const given = upTo(values, columns.length);
    if (given.length !== columns.length) {
      fault(place, `has ${given.length} values, and the heading has ${columns.length}`);
      continue;
    }
    yield { values: Object.fromEntries(columns.map((name, at) => [name, withFormula(given[at]!)])), place };
  }
  if (columns === undefined) fault("", "the file is empty: its first line must be a heading");
}

/** Drops the empty values that spreadsheets add at the end of a row; keeps at least the first `least`. */
function upTo(values: readonly string[], least: number): readonly string[] {
  return values.slice(0, Math.max(least, values.findLastIndex((value) => value.trim() !== "") + 1));
}

type Fault = (place: string, sentence: string) => void;

/** The text with line feeds only: the parser counts other line breaks wrong. */
function textOf(bytes: Uint8Array, fault: Fault): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 4));
  if (start.startsWith("PK\u0003\u0004")) return void fault("", "this is a workbook: save it as CSV UTF-8");
  if (/^(\u00ff\u00fe|\u00fe\u00ff)/.test(start)) return void fault("", "this is UTF-16 text: save it as CSV UTF-8");
  const text = readUtf8(bytes);
  if (typeof text === "string") return text.replaceAll(lineBreak, "\n");
  return void fault(`line ${text.badLine}`, "this is not UTF-8 text: save the file as CSV UTF-8");
}

interface Line {
  readonly values: readonly string[];
  /** The first line of the record, from 1. */
  readonly line: number;
}

/** The records that are not empty. Reports and skips what the parser refuses. */
async function* records(given: string, fault: Fault): AsyncGenerator<Line, void> {
  const [first = "", delimiter = ","] = /^"?sep=([^"\n])"?\1*(?=\n|$)/.exec(given) ?? [];
  // Keep its line break, so that the lines keep their numbers.
  const text = given.slice(first.length);
  const parser = parse({
    delimiter,
    info: true,
    raw: true,
    record_delimiter: "\n",
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    skip_records_with_error: true,
    on_skip: (error, record) => void (error && fault(...faultOf(error, record ?? "", text, delimiter))),
  });
  const feeding = feed(parser, text);
  for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
    const breaks = record.reduce((count, value) => count + value.split("\n").length - 1, 0);
    yield { values: record, line: info.lines - breaks };
  }
  await feeding;
}

async function feed(parser: ReturnType<typeof parse>, text: string): Promise<void> {
  for (let at = 0; at < text.length; at += CHUNK)
    if (!parser.write(text.slice(at, at + CHUNK))) await once(parser, "drain");
  parser.end();
}

function faultOf(error: CsvError, record: string, text: string, delimiter: string): [string, string] {
  if (error.code === "CSV_QUOTE_NOT_CLOSED") {
    // The record runs to the end of the text.
    const opening = text.length - record.length + openingIn(record, delimiter);
    return [`line ${text.slice(0, opening).split("\n").length}`, "a quotation mark is opened here, and never closed"];
  }
  const { lines } = error as CsvError & { lines?: number };
  return [
    `line ${lines}`,
    'a quotation mark stands inside a value: put the value in quotation marks, and write it as ""',
  ];
}

/** The place of the quotation mark in a record that is never closed. */
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

/** The columns; undefined if the heading is faulty. */
function headingOf(
  { of, all, needed }: Columns,
  names: readonly string[],
  place: string,
  fault: Fault,
): readonly string[] | undefined {
  const say = (sentence: string) => void fault(place, sentence);
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
export function csvOf(list: ListName, contents: Iterable<EntryContent>): string {
  const columns = Object.keys(listShapeOf(list).members);
  return csvTextOf(
    columns,
    [...contents].map((content) => Object.values(textsOf(list, content))),
  );
}

/** Rows as CSV, in the same way. */
export function csvTextOf(columns: string[], rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((row) => row.map(withoutFormula)),
    { header: true, columns, bom: true },
  );
}
