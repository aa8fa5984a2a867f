import { type AnswerFacts, type CallOptions, checkOptions, headerValue, type Options } from "./options.ts";
import { answerOf, type ClientFailure, clientFailure, type Outcome, type Success } from "./outcome.ts";

/** An operation as the wire needs it. */
export interface Row {
  id: string;
  method: "GET" | "POST" | "DELETE";
  path: string;
  /** Headers that a caller can set, in lower case. */
  headers?: readonly string[];
  /** Member of the response with the requested data. */
  payload: string;
  /** Members of the input and of the payload that hold the number of a person. */
  number?: { input: string; record: string };
  /** The answer has an ETag. */
  isCatalogue?: true;
  /** Set if a retry needs an idempotency key: the path that returns the state of a request by its key. */
  stateByKey?: string;
}

export type Call = <Answer>(row: Row, input: object, options?: CallOptions) => Promise<Answer>;

interface Request {
  row: Row;
  input: object;
  url: string;
  headers: Record<string, string>;
  body?: string;
  options: CallOptions;
}

/** Milliseconds between two questions about a verification that is still running. */
const pollEvery = 1000;

/** Returns the function that sends the requests of a client. Throws a TypeError if an option cannot be right. */
export function caller(usual: Options): Call {
  checkOptions(usual);
  const { retries: usualRetries = 3, backoff = 250, longestWait = 10_000, cache: mostKept = 50 } = usual;
  const addressOf = addressesAt(usual.url);
  const authorization = usual.key !== undefined ? `Bearer ${headerValue("key", usual.key)}` : undefined;
  const fetching = usual.fetch ?? globalThis.fetch;
  const kept = new Map<string, { etag: string; text: string }>();

  return async <Answer>(row: Row, input: object, options: CallOptions = {}) => {
    checkOptions(options);
    const request = requestOf(row, input, options);
    const key = request.headers["idempotency-key"];
    const outcome = await (row.stateByKey === undefined ? repeated(request) : verified(request, row.stateByKey));
    if (row.stateByKey !== undefined && key !== undefined)
      (outcome.success ? outcome : outcome.error).idempotency_key = key;
    return outcome as Answer;
  };

  /** Sends a request, and repeats it while its failure is retryable. */
  async function repeated(request: Request): Promise<Outcome> {
    for (let tries = 0; ; tries += 1) {
      const outcome = await sent(request);
      // After a lost response to a change without a key, the client cannot know whether the change was done.
      if (outcome.success || (request.row.method !== "GET" && isLost(outcome))) return outcome;
      if (!(await waited(outcome, tries, request.options))) return outcome;
    }
  }

  /**
   * Sends a verification. After a lost response the client first asks for the state of the key's verification, while
   * that runs and the time for one request is not over. Then it sends the identical request again: the service repeats
   * the response, or resumes the verification.
   */
  async function verified(request: Request, path: string): Promise<Outcome> {
    const { row, headers, options } = request;
    const state: Row = { id: row.id, method: "GET", path, payload: "data" };
    const question: Request = { row: state, input: {}, url: addressOf(path), headers, options };
    const deadline = performance.now() + timeoutOf(request);
    let last = await sent(request);
    for (let tries = 0; !last.success; tries += 1) {
      if (!(await waited(last, tries, options))) return last;
      // A running verification does not count as a failed try. If the response about its state is lost as well, the
      // next request finds out.
      while (isLost(last) && (await runs(question)) && performance.now() < deadline)
        if (!(await pause(pollEvery, options.signal))) return aborted();
      if (options.signal?.aborted) return aborted();
      last = await sent(request);
    }
    return last;
  }

  /** Whether the service reports that the verification with this key still runs. */
  async function runs(question: Request): Promise<boolean> {
    const found = await sent(question);
    return found.success && stateOf(found) === "started";
  }

  /** Waits before the next try; false if there is none. */
  async function waited({ error }: ClientFailure, tries: number, { signal, retries = usualRetries }: CallOptions) {
    const asked = (error.retry_after ?? 0) * 1000;
    if (!error.retryable || tries >= retries || asked > longestWait || signal?.aborted) return false;
    const most = Math.min(backoff * 2 ** tries, longestWait);
    return pause(asked + most * (asked > 0 ? Math.random() : 0.5 + Math.random() / 2), signal);
  }

  /** Sends a request once. Never throws. */
  async function sent(request: Request): Promise<Outcome> {
    const { row, url, options, headers: own, body } = request;
    if (options.signal?.aborted) return aborted();
    const known = row.isCatalogue ? kept.get(url) : undefined;
    const limit = new AbortController();
    const stop = () => limit.abort();
    const timer = setTimeout(stop, timeoutOf(request));
    options.signal?.addEventListener("abort", stop, { once: true });
    const begun = performance.now();
    try {
      const headers = known ? { ...own, "if-none-match": known.etag } : own;
      const response = await fetching(url, {
        method: row.method,
        headers,
        redirect: "manual",
        signal: limit.signal,
        ...(body === undefined ? {} : { body }),
      });
      const unmodified = response.status === 304 && known !== undefined;
      const text = unmodified ? known.text : await response.text();
      tell({
        operation: row.id,
        status: response.status,
        headers: response.headers,
        milliseconds: performance.now() - begun,
      });
      const status = unmodified ? 200 : response.status;
      const outcome = answerOf(status, response.headers, text, (answer) => isWhole(request, answer));
      if (outcome.success && row.isCatalogue) keep(url, response.headers.get("etag"), text);
      return outcome;
    } catch {
      if (options.signal?.aborted) return aborted();
      return clientFailure("no_answer", limit.signal.aborted ? "The answer took too long." : "The connection failed.");
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", stop);
    }
  }

  function tell(facts: AnswerFacts): void {
    try {
      usual.onAnswer?.(facts);
    } catch {
      // A problem of a log must not lose an answer that was paid for.
    }
  }

  function keep(url: string, etag: string | null, text: string): void {
    if (etag === null || mostKept < 1) return;
    kept.delete(url);
    kept.set(url, { etag, text });
    if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
  }

  function requestOf(row: Row, input: object, options: CallOptions): Request {
    const headers: Record<string, string> = { accept: "application/json" };
    if (authorization) headers.authorization = authorization;
    for (const name of row.headers ?? []) {
      const option = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
      const value = (options as Record<string, unknown>)[option];
      if (value !== undefined) headers[name] = headerValue(option, value);
    }
    if (row.stateByKey !== undefined) headers["idempotency-key"] ??= crypto.randomUUID();
    const { path, rest } = filled(row.path, input);
    if (row.method === "POST") {
      headers["content-type"] = "application/json";
      return { row, input, url: addressOf(path), headers, body: JSON.stringify(rest), options };
    }
    const query = new URLSearchParams(rest as Record<string, string>).toString();
    return { row, input, url: addressOf(path) + (query && `?${query}`), headers, options };
  }

  function timeoutOf({ row, options }: Request): number {
    return options.timeout ?? usual.timeout ?? (row.stateByKey === undefined ? 10_000 : 30_000);
  }
}

