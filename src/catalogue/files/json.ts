import { declaredList, type ListName, listNames } from "../../lists/index.ts";
import type { WantedEntry } from "../document/replace-lists.ts";
import { type EntryContent, mostEntries } from "../model/lists.ts";
import { isSold, supplyFacts } from "../model/supply.ts";
import type { ReadList } from "./csv.ts";
import { columnsOf, readEntry, supplyTextsOf, textsOf } from "./entry.ts";
import { longestRecord, type ReportError, readWithErrors, shortened, tooManyEntries } from "./file-errors.ts";
import { readUtf8 } from "./utf8.ts";

/** Reads a list from an array of objects. Places are entries, from 1. It stops like `readCsv`. */
export function readJsonList(list: ListName, given: unknown): ReadList {
  const entries: WantedEntry[] = [];
  const { problems, isStopped } = readWithErrors((problem) => {
    if (!Array.isArray(given)) return problem("", "must be an array of objects");
    for (const [at, entry] of given.entries()) {
      const place = `entry ${at + 1}`;
      const content = readObject(list, entry, place, problem);
      if (content) entries.push({ content, place });
      if (entries.length > mostEntries) problem(place, tooManyEntries(), true);
    }
  });
  return { list, entries: isStopped ? [] : entries, problems: problems.map((problem) => ({ list, ...problem })) };
}

function readObject(list: ListName, entry: unknown, place: string, problem: ReportError): EntryContent | undefined {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry))
    return void problem(place, "must be an object");
  if (Object.values(entry).some((value) => typeof value === "string" && value.length > longestRecord))
    return void problem(place, "is longer than 64 KiB");
  const members = [...Object.keys(declaredList(list).kinds), ...(isSold(list) ? supplyFacts : [])];
  const unknown = Object.keys(entry).filter((name) => !members.includes(name));
  if (unknown.length > 0)
    problem(place, `has ${unknown.map((name) => JSON.stringify(name)).join(", ")}; members are ${members.join(", ")}`);
  const content = readEntry(list, { ...entry }, (sentence) => problem(place, sentence));
  return unknown.length === 0 ? content : undefined;
}

/** Reads lists from one JSON object whose members are named like the lists. */
export function readJson(bytes: Uint8Array): ReadList[] | { readonly wrong: string } {
  const text = readUtf8(bytes);
  if (typeof text !== "string") return { wrong: `line ${text.badLine} is not UTF-8 text: save the file as UTF-8` };
  const { depth, names } = shapeOf(text);
  if (depth > deepest) return { wrong: "it has objects in objects: an entry has texts and numbers only" };
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    return { wrong: `it is not JSON: ${(error as Error).message}` };
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return { wrong: `it must be an object with one or more of ${listNames.join(", ")}` };
  const unknown = Object.keys(given).filter((name) => !listNames.includes(name as ListName));
  if (unknown.length > 0)
    return {
      wrong: `it has ${shortened(unknown.map((name) => JSON.stringify(name)).join(", "))}; lists are ${listNames.join(", ")}`,
    };
  const twice = names.map((name) => JSON.parse(name) as string).find((name, at, all) => all.indexOf(name) < at);
  if (twice !== undefined) return { wrong: `it has ${twice} twice: put all its entries in one list` };
  return Object.entries(given).map(([list, entries]) => readJsonList(list as ListName, entries));
}

/** Far deeper than any list of ours. JSON.parse takes seconds for deeper texts. */
const deepest = 100;

/**
 * The nesting depth of a text, and the names in its outer object as written. The names include repeated ones, of which
 * JSON.parse keeps only the last.
 */
function shapeOf(json: string): { depth: number; names: string[] } {
  const names: string[] = [];
  const colon = /\s*:/y;
  let [depth, most] = [0, 0];
  for (let at = 0; at < json.length && most <= deepest; at += 1) {
    const sign = json[at]!;
    if (sign === "{" || sign === "[") most = Math.max(most, ++depth);
    else if (sign === "}" || sign === "]") depth -= 1;
    if (sign !== '"') continue;
    const start = at;
    // We loop, because a regular expression overflows the stack on a text with many escapes.
    for (at += 1; at < json.length && json[at] !== '"'; at += 1) if (json[at] === "\\") at += 1;
    colon.lastIndex = at + 1;
    if (depth === 1 && colon.test(json)) names.push(json.slice(start, at + 1));
  }
  return { depth: most, names };
}

/** Writes lists as one JSON object, one entry per line. */
export function jsonOf(lists: Iterable<readonly [ListName, readonly EntryContent[]]>): string {
  const members = [...lists].map(([list, contents]) => {
    const columns = columnsOf(list, contents);
    const lines = contents.map((content) => {
      const values: Record<string, string | number> = { ...wireValuesOf(list, content), ...supplyTextsOf(content) };
      return `    ${JSON.stringify(Object.fromEntries(columns.map((name) => [name, values[name]])))}`;
    });
    return `  ${JSON.stringify(list)}: [${lines.length === 0 ? "" : `\n${lines.join(",\n")}\n  `}]`;
  });
  return `{\n${members.join(",\n")}\n}\n`;
}

/** The members of an entry for operators: those on the wire and the supply facts. */
export function operatorValuesOf(list: ListName, content: EntryContent): Record<string, string | number> {
  const supply = Object.entries(supplyTextsOf(content)).filter(([, text]) => text !== "");
  return { ...wireValuesOf(list, content), ...Object.fromEntries(supply) };
}

/** The members of an entry as on the wire: ids are numbers, everything else is text. */
export function wireValuesOf(list: ListName, content: EntryContent): Record<string, string | number> {
  const texts: Record<string, string | number> = textsOf(list, content);
  return "id" in texts ? { ...texts, id: Number(content.id) } : texts;
}
