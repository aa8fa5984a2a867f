import { Agent, type Dispatcher } from "undici";
import type { Log } from "../runtime/log.ts";
import { spanWithin } from "../runtime/tracing/trace.ts";
import { LongTextDropper } from "./drop-long-texts.ts";

/** One request to a vendor. Its URL may hold a BVN, so it never goes into a log or an error. */
export interface VendorRequest {
  method: "GET" | "POST";
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: object;
  /** Ends the wait before the client's own time-out does. */
  signal?: AbortSignal | undefined;
  /** Once aborted, the request is not sent any more; one that was sent goes on. */
  sendUntil?: AbortSignal | undefined;
  /** Milliseconds, if shorter than the client's own time-out. */
  timeout?: number;
  /** The caller's W3C trace context, passed on unless we trace: then the vendor gets that of our span. */
  traceparent?: string | undefined;
  /** How much may be read. Unless said: 8 MiB, of which 1 MiB may be left without long base64 texts. */
  allowance?: Allowance | undefined;
  /** Lower-case names of the response headers to return. Unless said: `retry-after`. */
  wantedHeaders?: readonly string[] | undefined;
}

/** Limits on response bytes: for each response, and for all requests that share it. Bytes read are subtracted from `left`. */
export interface Allowance {
  readonly each: number;
  left: number;
}

/**
 * The outcome of a request. `code` comes from us, Node or undici, never from the vendor. `headers` has the wanted ones.
 * - `answered`: JSON, or an empty body (then `body` is undefined).
 * - `notSent`: no byte of the request left this machine: no connection, no trusted one, or no time for one.
 * - `lost`: it was or may have been sent, and no response came: the vendor may have done the work.
 * - `unreadable`: a response that cannot be trusted.
 */
export type HttpResult =
  | { kind: "answered"; status: number; body: unknown; headers?: Record<string, string> }
  | { kind: "notSent"; code: string }
  | { kind: "lost"; code: string }
  | {
      kind: "unreadable";
      status: number;
      code: "redirect" | "not_json" | "too_large";
      headers?: Record<string, string>;
    };

export interface HttpClientOptions {
  /** Milliseconds for one request, its connection and its answer. */
  timeout: number;
  /** Most connections to one vendor. */
  connections: number;
  /** Whether connections are reused. If so, a duplicate response can be mistaken for the next one. */
  keepAlive: boolean;
  /** Gets the host, code and duration of every request that failed. */
  log: Log;
}

const longestConnect = 5000;
/** Records include photos and signatures, of which we keep nothing. */
const mostRead = 8 * 1024 * 1024;
const mostKept = 1024 * 1024;
const usualHeaders = ["retry-after"];
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** HTTP client for all vendors: limits connections and response sizes, follows no redirects, never retries. */
export class HttpClient {
  readonly #agent: Agent;
  readonly #timeout: number;
  readonly #keepAlive: boolean;
  readonly #log: Log;

