/** A correction moves the clock by at most this share of the time since the last correction. */
const pace = 0.1;
/** A difference of up to this many milliseconds is corrected at once. */
const usual = 1000;

/**
 * The store's time, in milliseconds since 1970. It starts at a reference (the database's clock, or this machine's) and
 * then counts elapsed time. If the reference jumps, the time follows by at most a tenth of the elapsed time, so a wrong
 * clock frees or deletes nothing early. A clock that was wrong from the start may jump to a better time.
 */
export class Clock {
  readonly #elapsed: () => number;
  #base: number;
  #correctedAt: number;
  #known: number | undefined;

  /** `elapsed`: a monotonic clock, in milliseconds. */
  constructor(reference: number, elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
    this.#correctedAt = elapsed();
    this.#base = reference - this.#correctedAt;
  }

  readonly now = (): number => Math.floor(this.#base + this.#elapsed());

  /** Sets the last trusted time if the clock is far from it. Undefined: the clock is trusted. */
  doubt(known: number | undefined): void {
    this.#known = known;
  }

  /**
   * Moves the clock towards the reference. A distrusted clock jumps at once if the reference is closer to the last
   * trusted time.
   */
  correct(reference: number): void {
    const passed = this.#elapsed() - this.#correctedAt;
    const difference = reference - (this.#base + this.#elapsed());
    const isAtOnce = Math.abs(difference) <= usual || this.#isBetter(reference);
    const most = isAtOnce ? Math.abs(difference) : passed * pace;
    this.#base += Math.max(-most, Math.min(most, difference));
    this.#correctedAt += passed;
  }

  #isBetter(reference: number): boolean {
    const known = this.#known;
    return known !== undefined && Math.abs(reference - known) < Math.abs(this.now() - known);
  }
}
