import { LRUCache } from "lru-cache";
import { Failure } from "../operation/failures.ts";
import { siteOf, subscriberOf, subscribersOfSite } from "../runtime/address.ts";
import { type Limit, RateLimiter } from "../runtime/rate-limiter.ts";
import { secretHash } from "./keys/api-key.ts";

/** With more proven credentials than this, the least recently used ones count against the limit again. */
const MAX_PROVEN = 10_000;

/**
 * Limits the failed credentials of an address, in this process. In IPv6 a /64 network has the limit, and a /48 network ten
 * times the limit. A credential that was proven before is not limited until it fails: nobody can guess it, and its owner
 * must not pay for a neighbour's guesses.
 */
export class FailedCredentials {
  readonly #subscribers: FailureLimit;
  readonly #sites: FailureLimit;
  /** Hashes of proven credentials. */
  readonly #proven = new LRUCache<string, true>({ max: MAX_PROVEN });

  constructor(limit: Limit) {
    this.#subscribers = new FailureLimit(limit);
    this.#sites = new FailureLimit({ ...limit, count: limit.count * subscribersOfSite });
  }

  /**
   * Runs `work`, which looks the credential up. Only a `Failure` with the code `invalid_credentials` counts against the
   * address. At the limit, throws a `Failure` `rate_limited` with `retryAfter` and does not run `work`.
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

/** The attempts of one caller that are running, and those that wait for one of them to end. */
interface Attempts {
  running: number;
  waiting: PromiseWithResolvers<void>[];
}

/**
 * Counts each attempt before `work` looks anything up and uncounts it unless it fails, so that parallel guesses cannot
 * exceed the limit. Good credentials that arrive together wait for each other instead of being refused.
 */
class FailureLimit {
  readonly #limiter: RateLimiter;
  readonly #attempts = new Map<string, Attempts>();

  constructor(limit: Limit) {
    this.#limiter = new RateLimiter("credential", limit);
  }

  async attempt<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    const windowEnd = await this.#start(caller);
    let failed = false;
    let broken: unknown;
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure) failed = isInvalid(error);
      else broken = error;
      throw error;
    } finally {
      // A new window did not count this attempt: uncounting it there would allow one failure too many.
      if (!failed && Date.now() < windowEnd) this.#limiter.refund(caller);
      this.#end(caller, failed, broken);
    }
  }

  /** Counts the attempt and returns the end of its window, in milliseconds since 1970. */
  async #start(caller: string): Promise<number> {
    for (;;) {
      const { exceeded, windowEnd, reset } = this.#limiter.consume(caller);
      const attempts = this.#attempts.get(caller) ?? { running: 0, waiting: [] };
      if (!exceeded) {
        attempts.running += 1;
        this.#attempts.set(caller, attempts);
        return windowEnd;
      }
      if (attempts.running === 0)
        throw new Failure("rate_limited", "Too many failed credentials came from this address.", { retryAfter: reset });
      const slot = Promise.withResolvers<void>();
      attempts.waiting.push(slot);
      await slot.promise;
    }
  }

  #end(caller: string, failed: boolean, broken: unknown): void {
    const attempts = this.#attempts.get(caller);
    if (!attempts) return;
    attempts.running -= 1;
    if (broken !== undefined) {
      // The store is away: the attempts that wait would only find that out one after another.
      for (const slot of attempts.waiting.splice(0)) slot.reject(broken);
    } else if (!failed) {
      attempts.waiting.shift()?.resolve();
    }
    if (attempts.running > 0) return;
    // No attempt is left that could make room: the waiting ones try again and are refused.
    this.#attempts.delete(caller);
    for (const slot of attempts.waiting) slot.resolve();
  }
}

function isInvalid(error: unknown): boolean {
  return error instanceof Failure && error.code === "invalid_credentials";
}