  constructor({ timeout, connections, keepAlive, log }: HttpClientOptions) {
    this.#timeout = timeout;
    this.#keepAlive = keepAlive;
    this.#log = log;
    this.#agent = new Agent({
      connections,
      pipelining: 1,
      allowH2: false,
      connect: { timeout: Math.min(longestConnect, timeout) },
      // The client's own time-out covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Never rejects. */
  async send(request: VendorRequest): Promise<HttpResult> {
    const { method, url, headers, body } = request;
    const { origin, host, pathname, search } = new URL(url);
    const span = spanWithin("vendor call", "client", { "server.address": host, "http.request.method": method });
    const traceparent = span?.traceparent ?? request.traceparent;
    const options: Dispatcher.DispatchOptions = {
      method,
      origin,
      reset: !this.#keepAlive,
      path: `${pathname}${search}`,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(traceparent === undefined ? {} : { traceparent }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const started = performance.now();
    const result = await dispatched(
      this.#agent,
      options,
      request,
      Math.min(request.timeout ?? Infinity, this.#timeout),
    );
    const { kind, status, code } = { status: 0, code: "", ...result };
    span?.end(
      { "duba.outcome": kind, "http.response.status_code": status, "error.type": code },
      result.kind !== "answered",
    );
    if (result.kind !== "answered") {
      // Headers are a vendor's text.
      const { headers: _, ...facts } = { headers: undefined, ...result };
      const ms = Math.round(performance.now() - started);
      this.#log.warn({ host, ...facts, ms }, "A vendor did not answer a request, or Duba could not read its answer");
    }
    return result;
  }

  /** Ends all requests and closes all connections. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Sends a request and reads its response. The first outcome counts; later events are ignored. */
function dispatched(
  agent: Agent,
  options: Dispatcher.DispatchOptions,
  { signal, sendUntil, wantedHeaders, allowance }: VendorRequest,
  timeout: number,
): Promise<HttpResult> {
  const { promise, resolve } = Promise.withResolvers<HttpResult>();
  /** Set once the request has a connection: from then on, bytes may have been sent. */
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  let status = 0;
  let isJson = false;
  let headers: { headers?: Record<string, string> } = {};
  let size = 0;
  let keptSize = 0;
  const chunks: Buffer[] = [];
  const dropper = allowance ? undefined : new LongTextDropper();
  const { each, left } = allowance ?? { each: mostRead, left: mostRead };

  const settle = (result: HttpResult) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    sendUntil?.removeEventListener("abort", abortUnsent);
    resolve(result);
    if (result.kind !== "answered") controller?.abort(new Error("over"));
  };
  const fail = (code: string) => settle({ kind: controller ? "lost" : "notSent", code });
  const refuse = (code: "redirect" | "not_json" | "too_large") =>
    settle({ kind: "unreadable", status, code, ...headers });
  const abort = () => fail("aborted");
  const abortUnsent = () => {
    if (!controller) abort();
  };
  const timer = setTimeout(fail, timeout, "timed_out");
  signal?.addEventListener("abort", abort);
  sendUntil?.addEventListener("abort", abortUnsent);
  if (signal?.aborted || sendUntil?.aborted) abort();
  if (isOver) return promise;

  agent.dispatch(options, {
    onRequestStart(started) {
      if (isOver) started.abort(new Error("over"));
      else controller = started;
    },
    onResponseStart(_, code, given) {
      if (code < 200) return;
      status = code;
      isJson = /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(String(given["content-type"] ?? ""));
      const found = named(wantedHeaders ?? usualHeaders, given);
      if (wantedHeaders || Object.keys(found).length > 0) headers = { headers: found };
      if (status >= 300 && status < 400) refuse("redirect");
      else if (Number(given["content-length"]) > Math.min(each, left)) refuse("too_large");
    },
    onResponseData(_, chunk) {
      size += chunk.length;
      if (allowance) allowance.left -= chunk.length;
      const kept = dropper?.keep(chunk) ?? [chunk];
      for (const part of kept) keptSize += part.length;
      if (size > each || (allowance ? allowance.left < 0 : keptSize > mostKept)) refuse("too_large");
      // A part of a chunk would keep the whole of it in memory.
      else for (const part of kept) chunks.push(part.length < chunk.length ? Buffer.from(part) : part);
    },
    onResponseEnd() {
      const body = isJson ? parsed(Buffer.concat(chunks)) : undefined;
      if (body === undefined && size > 0) refuse("not_json");
      else settle({ kind: "answered", status, body, ...headers });
    },
    onResponseError: (_, error) => fail(codeOf(error)),
  });
  return promise;
}

function named(names: readonly string[], headers: Record<string, string | string[] | undefined>) {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) found[name] = String(value);
  }
  return found;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === "string" && /^\w{1,64}$/.test(code) ? code : "unknown_fault";
}