/** Whether a success has its payload, and a verification's person has the requested number. */
function isWhole({ row: { payload, number }, input }: Request, answer: Success): boolean {
  const given = answer[payload];
  if (typeof given !== "object" || given === null) return false;
  if (number === undefined) return true;
  const asked = String((input as Record<string, unknown>)[number.input]).replaceAll(" ", "");
  const told = (given as Record<string, unknown>)[number.record];
  // An account with masked responses gets only the last digits.
  return told === asked || told === `*******${asked.slice(-4)}`;
}

function stateOf({ data }: Success): unknown {
  return (data as { state?: unknown }).state;
}

/** Whether the service may have done the request, or may still be doing it. */
function isLost({ error }: ClientFailure): boolean {
  return ["no_answer", "unexpected_answer", "request_in_progress"].includes(error.code);
}

function aborted(): ClientFailure {
  return clientFailure("aborted", "Your signal ended the call.");
}

/** A path with its parameters filled in, and all further members that have a value. */
function filled(path: string, input: object): { path: string; rest: Record<string, unknown> } {
  const rest = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const whole = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name] ?? "");
    delete rest[name];
    return encodeURIComponent(value);
  });
  return { path: whole, rest };
}

/**
 * Full addresses of paths, which begin with `/api/v2`. A `url` that ends with `/api/v2` or `/api` gives the prefix in
 * place of `/api/v2`.
 */
function addressesAt(url: string): (path: string) => string {
  if (!/^https?:\/\/[^\s?#]+$/.test(url)) throw new TypeError("url must be an address such as https://duba.example.");
  const [, host, prefix = "/api/v2"] = /^(.+?)(\/api(?:\/v2)?)?\/*$/.exec(url)!;
  return (path) => host + path.replace("/api/v2", prefix);
}

/** True after the time, false as soon as the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isOver: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      resolve(isOver);
    };
    const abort = () => end(false);
    const timer = setTimeout(() => end(true), milliseconds);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
  });
}
