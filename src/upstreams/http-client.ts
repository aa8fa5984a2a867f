import { Agent, type Dispatcher } from "undici";
import type { Log } from "../runtime/log.ts";

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
  /** W3C trace context to pass on. */
  traceparent?: string | undefined;
  /** How much may be read; 1 MiB unless said. */
  allowance?: Allowance | undefined;
  /** Lower-case names of the response headers to return. */
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
  /** Gets the host and code of every request that failed. */
  log: Log;
}

const longestConnect = 5000;
/** One vendor's records include a photo; its documentation shows one of 567 KiB. We must read it before we drop it. */
const mostBytes = 1024 * 1024;
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
  async send(sent: VendorRequest): Promise<HttpResult> {
    const { method, url, headers, body, traceparent } = sent;
    const { origin, host, pathname, search } = new URL(url);
    const answer = new Answer(sent, this.#timeout);
    const request: Dispatcher.DispatchOptions = {
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
    if (!answer.isOver) this.#agent.dispatch(request, answer);
    const result = await answer.result;
    if (result.kind !== "answered") {
      // Headers are a vendor's text.
      const { headers: _, ...facts } = { headers: undefined, ...result };
      this.#log.warn({ host, ...facts }, "A request to a vendor was not answered, or not readably");
    }
    return result;
  }

  /** Ends what is under way and closes all connections. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Reads one response. The first outcome counts; later events are ignored. */
class Answer implements Dispatcher.DispatchHandler {
  readonly result: Promise<HttpResult>;
  isOver = false;
  readonly #resolve: (result: HttpResult) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #sendUntil: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #wantedHeaders: readonly string[] | undefined;
  readonly #allowance: Allowance;
  readonly #chunks: Buffer[] = [];
  /** Set once the request has a connection: from then on, bytes may have been sent. */
  #controller: Dispatcher.DispatchController | undefined;
  #size = 0;
  #status = 0;
  #isJson = false;
  #headers: Record<string, string> | undefined;

  constructor({ signal, sendUntil, timeout, allowance, wantedHeaders }: VendorRequest, longest: number) {
    const { promise, resolve } = Promise.withResolvers<HttpResult>();
    this.result = promise;
    this.#resolve = resolve;
    this.#signal = signal;
    this.#sendUntil = sendUntil;
    this.#wantedHeaders = wantedHeaders;
    this.#allowance = allowance ?? { each: mostBytes, left: mostBytes };
    this.#timer = setTimeout(() => this.#break("timed_out"), Math.min(timeout ?? longest, longest));
    signal?.addEventListener("abort", this.#abort);
    sendUntil?.addEventListener("abort", this.#abortUnsent);
    if (signal?.aborted || sendUntil?.aborted) this.#abort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.isOver) controller.abort(new Error("over"));
    else this.#controller = controller;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#isJson = /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(String(headers["content-type"] ?? ""));
    if (this.#wantedHeaders) this.#headers = named(this.#wantedHeaders, headers);
    const { each, left } = this.#allowance;
    if (status >= 300 && status < 400) this.#refuse("redirect");
    else if (Number(headers["content-length"]) > Math.min(each, left)) this.#refuse("too_large");
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    this.#allowance.left -= chunk.length;
    if (this.#size > this.#allowance.each || this.#allowance.left < 0) this.#refuse("too_large");
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const body = this.#isJson ? parsed(Buffer.concat(this.#chunks)) : undefined;
    if (body === undefined && this.#size > 0) this.#refuse("not_json");
    else
      this.#settle({ kind: "answered", status: this.#status, body, ...(this.#headers && { headers: this.#headers }) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#break(codeOf(error));
  }

  readonly #abort = (): void => this.#break("aborted");

  readonly #abortUnsent = (): void => {
    if (!this.#controller) this.#abort();
  };

  #break(code: string): void {
    this.#settle({ kind: this.#controller ? "lost" : "notSent", code });
  }

  #refuse(code: "redirect" | "not_json" | "too_large"): void {
    const headers = this.#headers;
    this.#settle({ kind: "unreadable", status: this.#status, code, ...(headers && { headers }) });
  }

  #settle(result: HttpResult): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#sendUntil?.removeEventListener("abort", this.#abortUnsent);
    this.#resolve(result);
    if (result.kind !== "answered") this.#controller?.abort(new Error("over"));
  }
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
