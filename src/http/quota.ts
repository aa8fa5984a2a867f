import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** `count` requests in each window of `seconds`. */
export interface Limit {
  count: number;
  seconds: number;
}

/** What is left of one caller's limit. */
export interface Quota {
  exceeded: boolean;
  /** Whole seconds until the window ends, at least 1. */
  reset: number;
  /** `RateLimit-Policy` and `RateLimit` as flat header pairs (draft-ietf-httpapi-ratelimit-headers). */
  headers: readonly string[];
}

/** Counts requests of one kind by caller, in fixed windows, in this process. */
export class Bucket {
  readonly #limiter: RateLimiterMemory;
  readonly #name: string;
  readonly #limit: Limit;
  readonly #policy: string;

  constructor(name: string, limit: Limit) {
    this.#limiter = new RateLimiterMemory({ points: limit.count, duration: limit.seconds });
    this.#name = name;
    this.#limit = limit;
    this.#policy = `"${name}";q=${limit.count};w=${limit.seconds}`;
  }

  /** Counts one request. */
  async take(key: string): Promise<Quota> {
    try {
      return this.#quota(await this.#limiter.consume(key), false);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return this.#quota(refusal, true);
      throw refusal;
    }
  }

  /** Gives back what `take` counted. */
  async giveBack(key: string): Promise<Quota> {
    return this.#quota(await this.#limiter.reward(key), false);
  }

  /** Looks without counting. */
  async peek(key: string): Promise<Quota> {
    const state = await this.#limiter.get(key);
    return this.#quota(state ?? new RateLimiterRes(this.#limit.count, this.#limit.seconds * 1000), false);
  }

  #quota({ remainingPoints, msBeforeNext }: RateLimiterRes, exceeded: boolean): Quota {
    const reset = Math.max(1, Math.ceil(msBeforeNext / 1000));
    const state = `"${this.#name}";r=${Math.max(0, remainingPoints)};t=${reset}`;
    return { exceeded, reset, headers: ["RateLimit-Policy", this.#policy, "RateLimit", state] };
  }
}
