import type { StoredSeal } from "../read.ts";
import type { Head } from "./head.ts";
import { digest, isGenuine, type Sign, sealHash } from "./seal.ts";

/** A head that is stored elsewhere: the number of a batch and the hash of its seal. */
export interface KeptHead {
  batch: number;
  hash: string;
}

/** A head that the trail must contain, with a description such as "the kept head". */
export interface Pin extends KeptHead {
  by: string;
}

/** The number of a batch, and a problem of the batch or its seal. */
type BatchError = [batch: number, problem: string];

/** Compares each seal with the previous one. Pass the seals in the order of their batches. */
export class Chain {
  readonly #sign: Sign;
  readonly #pins: readonly Pin[];
  #last = { batch: 0, hash: "", genuine: true };

  constructor(sign: Sign, pins: readonly Pin[]) {
    this.#sign = sign;
    this.#pins = pins;
  }

  /** The problems of the next seal. `removed`: retention has removed the seal's entries and list. */
  *next(seal: StoredSeal, removed: boolean): Generator<BatchError> {
    const before = this.#last;
    const batch = Number(seal.batch);
    if (batch <= before.batch) return yield [batch, "has a number that no batch has"];
    const hash = sealHash(seal);
    const genuine = isGenuine(this.#sign, seal);
    this.#last = { batch, hash, genuine };
    if (batch > before.batch + 1) yield gap(before.batch + 1, batch - 1);
    if (!genuine) yield [batch, "has a seal that was changed, or is of another key"];
    else if (!removed && digest(seal.list) !== seal.content) yield [batch, "has a list of entries that was changed"];
    if (genuine && before.genuine && batch === before.batch + 1 && seal.previous !== before.hash)
      yield [batch, `does not follow the batch ${before.batch} that is there`];
    for (const pin of this.#pins)
      if (pin.batch === batch && pin.hash !== hash) yield [batch, `is another than ${pin.by} names`];
  }

  /** The problems of the end of the trail; `head` is undefined if it is not genuine. */
  *end(head: Head | undefined): Generator<BatchError> {
    const { batch, hash, genuine } = this.#last;
    if (head !== undefined && head.batch > batch) yield gap(batch + 1, head.batch);
    if (head?.batch === batch && genuine && head.hash !== hash) yield [batch, "is another than the head names"];
    for (const pin of this.#pins)
      if (pin.batch > Math.max(batch, head?.batch ?? 0))
        yield [pin.batch, `is named by ${pin.by}, and the trail ends before it`];
  }
}

function gap(from: number, to: number): BatchError {
  return [from, from === to ? "is missing, with its seal" : `and all up to batch ${to} are missing, with their seals`];
}
