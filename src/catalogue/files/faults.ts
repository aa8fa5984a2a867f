import type { EntryFault } from "../document/wanted-lists.ts";
import { mostFaults } from "../model/fault.ts";

/** A sentence may repeat a name of the file. */
const longestSentence = 500;

/** Tells a fault. After the last one nothing more is read: it throws. */
export type TellFault = (place: string, sentence: string, isLast?: boolean) => void;

export function shortened(sentence: string): string {
  return sentence.length > longestSentence ? `${sentence.slice(0, longestSentence)} …` : sentence;
}

class ReadingStopped extends Error {}

/** Reads until the end, or until there are 100 faults. Then `isStopped`, and the last fault says so. */
export function readWithFaults(read: (fault: TellFault) => void): {
  faults: Omit<EntryFault, "list">[];
  isStopped: boolean;
} {
  const faults: Omit<EntryFault, "list">[] = [];
  const fault: TellFault = (place, told, isLast = false) => {
    const sentence = shortened(told);
    const stops = isLast || faults.length + 1 === mostFaults;
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
