import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import { subscriberOf } from "../contract/address.ts";
import { Failure } from "../contract/failures.ts";
import type { Limit } from "../contract/setting.ts";

/** Attempts of one subscriber that hold a point and are not decided, and those that wait for a point to come back. */
interface Gate {
  undecided: number;
  waiting: PromiseWithResolvers<void>[];
}

/**
 * Limits failed credentials of one address (of one /64 network in IPv6) to a limit, in this process; null switches
 * the limit off. Each attempt takes a point before anything is looked up and has it back unless it fails, so that
 * parallel guesses cannot slip through. Good credentials that come at once wait for each other instead of being refused.
 */
export class FailedCredentials {
  readonly #limiter: RateLimiterMemory | null;
  readonly #gates = new Map<string, Gate>();

  constructor(limit: Limit | null) {
    this.#limiter = limit && new RateLimiterMemory({ points: limit.count, duration: limit.seconds });
  }

  /**
   * Runs `work`. A `Failure` with the code `invalid_credentials` costs the address a point, any other end costs nothing.
   * Throws a `Failure` `rate_limited` with `retryAfter`, without running `work`, when the address has no point left.
   */
  async attempt<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
    if (!this.#limiter) return await work();
    const subscriber = subscriberOf(address);
    const limiter = this.#limiter;
    const windowEnd = await this.#take(limiter, subscriber);
    let failed = false;
    let broken: unknown;
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure) failed = error.code === "invalid_credentials";
      else broken = error;
      throw error;
    } finally {
      // In a new window the point is back already; giving it back again would allow one failure too many.
      if (!failed && Date.now() < windowEnd) await limiter.reward(subscriber);
      this.#decided(subscriber, failed, broken);
    }
  }

  /** Takes a point and gives the end of its window, in milliseconds since 1970. */
  async #take(limiter: RateLimiterMemory, subscriber: string): Promise<number> {
    for (;;) {
      const point = await limiter.consume(subscriber).catch((refused: RateLimiterRes) => refused);
      const gate = this.#gates.get(subscriber) ?? { undecided: 0, waiting: [] };
      if (point.consumedPoints <= limiter.points) {
        gate.undecided += 1;
        this.#gates.set(subscriber, gate);
        return Date.now() + point.msBeforeNext;
      }
      void limiter.reward(subscriber);
      if (gate.undecided === 0) {
        throw new Failure("rate_limited", "Too many failed credentials came from this address.", {
          retryAfter: Math.max(1, Math.ceil(point.msBeforeNext / 1000)),
        });
      }
      const slot = Promise.withResolvers<void>();
      gate.waiting.push(slot);
      await slot.promise;
    }
  }

  #decided(subscriber: string, failed: boolean, broken: unknown): void {
    const gate = this.#gates.get(subscriber);
    if (!gate) return;
    gate.undecided -= 1;
    if (broken !== undefined) {
      // The store cannot be asked: those who wait would only find that out one after another.
      for (const slot of gate.waiting.splice(0)) slot.reject(broken);
    } else if (!failed) {
      gate.waiting.shift()?.resolve();
    }
    if (gate.undecided > 0) return;
    // Nothing is left that could free a point: the rest must see for themselves.
    this.#gates.delete(subscriber);
    for (const slot of gate.waiting) slot.resolve();
  }
}
