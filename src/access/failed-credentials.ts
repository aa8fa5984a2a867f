import { Failure } from "../declare/failures.ts";
import { siteOf, subscriberOf, subscribersOfSite } from "../runtime/network/address.ts";
import { type Limit, RateLimiter } from "../runtime/rate-limiter.ts";
import { recent } from "../runtime/recent.ts";
import { secretHash } from "./secrets.ts";

/**
 * The number of remembered working credentials. Beyond this number, the least recently used ones count against the
 * limit again.
 */
const MAX_PROVEN = 10_000;

/**
 * Limits the failed credentials of an address, in this process. In IPv6 a /64 network has the limit, and a /48 network
 * ten times the limit. A credential that has worked before is not limited until it fails, so that a neighbour's guesses
 * do not block its owner.
 */
export class FailedCredentials {
  readonly #subscribers: FailureLimit;
  readonly #sites: FailureLimit;
  /** Hashes of verified credentials. */
  readonly #verified = recent<true>(MAX_PROVEN);

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
      const result = await (this.#verified.get(hash) ? work() : this.#limited(address, work));
      this.#verified.set(hash, true);
      return result;
    } catch (error) {
      if (isInvalid(error)) this.#verified.delete(hash);
      throw error;
    }
  }

  #limited<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
    const [subscribers, sites, site] = [this.#subscribers, this.#sites, siteOf(address)];
    return subscribers.attempt(subscriberOf(address), site === undefined ? work : () => sites.attempt(site, work));
  }
}

/**
 * Counts each attempt before `work` looks anything up, and uncounts it unless the credential is invalid, so that
 * parallel guesses cannot exceed the limit. Good credentials that arrive together wait for each other and are not
 * refused.
 */
class FailureLimit {
  readonly #limiter: RateLimiter;
  /** The running attempts of each address or network. They reject only when the store is away. */
  readonly #running = new Map<string, Set<Promise<void>>>();

  constructor(limit: Limit) {
    this.#limiter = new RateLimiter("credential", limit);
  }

  async attempt<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    let counted = this.#limiter.consume(caller);
    for (; counted.exceeded; counted = this.#limiter.consume(caller)) {
      const others = this.#running.get(caller);
      if (others === undefined) {
        const detail = { retryAfter: counted.reset };
        throw new Failure("rate_limited", "Too many failed credentials came from this address.", detail);
      }
      // A running attempt that succeeds frees its place. If the store is away, this attempt fails with the other
      // attempts.
      await Promise.race(others);
    }
    const { windowEnd } = counted;
    const result = Promise.try(work);
    const running = this.#running.get(caller) ?? new Set();
    this.#running.set(caller, running);
    const refund = () => {
      // A new window did not count this attempt: uncounting it there would allow one failure too many.
      if (Date.now() < windowEnd) this.#limiter.refund(caller);
    };
    const end = result
      .then(refund, (error) => {
        if (!isInvalid(error)) refund();
        if (!(error instanceof Failure)) throw error;
      })
      .finally(() => {
        running.delete(end);
        if (running.size === 0) this.#running.delete(caller);
      });
    running.add(end);
    await end;
    return result;
  }
}

function isInvalid(error: unknown): boolean {
  return error instanceof Failure && error.code === "invalid_credentials";
}
