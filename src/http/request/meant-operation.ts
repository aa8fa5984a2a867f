import { closestName, wordsOf } from "../../declare/closest-name.ts";
import { type BoundOperation, pathUnder } from "../../declare/operation.ts";

/** Longer paths are not compared: no path of Duba has half this length, and comparing long ones is slow. */
const longestCompared = 100;

/**
 * The operation that an unknown path may mean: by its end, by its name, by some of its words, or by nearly the same
 * letters.
 */
export function meantOperation(url: string, operations: readonly BoundOperation[]): BoundOperation | undefined {
  const path = url.split(/[?#]/, 1)[0]!.replaceAll(/\/+/g, "/").replace(/\/$/, "");
  const sameEnd = operations.find((operation) => endingOf(operation).test(path));
  if (sameEnd || path.length > longestCompared) return sameEnd;
  const words = wordsOf(path.replace(/^(?:\/(?:api|v\d+)(?=\/|$))+/i, "")).filter((word) => /[a-z]/.test(word));
  const called = [2, 1]
    .map((count) => lastParts(path, count))
    .map((name) => operations.find(({ alsoCalled }) => alsoCalled?.includes(name)))
    .find((operation) => operation !== undefined && isOfKind(words, operation));
  if (called) return called;
  if (words.length === 0) return undefined;
  const having = operations.filter((operation) => words.every((word) => pathWords(operation).includes(word)));
  if (having.length === 1) return having[0];
  const named = new Map(operations.flatMap((operation) => namesOf(operation).map((name) => [name, operation])));
  const closest = named.get(closestName(words.join(""), [...named.keys()]) ?? "");
  return closest && isOfKind(words, closest) ? closest : undefined;
}

/** Words that do not show the subject of a path. */
const neutral = new Set(
  "get fetch list all show find look up lookup check verify validate query user users my".split(" "),
);

/**
 * Whether the operation knows each word, or a similar one. So a list of electricity billers is not taken for a list of
 * cable TV billers.
 */
function isOfKind(words: readonly string[], operation: BoundOperation): boolean {
  const names = [...namesOf(operation), ...(operation.alsoCalled ?? [])];
  const known = [...names, ...pathWords(operation), ...wordsOf(operation.id)];
  // `closestName` lets two letters differ, so it would find BVN close to NIN.
  const isNear = (word: string) => word.length > 3 && closestName(word, known) !== undefined;
  return words.every((word) => neutral.has(word) || known.some((name) => name.includes(word)) || isNear(word));
}

/** Matches the end of an operation's path, whatever its prefix. */
export function endingOf({ path }: Pick<BoundOperation, "path">): RegExp {
  return new RegExp(`${pathUnder("", path).replace(/\{\w+\}/g, "[^/]+")}$`, "i");
}

/** The last parts of a path, without signs. */
function lastParts(path: string, count: number): string {
  return path
    .toLowerCase()
    .split("/")
    .slice(-count)
    .join("")
    .replaceAll(/[^a-z]/g, "");
}

function pathWords({ path }: BoundOperation): string[] {
  return wordsOf(pathUnder("", path).replace(/\{\w+\}/, ""));
}

function namesOf(operation: BoundOperation): string[] {
  return [pathWords(operation).join(""), operation.id.toLowerCase()];
}
