import { hash } from "node:crypto";

/**
 * Random numbers from a seed. Each purpose has its own stream, so an additional draw in one stream does not change the
 * others.
 */
export class Seed {
  readonly #text: string;
  readonly #state: Uint32Array;

  constructor(text: string) {
    this.#text = text;
    this.#state = new Uint32Array(hash("sha256", text, "buffer").buffer.slice(0, 16));
  }

  /** Returns the stream for a purpose, such as "store". */
  of(purpose: string): Seed {
    return new Seed(`${this.#text} ${purpose}`);
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor((this.#next() / 2 ** 32) * count);
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True with probability 1 / `times`. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<Item>(list: readonly Item[]): Item {
    return list[this.below(list.length)]!;
  }

  fill(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = this.#next() & 255;
  }

  /** xoshiro128**, by Blackman and Vigna. */
  #next(): number {
    const state = this.#state;
    const turned = (value: number, by: number) => ((value << by) | (value >>> (32 - by))) >>> 0;
    const drawn = Math.imul(turned(Math.imul(state[1]!, 5) >>> 0, 7), 9) >>> 0;
    const shifted = state[1]! << 9;
    state[2]! ^= state[0]!;
    state[3]! ^= state[1]!;
    state[1]! ^= state[2]!;
    state[0]! ^= state[3]!;
    state[2]! ^= shifted;
    state[3] = turned(state[3]!, 11);
    return drawn;
  }
}
