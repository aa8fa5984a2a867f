import type { Members } from "../../checks/check.ts";
import { listOf, type Pointers } from "./vendor-file.ts";

/** Finds a value in an answer. `number`: the requested number. Returns undefined if there is no value. */
export type Finder = (body: unknown, number?: string) => unknown;

export const isGiven = (value: unknown) => value !== undefined && value !== null && value !== "";

/** Returns a finder of the value at a JSON pointer (RFC 6901), or of the requested number for `{number}`. */
export function finderAt(at: string): Finder {
  if (at === "{number}") return (_, number) => number;
  const names = at.split("/").slice(1);
  const steps = names.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return (body) => {
    let value = body;
    for (const step of steps) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
      value = (value as Members)[step];
    }
    return value;
  };
}

/** Returns a finder of the first value that is present at one of these pointers. */
export function firstFinder(at: Pointers | undefined): Finder {
  const finders = listOf(at).map(finderAt);
  return (body, number) => {
    for (const find of finders) {
      const value = find(body, number);
      if (isGiven(value)) return value;
    }
    return undefined;
  };
}
