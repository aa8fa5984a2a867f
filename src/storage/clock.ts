/** A correction moves the clock by at most this share of the time since the last correction. */
const pace = 0.1;
/** Milliseconds. A difference up to this is not a jump, and we correct it at once. */
const usual = 1000;

/**
 * The time of a store, in milliseconds since 1970. It starts at a reference (the database's clock, or this machine's)
 * and then counts the time that passes in this process. A jump of the reference changes it by at most a tenth of that
 * time, so a wrong clock does not make us free or delete anything early. A clock that was wrong from the start may jump
 * to a better time.
 */
export class Clock {
  readonly #elapsed: () => number;
  #base: number;
  #correctedAt: number;
  #known: number | undefined;

  /** `elapsed`: milliseconds, never decreasing. */
  constructor(reference: number, elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
    this.#correctedAt = elapsed();
    this.#base = reference - this.#correctedAt;
  }

  readonly now = (): number => Math.floor(this.#base + this.#elapsed());

  /** Sets the last trusted time, if this clock is too far from it to be trusted; undefined if it is trusted. */
  doubt(known: number | undefined): void {
    this.#known = known;
  }

  /**
   * Moves the clock towards the reference. If the clock is doubted and the reference is nearer to the last trusted
   * time, it moves at once.
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
