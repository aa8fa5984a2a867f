import { Failure } from "../../operation/failures.ts";

/** Counts what runs at once for each account in this process. */
export class InFlightLimit {
  readonly #most: number;
  readonly #running = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a place and gives the function that frees it. Throws `too_many_in_flight` when all are taken. */
  enter(account: string): () => void {
    const running = this.#running.get(account) ?? 0;
    if (running >= this.#most)
      throw new Failure(
        "too_many_in_flight",
        `Your account has ${this.#most} verifications running, as many as it may have at once.`,
        { retryAfter: 1 },
      );
    this.#running.set(account, running + 1);
    return () => {
      const left = this.#running.get(account)! - 1;
      if (left === 0) this.#running.delete(account);
      else this.#running.set(account, left);
    };
  }
}
