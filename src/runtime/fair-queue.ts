/**
 * One piece of work in a turn of the event loop, first come, first served. Requests that arrive together would otherwise be
 * worked on in one go, and hold up whatever is quick to answer.
 */
export class FairQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn that nobody else is given. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.#last;
  }
}
