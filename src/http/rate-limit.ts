import { LRUCache } from "lru-cache";
import { Failure } from "../operation/failures.ts";
import type { Limit } from "../operation/setting.ts";
import { siteOf, subscriberOf, subscribersOfSite } from "../runtime/address.ts";

/** What is left of one caller's limit. */
export interface Quota {
  exceeded: boolean;
  /** Whole seconds until the window ends, at least 1. */
  reset: number;
  /** Value of `RateLimit-Policy`. */
  policy: string;
  /** Value of `RateLimit`. */
  state: string;
}

interface Window {
  /** Milliseconds since 1970. */
  end: number;
  used: number;
}

/** More callers than this at once, and the ones longest unheard of begin a new window. */
const remembered = 100_000;

/**
 * Counts requests of one kind by caller, in fixed windows, in this process. Header values are those of
 * draft-ietf-httpapi-ratelimit-headers. Our own, as every look-up passes here: no waiting, one window object a caller.
 */
export class Bucket {
  readonly #windows = new LRUCache<string, Window>({ max: remembered });
  readonly #name: string;
  readonly #limit: Limit;
  readonly #policy: string;
  readonly #now: () => number;

  constructor(name: string, limit: Limit, now: () => number = Date.now) {
    this.#name = name;
    this.#limit = limit;
    this.#policy = `"${name}";q=${limit.count};w=${limit.seconds}`;
    this.#now = now;
  }

  /** Counts one request. A refused one is not counted. */
  take(key: string): Quota {
    const now = this.#now();
    let window = this.#windows.get(key);
    if (window === undefined || now >= window.end) {
      window = { end: now + this.#limit.seconds * 1000, used: 0 };
      this.#windows.set(key, window);
    }
    const exceeded = window.used >= this.#limit.count;
    if (!exceeded) window.used += 1;
    return this.#quota(window, now, exceeded);
  }

  /** Gives back what `take` counted. */
  giveBack(key: string): Quota {
    const window = this.#windows.get(key);
    if (window && window.used > 0) window.used -= 1;
    return this.peek(key);
  }

  /** Looks without counting. */
  peek(key: string): Quota {
    const now = this.#now();
    const window = this.#windows.get(key);
    const present = window && now < window.end ? window : { end: now + this.#limit.seconds * 1000, used: 0 };
    return this.#quota(present, now, false);
  }

  #quota({ end, used }: Window, now: number, exceeded: boolean): Quota {
    const reset = Math.ceil((end - now) / 1000);
    const state = `"${this.#name}";r=${this.#limit.count - used};t=${reset}`;
    return { exceeded, reset, policy: this.#policy, state };
  }
}

/** Counts requests by the caller's address: by subscriber, and in IPv6 by site as well. */
export class AddressBucket {
  readonly #subscribers: Bucket;
  readonly #sites: Bucket;

  constructor(name: string, limit: Limit, now: () => number = Date.now) {
    this.#subscribers = new Bucket(name, limit, now);
    this.#sites = new Bucket("network", { ...limit, count: limit.count * subscribersOfSite }, now);
  }

  /** Counts one request. A refused one is not counted. */
  take(address: string): Quota {
    const subscriber = subscriberOf(address);
    const quota = this.#subscribers.take(subscriber);
    const site = siteOf(address);
    if (quota.exceeded || site === undefined) return quota;
    const whole = this.#sites.take(site);
    if (!whole.exceeded) return quota;
    this.#subscribers.giveBack(subscriber);
    return whole;
  }

  /** Gives back what `take` counted. */
  giveBack(address: string): Quota {
    const site = siteOf(address);
    if (site !== undefined) this.#sites.giveBack(site);
    return this.#subscribers.giveBack(subscriberOf(address));
  }

  /** Looks without counting. */
  peek(address: string): Quota {
    return this.#subscribers.peek(subscriberOf(address));
  }
}

/** Throws `rate_limited` if the caller has nothing left. */
export function refuseExceeded({ exceeded, reset }: Quota): void {
  if (exceeded) throw new Failure("rate_limited", `Too many requests. Try again in ${reset} s.`, { retryAfter: reset });
}

/** Flat header pairs that tell a caller its quota; none if nobody is limited. */
export function quotaHeaders(quota: Quota | undefined): string[] {
  return quota ? ["RateLimit-Policy", quota.policy, "RateLimit", quota.state] : [];
}
