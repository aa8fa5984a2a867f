import type { StoredEntry } from "../read.ts";
import { entryDigest } from "./seal.ts";

/** Clocks of several machines differ, and a transaction takes a while to commit. */
const lateness = 5 * 60_000;

/** The entries that a seal lists, to be held against those that the store has. */
export class SealedBatch {
  /** By id; what was met is taken out. */
  readonly #left = new Map<string, { position: string; digest: string }>();

  /** When everything committed until then had been sealed, in milliseconds since 1970. */
  readonly #sealedUntil: number;

  constructor(list: string, sealedUntil: number) {
    this.#sealedUntil = sealedUntil;
    if (list === "") return;
    for (const [index, line] of list.split("\n").entries()) {
      const [id = "", digest = ""] = line.split(" ");
      this.#left.set(id, { position: `${index + 1}`, digest });
    }
  }

  /** What is wrong with an entry that names this batch. */
  *faultsOf(entry: StoredEntry): Generator<string> {
    const listed = this.#left.get(entry.id);
    if (listed === undefined) return yield "was put into the batch after it was sealed";
    this.#left.delete(entry.id);
    if (listed.digest !== entryDigest(entry)) yield "was changed after it was sealed";
    if (listed.position !== entry.position)
      yield `stands at place ${entry.position}, and was sealed at place ${listed.position}`;
    const late = this.#sealedUntil - Number(entry.occurred_at);
    if (late > lateness)
      yield `is dated ${Math.round(late / 60_000)} minutes before the batch in front of it was sealed: it was backdated, or a clock was wrong`;
  }

  /** The entries that were not met, and what is wrong with them. */
  *missing(): Generator<[id: string, fault: string]> {
    for (const [id, { position }] of this.#left) yield [id, `is gone from place ${position} of the batch`];
  }
}
