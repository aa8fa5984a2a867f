import { nairaOf } from "../../declare/money.ts";
import { declaredList, type ListName, lists } from "../../lists/index.ts";
import type { MemberKind } from "../../lists/list.ts";
import type { EntryContent } from "../model/lists.ts";
import { isSold, supplyFacts } from "../model/supply.ts";
import { readNaira } from "./naira-text.ts";

const LONGEST_TEXT = 500;

/**
 * Reads one entry from a file or a source. Reports each error as a sentence without a full stop, and then returns
 * undefined. Ignores members that the list does not have. A supply fact may be missing, and an empty one is no longer
 * known. `mayLack`: further members that may be missing.
 */
export function readEntry(
  list: ListName,
  given: Readonly<Record<string, unknown>>,
  problem: (sentence: string) => void,
  mayLack: readonly string[] = [],
): EntryContent | undefined {
  const content: Record<string, string | number> = {};
  let sound = true;
  for (const [name, kind] of Object.entries(lists[list].kinds)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (kind === "id" && (value === undefined || value === "")) continue;
    if (value === undefined && mayLack.includes(name)) continue;
    const read = value === undefined ? { wrong: "is missing" } : readers[kind](value);
    if (typeof read === "object") {
      problem(`${name} ${read.wrong}`);
      sound = false;
    } else content[name] = read;
  }
  for (const fact of isSold(list) ? supplyFacts : []) {
    const value = Object.hasOwn(given, fact) ? given[fact] : undefined;
    if (value === undefined) continue;
    const read = value === "" ? value : supplyReaders[fact](value);
    if (typeof read === "object") {
      problem(`${fact} ${read.wrong}`);
      sound = false;
    } else content[fact] = read;
  }
  return sound ? content : undefined;
}

interface Wrong {
  /** The sentence after the member's name. */
  readonly wrong: string;
}

const readers: Record<MemberKind, (value: unknown) => string | number | Wrong> = {
  code(value) {
    if (typeof value !== "string") return notText(value);
    return /^[!-~]{1,64}$/.test(value) ? value : { wrong: "must be 1 to 64 visible ASCII characters without spaces" };
  },
  text(value) {
    if (typeof value !== "string") return notText(value);
    const wrong = oddityOf(value);
    return wrong === undefined ? value : { wrong };
  },
  money(value) {
    if (typeof value !== "string") return notText(value);
    const read = readNaira(value);
    return typeof read === "number" ? read : { wrong: read };
  },
  id(value) {
    const id = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
    return typeof id === "number" && Number.isSafeInteger(id) && id > 0 && id < 2 ** 31
      ? id
      : { wrong: "must be a whole number above 0" };
  },
};

const supplyReaders = {
  cost(value: unknown): number | Wrong {
    const read = readers.money(value) as number | Wrong;
    return read === 0 ? { wrong: "is 0: leave it empty if it is not known" } : read;
  },
  available(value: unknown): number | Wrong {
    const word = typeof value === "boolean" ? (value ? "yes" : "no") : String(value).trim().toLowerCase();
    return word === "yes" ? 1 : word === "no" ? 0 : { wrong: "must be yes, no or empty" };
  },
};

function notText(value: unknown): Wrong {
  const kind = value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
  return { wrong: `must be text such as "100", not ${kind === "null" || kind === "an array" ? kind : `a ${kind}`}` };
}

function oddityOf(text: string): string | undefined {
  if (/[\r\n]/.test(text)) return "holds a line break";
  if (/\p{Cc}/u.test(text)) return "holds a control character";
  if (!text.isWellFormed()) return "holds half a character: the file is damaged";
  if (text !== text.trim()) return "begins or ends with a space";
  if (text.length > LONGEST_TEXT) return `is longer than ${LONGEST_TEXT} characters`;
  return undefined;
}

/** The columns of a list in a file. The supply columns are included only if an entry has a supply fact. */
export function columnsOf(list: ListName, contents: readonly EntryContent[]): string[] {
  const isTold = contents.some((content) => supplyFacts.some((fact) => content[fact] !== undefined));
  return [...Object.keys(declaredList(list).kinds), ...(isTold ? supplyFacts : [])];
}

/** Cost and availability of an entry in the form of files. An empty text means not known. */
export function supplyTextsOf({ cost, available }: EntryContent): Record<(typeof supplyFacts)[number], string> {
  return {
    cost: cost === undefined ? "" : nairaOf(Number(cost)),
    available: available === undefined ? "" : available === 0 ? "no" : "yes",
  };
}

/** The members of an entry in the form of files: money as plain naira text. */
export function textsOf(list: ListName, content: EntryContent): Record<string, string> {
  return Object.fromEntries(
    Object.entries(declaredList(list).kinds).map(([name, kind]) => {
      const value = content[name]!;
      return [name, kind === "money" ? nairaOf(Number(value)) : String(value)];
    }),
  );
}
