/** How a client reaches the service. */
export interface Options {
  /**
   * Address of the service, such as `https://duba.example`. It may end with the prefix of its paths: `/api/v2` or
   * `/api`.
   */
  url: string;
  /** API key or access token. Without it, only the open look-ups answer. */
  key?: string | undefined;
  /** How often a failed request is sent again. Default: 3. */
  retries?: number;
  /**
   * Longest wait before the first retry, in milliseconds, beside a wait that the service asks for. It doubles with each
   * retry. Default: 250.
   */
  backoff?: number;
  /**
   * Most that the wait before a retry grows to, and the longest wait that the client accepts from the service, in
   * milliseconds. If the service asks for a longer one, the failure is returned at once, with `error.retry_after`.
   * Default: 10,000.
   */
  longestWait?: number;
  /** Longest time for one request, in milliseconds. Default: 10,000 for a look-up, 30,000 for a verification. */
  timeout?: number;
  /** How many catalogue answers are kept for their ETag. 0: none. Default: 50. */
  cache?: number;
  /** Replaces the platform's `fetch`, for example to go through a proxy. */
  fetch?: typeof fetch;
  /**
   * Called after each answer, for logs and metrics. It sees no body and no parameter. An error that it throws is
   * ignored.
   */
  onAnswer?: (answer: AnswerFacts) => void;
}

/** One answer on the wire. */
export interface AnswerFacts {
  /** Name of the operation. */
  operation: string;
  /** HTTP status. */
  status: number;
  /** Headers of the answer, such as `Duba-Catalogue-Revision` and `RateLimit`. */
  headers: Headers;
  /** From the request to the last byte of the answer. */
  milliseconds: number;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call, for example `AbortSignal.timeout(60_000)`. The call then returns the failure `aborted`. */
  signal?: AbortSignal;
  /** As in `Options`, for this call. */
  timeout?: number;
  /** As in `Options`, for this call. */
  retries?: number;
}

const count = {
  form: "a whole number, at least 0",
  isRight: (value: unknown) => Number.isInteger(value) && Number(value) >= 0,
};
const wait = { form: "milliseconds, at least 0", isRight: (value: unknown) => isTime(value) };
const called = { form: "a function", isRight: (value: unknown) => typeof value === "function" };
const forms: Record<string, { form: string; isRight(value: unknown): boolean }> = {
  retries: count,
  backoff: wait,
  longestWait: wait,
  timeout: { form: "milliseconds, at least 1", isRight: (value) => isTime(value) && value >= 1 },
  cache: count,
  fetch: called,
  onAnswer: called,
  signal: { form: "an AbortSignal", isRight: (value) => value instanceof AbortSignal },
};

/** Throws a TypeError for an option that cannot be right. It does not repeat the value. */
export function checkOptions(options: Options | CallOptions): void {
  for (const [name, { form, isRight }] of Object.entries(forms)) {
    const value = (options as Record<string, unknown>)[name];
    if (value !== undefined && !isRight(value)) throw new TypeError(`${name} must be ${form}.`);
  }
}

/** A time that a timer can wait. */
function isTime(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < 2 ** 31;
}

/** Refuses what `fetch` would refuse with a message that repeats the value. */
export function headerValue(name: string, value: unknown): string {
  if (typeof value === "string" && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return value;
  throw new TypeError(`${name} must be text of visible ASCII characters.`);
}
