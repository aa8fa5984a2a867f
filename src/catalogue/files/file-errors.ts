import type { EntryError } from "../document/replace-lists.ts";
import { mostErrors } from "../model/catalogue-error.ts";
import { mostEntries } from "../model/lists.ts";

/** Characters. A sentence may repeat a name from the file, so we limit its length. */
const longestSentence = 500;

/** Characters. The CSV parser's work on an invalid record grows with the square of its length. */
export const longestRecord = 64 * 1024;

/** A function, because loading the number formatter would add milliseconds to each start. */
export function tooManyEntries(): string {
  return `is more than the ${mostEntries.toLocaleString("en")} entries that a catalogue holds`;
}

/** Reports an error. Throws to stop reading if `isLast` is set, and at the 100th error. */
export type ReportError = (place: string, sentence: string, isLast?: boolean) => void;

export function shortened(sentence: string): string {
  return sentence.length > longestSentence ? `${sentence.slice(0, longestSentence)} …` : sentence;
}

class ReadingStopped extends Error {}

/** Reads to the end, or until an error stops the reading. Then `isStopped` is set, and the last error tells why. */
export function readWithErrors(read: (problem: ReportError) => void): {
  problems: Omit<EntryError, "list">[];
  isStopped: boolean;
} {
  const problems: Omit<EntryError, "list">[] = [];
  const problem: ReportError = (place, told, isLast = false) => {
    const sentence = shortened(told);
    const stops = isLast || problems.length + 1 === mostErrors;
    problems.push({
      place,
      sentence: stops && !isLast ? `${sentence}. Duba read no further: correct these problems first` : sentence,
    });
    if (stops) throw new ReadingStopped();
  };
  try {
    read(problem);
  } catch (stopped) {
    if (!(stopped instanceof ReadingStopped)) throw stopped;
    return { problems, isStopped: true };
  }
  return { problems, isStopped: false };
}
