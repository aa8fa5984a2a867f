import { LRUCache } from "lru-cache";
import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import { Failure } from "../operation/failures.ts";
import type { Limit } from "../operation/setting.ts";
import { siteOf, subscriberOf, subscribersOfSite } from "../runtime/address.ts";
import { secretHash } from "./keys/api-key.ts";

/** More credentials than this, and those longest unused have to pass the limit again. */
const remembered = 10_000;

/**
 * Limits failed credentials of one address to a limit, in this process; in IPv6 those of its /64 network to the limit, and
 * those of its /48 network to ten times the limit. A credential that was proven before is not limited until it fails: nobody
 * can guess it, and its owner must not pay for what neighbours try.
 */
export class FailedCredentials {
  readonly #subscribers: FailureLimit;
  readonly #sites: FailureLimit;
  /** Hashes of proven credentials. */
  readonly #proven = new LRUCache<string, true>({ max: remembered });

  constructor(limit: Limit) {
    this.#subscribers = new FailureLimit(limit);
    this.#sites = new FailureLimit({ ...limit, count: limit.count * subscribersOfSite });
  }

  /**
   * Runs `work`, which looks the credential up. A `Failure` with the code `invalid_credentials` costs the address a point,
   * any other end costs nothing. Throws a `Failure` `rate_limited` with `retryAfter`, without running `work`, when the
   * address has no point left.
   */
  async attempt<Result>(address: string, credential: string, work: () => Promise<Result>): Promise<Result> {
    const hash = secretHash(credential);
    try {
      const result = await (this.#proven.get(hash) ? work() : this.#limited(address, work));
      this.#proven.set(hash, true);
      return result;
    } catch (error) {
      if (isInvalid(error)) this.#proven.delete(hash);
      throw error;
    }
  }

  #limited<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
    const [subscribers, sites, site] = [this.#subscribers, this.#sites, siteOf(address)];
    return subscribers.attempt(subscriberOf(address), site === undefined ? work : () => sites.attempt(site, work));
  }
}

/** Attempts of one caller that hold a point and are not decided, and those that wait for a point to come back. */
interface Gate {
  undecided: number;
  waiting: PromiseWithResolvers<void>[];
}

/**
 * Each attempt takes a point of its caller before anything is looked up and has it back unless it fails, so that parallel
 * guesses cannot slip through. Good credentials that come at once wait for each other instead of being refused.
 */
class FailureLimit {
  readonly #limiter: RateLimiterMemory;
  readonly #gates = new Map<string, Gate>();

  constructor({ count, seconds }: Limit) {
    this.#limiter = new RateLimiterMemory({ points: count, duration: seconds });
  }

  async attempt<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    const windowEnd = await this.#take(caller);
    let failed = false;
    let broken: unknown;
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure) failed = isInvalid(error);
      else broken = error;
      throw error;
    } finally {
      // In a new window the point is back already; giving it back again would allow one failure too many.
      if (!failed && Date.now() < windowEnd) await this.#limiter.reward(caller);
      this.#decided(caller, failed, broken);
    }
  }

  /** Takes a point and gives the end of its window, in milliseconds since 1970. */
  async #take(caller: string): Promise<number> {
    for (;;) {
      const point = await this.#limiter.consume(caller).catch((refused: RateLimiterRes) => refused);
      const gate = this.#gates.get(caller) ?? { undecided: 0, waiting: [] };
      if (point.consumedPoints <= this.#limiter.points) {
        gate.undecided += 1;
        this.#gates.set(caller, gate);
        return Date.now() + point.msBeforeNext;
      }
      void this.#limiter.reward(caller);
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

  #decided(caller: string, failed: boolean, broken: unknown): void {
    const gate = this.#gates.get(caller);
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
    this.#gates.delete(caller);
    for (const slot of gate.waiting) slot.resolve();
  }
}

function isInvalid(error: unknown): boolean {
  return error instanceof Failure && error.code === "invalid_credentials";
}
