import { Failure } from "../declare/failures.ts";
import type { BoundOperation, Caller, OwnLimit } from "../declare/operation.ts";
import { siteOf, subscriberOf, subscribersOfSite } from "../runtime/network/address.ts";
import { type Limit, RateLimiter, type RateLimitState } from "../runtime/rate-limiter.ts";

/** The limiters of look-ups, of callers without a credential, and of accounts. */
export interface RateLimiters {
  catalogue: RateLimiter;
  anonymous: AddressRateLimiter;
  /** Counts verifications. All keys of an account in one mode share this limiter. */
  verification: RateLimiter;
  /**
   * Limiters of operations with a limit of their own, by the limit's name. All keys of an account in one mode share
   * each of these limiters.
   */
  own: ReadonlyMap<string, RateLimiter | TwoRateLimiters>;
}

/** The limiter that counts a call, and the key of its count. */
export interface Counted {
  readonly limiter: RateLimiter | AddressRateLimiter | TwoRateLimiters;
  readonly key: string;
}

export function limiterOf(
  { limit }: Pick<BoundOperation, "limit">,
  limiters: RateLimiters,
  caller: Caller | null,
  address: string,
): Counted {
  if (caller === null) return { limiter: limiters.anonymous, key: address };
  if (typeof limit === "string" && limit !== "verification") return { limiter: limiters.catalogue, key: caller.keyId };
  const key = `${caller.accountId} ${caller.mode}`;
  if (typeof limit !== "string") return { limiter: limiters.own.get(limit.name)!, key };
  const { verification } = caller.terms;
  return { limiter: verification ? limiters.verification.with(verification) : limiters.verification, key };
}

/** The limits of a caller with a credential, by their names, without counting. */
export function limitsOf(
  limiters: RateLimiters,
  own: readonly OwnLimit[],
  caller: Caller,
): Record<string, RateLimitState> {
  const all = ["catalogue" as const, "verification" as const, ...own];
  const states = all.map((limit) => {
    const { limiter, key } = limiterOf({ limit }, limiters, caller, "");
    return [typeof limit === "string" ? limit : limit.name, limiter.peek(key)] as const;
  });
  return Object.fromEntries(states);
}

/** Returns the limiter of an operation's own limit, combined with a daily limit if there is one. */
export function ownLimiter({ perDay, ...limit }: OwnLimit): RateLimiter | TwoRateLimiters {
  const usual = new RateLimiter(limit.name, limit);
  if (perDay === undefined) return usual;
  return new TwoRateLimiters(usual, new RateLimiter(`${limit.name}_day`, { count: perDay, seconds: 86_400 }));
}

/** Counts each request in two windows. Headers show the first window, unless the second one is full. */
export class TwoRateLimiters {
  readonly #first: RateLimiter;
  readonly #second: RateLimiter;

  constructor(first: RateLimiter, second: RateLimiter) {
    this.#first = first;
    this.#second = second;
  }

  /** Counts one request, unless a limit is already reached. */
  consume(key: string): RateLimitState {
    const state = this.#first.consume(key);
    if (state.exceeded) return state;
    const second = this.#second.consume(key);
    if (!second.exceeded) return state;
    this.#first.refund(key);
    return second;
  }

  /** Uncounts one request. */
  refund(key: string): RateLimitState {
    this.#second.refund(key);
    return this.#first.refund(key);
  }

  /** Reads the state without counting. */
  peek(key: string): RateLimitState {
    const second = this.#second.peek(key);
    return second.exceeded ? second : this.#first.peek(key);
  }
}

/** Counts requests by address: per subscriber, and in IPv6 per site as well. */
export class AddressRateLimiter {
  readonly #subscribers: RateLimiter;
  readonly #sites: RateLimiter;

  constructor(name: string, limit: Limit) {
    this.#subscribers = new RateLimiter(name, limit);
    this.#sites = new RateLimiter("network", { ...limit, count: limit.count * subscribersOfSite });
  }

  /** Counts one request, unless a limit is already reached. */
  consume(address: string): RateLimitState {
    const subscriber = subscriberOf(address);
    const state = this.#subscribers.consume(subscriber);
    const site = siteOf(address);
    if (state.exceeded || site === undefined) return state;
    const siteState = this.#sites.consume(site);
    if (!siteState.exceeded) return state;
    this.#subscribers.refund(subscriber);
    return siteState;
  }

  /** Uncounts one request. */
  refund(address: string): RateLimitState {
    const site = siteOf(address);
    if (site !== undefined) this.#sites.refund(site);
    return this.#subscribers.refund(subscriberOf(address));
  }

  /** Reads the state without counting. */
  peek(address: string): RateLimitState {
    const state = this.#subscribers.peek(subscriberOf(address));
    const site = siteOf(address);
    const siteState = site === undefined ? state : this.#sites.peek(site);
    return siteState.exceeded ? siteState : state;
  }
}

/** Throws `rate_limited` if the caller has exceeded its limit. */
export function refuseExceeded({ exceeded, reset }: RateLimitState): void {
  if (exceeded) throw new Failure("rate_limited", `Too many requests. Try again in ${reset} s.`, { retryAfter: reset });
}

/** Flat header pairs of the state. */
export function rateLimitHeaders({ policy, state }: RateLimitState): string[] {
  return ["RateLimit-Policy", policy, "RateLimit", state];
}
