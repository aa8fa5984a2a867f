/**
 * Runs waiting work one piece per event-loop tick, first come, first served. Without this queue, requests that arrive
 * together would run in one go and delay cached look-ups.
 */
export class FairQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in an event-loop tick that no other caller of `next` gets. */
  next(): Promise<void> {
    this.#last = this.#last.then(nextTick);
    return this.#last;
  }
}

async function nextTick(): Promise<void> {
  await new Promise(setImmediate);
}
