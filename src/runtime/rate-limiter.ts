import { type Recent, recent } from "./recent.ts";

/** `count` requests in each window of `seconds`. */
export interface Limit {
  count: number;
  seconds: number;
}

/** The state of one caller in its window. */
export interface RateLimitState {
  exceeded: boolean;
  /** Whole seconds until the window ends, at least 1. */
  reset: number;
  /** When the window ends, in milliseconds since 1970. */
  windowEnd: number;
  /** Requests that are left in the window. */
  left: number;
  limit: Limit;
  /** Value of `RateLimit-Policy`. */
  policy: string;
  /** Value of `RateLimit`. */
  state: string;
}

interface Window {
  /** Milliseconds since 1970. */
  begun: number;
  end: number;
  used: number;
}

/** The most remembered callers. Beyond this number, the least recently seen ones start a new window. */
const MAX_CALLERS = 100_000;

const newWindows = () => recent<Window>(MAX_CALLERS);

/**
 * Counts requests by caller, in fixed windows, in this process. The header values follow
 * draft-ietf-httpapi-ratelimit-headers. We wrote our own because every look-up passes here: no promise, one object a
 * caller.
 */
export class RateLimiter {
  readonly #windows: Recent<Window>;
  readonly #name: string;
  readonly #limit: Limit;
  readonly #policy: string;

  /** `name` appears in the header values. */
  constructor(name: string, limit: Limit, windows = newWindows()) {
    this.#windows = windows;
    this.#name = name;
    this.#limit = limit;
    this.#policy = `"${name}";q=${limit.count};w=${limit.seconds}`;
  }

  /** Returns a limiter that shares these counts but applies another limit, for a caller with a limit of its own. */
  with(limit: Limit): RateLimiter {
    return new RateLimiter(this.#name, limit, this.#windows);
  }

  /** Counts one request, unless the limit is already reached. */
  consume(key: string): RateLimitState {
    const now = Date.now();
    let window = this.#windows.get(key);
    if (window === undefined || isOver(window, now)) {
      window = this.#windowFrom(now);
      this.#windows.set(key, window);
    }
    const exceeded = window.used >= this.#limit.count;
    if (!exceeded) window.used += 1;
    return this.#state(window, now, exceeded);
  }

  /** Uncounts one request. */
  refund(key: string): RateLimitState {
    const window = this.#windows.get(key);
    if (window && window.used > 0) window.used -= 1;
    return this.peek(key);
  }

  /** Reads the state without counting. */
  peek(key: string): RateLimitState {
    const now = Date.now();
    const window = this.#windows.get(key);
    const current = window && !isOver(window, now) ? window : this.#windowFrom(now);
    return this.#state(current, now, current.used >= this.#limit.count);
  }

  #windowFrom(begun: number): Window {
    return { begun, end: begun + this.#limit.seconds * 1000, used: 0 };
  }

  #state({ end, used }: Window, now: number, exceeded: boolean): RateLimitState {
    const reset = Math.ceil((end - now) / 1000);
    const left = Math.max(0, this.#limit.count - used);
    const state = `"${this.#name}";r=${left};t=${reset}`;
    return { exceeded, reset, windowEnd: end, left, limit: this.#limit, policy: this.#policy, state };
  }
}

/** If the clock was set back, a new window begins. Otherwise callers would wait for as long as the clock went back. */
const isOver = ({ begun, end }: Window, now: number): boolean => now >= end || now < begun;
