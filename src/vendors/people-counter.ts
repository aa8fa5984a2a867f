import { createHmac, randomBytes } from "node:crypto";

/** Counts different people up to a limit. Stores keyed hashes of people's numbers, never the numbers. */
export class PeopleCounter {
  readonly #many: number;
  readonly #key = randomBytes(32);
  readonly #seen = new Set<string>();

  constructor(many: number) {
    this.#many = many;
  }

  get areMany(): boolean {
    return this.#seen.size >= this.#many;
  }

  add(subject: string): void {
    if (!this.areMany) this.#seen.add(createHmac("sha256", this.#key).update(subject).digest("base64"));
  }

  /** Counts one more person, even if the same person was counted before. */
  addAnother(): void {
    if (!this.areMany) this.#seen.add(`${this.#seen.size}`);
  }

  clear(): void {
    this.#seen.clear();
  }
}
