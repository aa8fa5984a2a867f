import { Agent, type Dispatcher } from "undici";
import type { UpstreamLog } from "./vendor.ts";

/** One request to a vendor. Its URL may hold a BVN, so it is never told to anybody else. */
export interface Asking {
  method: "GET" | "POST";
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: object;
  /** Ends the wait before the exchange's own time-out does. */
  signal?: AbortSignal;
  /** W3C trace context to pass on. */
  traceparent?: string | undefined;
}

/**
 * What became of a request. `code` is a word of ours, of Node or of undici, never a vendor's text.
 * - `answered`: JSON, or a body without a byte (then `body` is undefined).
 * - `notSent`: no byte of the request left this machine: no connection, no trusted one, or no time for one.
 * - `lost`: it was sent, or may have been, and nobody knows what became of it.
 * - `unreadable`: an answer that cannot be trusted.
 */
export type Exchanged =
  | { kind: "answered"; status: number; body: unknown }
  | { kind: "notSent"; code: string }
  | { kind: "lost"; code: string }
  | { kind: "unreadable"; status: number; code: "redirect" | "not_json" | "too_large" };

export interface ExchangeOptions {
  /** Milliseconds for one request, its connection and its answer. */
  timeout: number;
  /** Most connections to one vendor. */
  connections: number;
  /** Told the host and the code of every request that was not answered. */
  log: UpstreamLog;
}

const longestConnect = 5000;
/** One vendor's records carry a photo, and its documentation shows one of 567 KiB. It is dropped, but must be read. */
const mostBytes = 1024 * 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The way out to every vendor: kept connections, no redirects followed, no answer above 1 MiB, no retries. */
export class Exchange {
  readonly #agent: Agent;
  readonly #timeout: number;
  readonly #log: UpstreamLog;

  constructor({ timeout, connections, log }: ExchangeOptions) {
    this.#timeout = timeout;
    this.#log = log;
    this.#agent = new Agent({
      connections,
      pipelining: 1,
      allowH2: false,
      connect: { timeout: Math.min(longestConnect, timeout) },
      // The exchange's own time-out covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Never rejects. */
  async ask({ method, url, headers, body, signal, traceparent }: Asking): Promise<Exchanged> {
    const { origin, host, pathname, search } = new URL(url);
    const answer = new Answer(signal, this.#timeout);
    const request: Dispatcher.DispatchOptions = {
      method,
      origin,
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
    const exchanged = await answer.exchanged;
    if (exchanged.kind !== "answered")
      this.#log.warn({ host, ...exchanged }, "A request to an identity vendor was not answered, or not readably");
    return exchanged;
  }

  /** Ends what is under way and closes all connections. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Takes in one answer. What comes first settles it; all that comes later is ignored. */
class Answer implements Dispatcher.DispatchHandler {
  readonly exchanged: Promise<Exchanged>;
  isOver = false;
  readonly #resolve: (exchanged: Exchanged) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  /** Set once the request has a connection: from then on bytes may have left. */
  #controller: Dispatcher.DispatchController | undefined;
  #size = 0;
  #status = 0;
  #isJson = false;

  constructor(signal: AbortSignal | undefined, timeout: number) {
    const { promise, resolve } = Promise.withResolvers<Exchanged>();
    this.exchanged = promise;
    this.#resolve = resolve;
    this.#signal = signal;
    this.#timer = setTimeout(() => this.#break("timed_out"), timeout);
    signal?.addEventListener("abort", this.#abort);
    if (signal?.aborted) this.#abort();
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
    if (status >= 300 && status < 400) this.#refuse("redirect");
    else if (Number(headers["content-length"]) > mostBytes) this.#refuse("too_large");
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > mostBytes) this.#refuse("too_large");
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const body = this.#isJson ? parsed(Buffer.concat(this.#chunks)) : undefined;
    if (body === undefined && this.#size > 0) this.#refuse("not_json");
    else this.#settle({ kind: "answered", status: this.#status, body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#break(codeOf(error));
  }

  readonly #abort = (): void => this.#break("aborted");

  #break(code: string): void {
    this.#settle({ kind: this.#controller ? "lost" : "notSent", code });
  }

  #refuse(code: "redirect" | "not_json" | "too_large"): void {
    this.#settle({ kind: "unreadable", status: this.#status, code });
  }

  #settle(exchanged: Exchanged): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#resolve(exchanged);
    if (exchanged.kind !== "answered") this.#controller?.abort(new Error("over"));
  }
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
