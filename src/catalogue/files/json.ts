import type { EntryFault, WantedEntry } from "../changes/difference.ts";
import { type EntryContent, type ListName, listNames, listShapeOf } from "../model/lists.ts";
import type { ReadList } from "./csv.ts";
import { readEntry, textsOf } from "./entry.ts";
import { readUtf8 } from "./utf8.ts";

/** Reads a list from an array of objects. Places are entries, from 1. */
export function readJsonList(list: ListName, given: unknown): ReadList {
  const entries: WantedEntry[] = [];
  const faults: EntryFault[] = [];
  if (!Array.isArray(given)) {
    faults.push({ list, place: "", sentence: "must be an array of objects" });
    return { list, entries, faults };
  }
  const { members } = listShapeOf(list);
  for (const [at, entry] of given.entries()) {
    const place = `entry ${at + 1}`;
    const fault = (sentence: string) => void faults.push({ list, place, sentence });
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
      fault("must be an object");
      continue;
    }
    const unknown = Object.keys(entry).filter((name) => !Object.hasOwn(members, name));
    if (unknown.length > 0)
      fault(
        `has ${unknown.map((name) => JSON.stringify(name)).join(", ")}; members are ${Object.keys(members).join(", ")}`,
      );
    const content = readEntry(list, entry, fault);
    if (content && unknown.length === 0) entries.push({ content, place });
  }
  return { list, entries, faults };
}

/** Reads lists from one JSON object, each under its name. */
export function readJson(bytes: Uint8Array): ReadList[] | { readonly wrong: string } {
  const text = readUtf8(bytes);
  if (typeof text !== "string") return { wrong: `line ${text.badLine} is not UTF-8 text: save the file as UTF-8` };
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
      wrong: `it has ${unknown.map((name) => JSON.stringify(name)).join(", ")}; lists are ${listNames.join(", ")}`,
    };
  const twice = namesIn(text).find((name, at, names) => names.indexOf(name) < at);
  if (twice !== undefined) return { wrong: `it has ${twice} twice: put all its entries in one list` };
  return Object.entries(given).map(([list, entries]) => readJsonList(list as ListName, entries));
}

/** The names of an object's members, repeated ones as often as the text has them: JSON.parse keeps the last of them. */
function namesIn(json: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[[\]{}]/g)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === 1 && token.endsWith(":")) names.push(JSON.parse(token.slice(0, -1)));
  }
  return names;
}

/** Writes lists as one JSON object, one entry per line. */
export function jsonOf(lists: Iterable<readonly [ListName, Iterable<EntryContent>]>): string {
  const members = [...lists].map(([list, contents]) => {
    const lines = [...contents].map((content) => `    ${JSON.stringify(wireValuesOf(list, content))}`);
    return `  ${JSON.stringify(list)}: [${lines.length === 0 ? "" : `\n${lines.join(",\n")}\n  `}]`;
  });
  return `{\n${members.join(",\n")}\n}\n`;
}

/** The members of an entry as on the wire: ids are numbers, everything else is text. */
export function wireValuesOf(list: ListName, content: EntryContent): Record<string, string | number> {
  const texts: Record<string, string | number> = textsOf(list, content);
  return "id" in texts ? { ...texts, id: Number(content.id) } : texts;
}
