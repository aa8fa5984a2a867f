/** A correction may move the clock by this part of the time since the one before. */
const pace = 0.1;
/** A difference of so many milliseconds is no jump: it is corrected at once. */
const usual = 1000;

/**
 * The time of a store, in milliseconds since 1970. It begins with a reference (the database's clock, or this machine's) and
 * goes on with the time that passes in this process. A jump of the reference changes it by at most a tenth of the time that
 * passes, so that a wrong clock frees and deletes nothing.
 */
export class Clock {
  readonly #elapsed: () => number;
  #base: number;
  #correctedAt: number;

  /** `elapsed`: milliseconds that only ever grow. */
  constructor(reference: number, elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
    this.#correctedAt = elapsed();
    this.#base = reference - this.#correctedAt;
  }

  readonly now = (): number => Math.floor(this.#base + this.#elapsed());

  /** Moves the clock towards what the reference says now. */
  correct(reference: number): void {
    const passed = this.#elapsed() - this.#correctedAt;
    const difference = reference - (this.#base + this.#elapsed());
    const most = Math.abs(difference) <= usual ? usual : passed * pace;
    this.#base += Math.max(-most, Math.min(most, difference));
    this.#correctedAt += passed;
  }
}
