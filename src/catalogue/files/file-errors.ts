import type { EntryError } from "../document/replace-lists.ts";
import { mostErrors } from "../model/catalogue-error.ts";
import { mostEntries } from "../model/lists.ts";

/** A sentence may repeat a name of the file. */
const longestSentence = 500;

/** Characters of a record. The CSV parser's work on a faulty one grows with the square of its length. */
export const longestRecord = 64 * 1024;

/** Not a constant: what writes a number with commas takes milliseconds of a start to load. */
export function tooManyEntries(): string {
  return `is more than the ${mostEntries.toLocaleString("en")} entries that a catalogue holds`;
}

/** Tells a fault. After the last one nothing more is read: it throws. */
export type ReportError = (place: string, sentence: string, isLast?: boolean) => void;

export function shortened(sentence: string): string {
  return sentence.length > longestSentence ? `${sentence.slice(0, longestSentence)} …` : sentence;
}

class ReadingStopped extends Error {}

/** Reads until the end, or until there are 100 faults. Then `isStopped`, and the last fault says so. */
export function readWithErrors(read: (fault: ReportError) => void): {
  faults: Omit<EntryError, "list">[];
  isStopped: boolean;
} {
  const faults: Omit<EntryError, "list">[] = [];
  const fault: ReportError = (place, told, isLast = false) => {
    const sentence = shortened(told);
    const stops = isLast || faults.length + 1 === mostErrors;
    faults.push({
      place,
      sentence: stops && !isLast ? `${sentence}. Duba read no further: correct these faults first` : sentence,
    });
    if (stops) throw new ReadingStopped();
  };
  try {
    read(fault);
  } catch (stopped) {
    if (!(stopped instanceof ReadingStopped)) throw stopped;
    return { faults, isStopped: true };
  }
  return { faults, isStopped: false };
}
