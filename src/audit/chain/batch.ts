import type { StoredEntry } from "../read.ts";
import { entryDigest } from "./seal.ts";

/**
 * Milliseconds that an entry may be older than the seal before it. Clocks of machines differ, and commits take a while.
 */
export const lateness = 5 * 60_000;

/** The entries that a seal lists, to compare with the entries in the store. */
export class SealedBatch {
  /** The entries that were not compared yet, by id. */
  readonly #missing = new Map<string, { position: string; digest: string }>();

  /** Everything committed until this time had been sealed, in milliseconds since 1970. */
  readonly #sealedUntil: number;

  constructor(list: string, sealedUntil: number) {
    this.#sealedUntil = sealedUntil;
    if (list === "") return;
    for (const [index, line] of list.split("\n").entries()) {
      const [id = "", digest = ""] = line.split(" ");
      this.#missing.set(id, { position: `${index + 1}`, digest });
    }
  }

  /** The problems of an entry that names this batch. */
  *problemsOf(entry: StoredEntry): Generator<string> {
    const listed = this.#missing.get(entry.id);
    if (listed === undefined) return yield "was put into the batch after it was sealed";
    this.#missing.delete(entry.id);
    if (listed.digest !== entryDigest(entry)) yield "was changed after it was sealed";
    if (listed.position !== entry.position)
      yield `stands at place ${entry.position}, and was sealed at place ${listed.position}`;
    const late = this.#sealedUntil - Number(entry.occurred_at);
    if (late > lateness)
      yield `is dated ${Math.round(late / 60_000)} minutes before the batch in front of it was sealed: it was backdated, or a clock was wrong`;
  }

  /** The listed entries that the store does not have, with their problem. */
  *missing(): Generator<[id: string, problem: string]> {
    for (const [id, { position }] of this.#missing) yield [id, `is gone from place ${position} of the batch`];
  }
}
