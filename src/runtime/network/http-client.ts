import type { LookupAddress } from "node:dns";
import type { Agent, ClientRequest, IncomingHttpHeaders } from "node:http";
import type { LookupFunction, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { urlToHttpOptions } from "node:url";
import { type BoundedAgentOptions, boundedAgent } from "./bounded-agents.ts";
import { request as requestOver } from "./node-http.ts";

export interface OutgoingRequest {
  method: string;
  url: URL;
  /** The path and query to send, if different from those of the URL. */
  path?: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** Milliseconds for everything: name look-up, connection and response. */
  timeout: number;
  /** Ends the wait sooner. */
  signal?: AbortSignal | undefined;
  /** An abort prevents sending. A request that was already sent goes on. */
  sendUntil?: AbortSignal | undefined;
  /**
   * Returns the only addresses that we may connect to, or rejects with a `code` to refuse the host. Default: the
   * addresses that this machine finds.
   */
  addressesOf?: (host: string) => Promise<LookupAddress[]>;
  /** Decides by the head of a response: a returned code refuses the response. */
  begin?: (status: number, headers: IncomingHttpHeaders) => string | undefined;
  /**
   * Returns the part of the next bytes to keep. "enough" ends the response, and any other code refuses it. Default:
   * all, up to 16 MiB.
   */
  take?: (chunk: Buffer) => Buffer[] | string;
}

/**
 * The outcome of a request. `code` comes from Duba or from Node, never from the other side.
 * - `answered`: the wanted part of the response is there.
 * - `notSent`: no byte of the request left this machine: no connection, no trusted one, or no time for one.
 * - `lost`: the request was or may have been sent, and no response came. The other side may have done the work.
 * - `unreadable`: a response was refused.
 */
export type Exchanged =
  | { kind: "answered"; status: number; headers: IncomingHttpHeaders; body: Buffer }
  | { kind: "notSent" | "lost"; code: string }
  | { kind: "unreadable"; status: number; headers: IncomingHttpHeaders; code: string };

export interface ConnectionOptions {
  /** Most connections to one host and port; more requests wait. */
  connections?: number;
  /** Keeps connections for the next request. By default each request has its own. */
  keepAlive?: boolean;
  /** Milliseconds until a connection must be open. */
  connectTimeout?: number;
}

const mostBytes = 16 * 1024 ** 2;

/**
 * The one HTTP client of Duba: follows no redirect, never retries, and bounds the time and every byte of each response.
 */
export class HttpClient {
  readonly #keepAlive: boolean;
  readonly #connectTimeout: number | undefined;
  readonly #agentOptions: BoundedAgentOptions;
  /** By protocol, made on first use. */
  readonly #agents = new Map<string, Agent>();
  readonly #underWay = new Set<(code: string) => void>();
  #isClosed = false;

  constructor({ connections = Number.POSITIVE_INFINITY, keepAlive = false, connectTimeout }: ConnectionOptions = {}) {
    this.#keepAlive = keepAlive;
    this.#connectTimeout = connectTimeout;
    this.#agentOptions = { keepAlive, maxSockets: connections };
  }

  /** Never rejects. The first outcome counts; later events are ignored. */
  send({ url, timeout, signal, sendUntil, addressesOf, begin, take = upTo(mostBytes), ...rest }: OutgoingRequest) {
    const { promise, resolve } = Promise.withResolvers<Exchanged>();
    let sending: ClientRequest | undefined;
    let connecting: NodeJS.Timeout | undefined;
    /** From here on, bytes may have been sent. */
    let isSent = false;
    let isOver = false;

    const settle = (result: Exchanged, isWhole = false) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      clearTimeout(connecting);
      signal?.removeEventListener("abort", abort);
      sendUntil?.removeEventListener("abort", abortUnsent);
      this.#underWay.delete(fail);
      if (!isWhole) sending?.destroy();
      resolve(result);
    };
    const fail = (code: string) => settle({ kind: isSent ? "lost" : "notSent", code });
    const failWith = (error: unknown) => fail(codeOf(error));
    const abort = () => fail("aborted");
    const abortUnsent = () => {
      if (!isSent) abort();
    };
    const timer = setTimeout(fail, timeout, "timed_out");
    this.#underWay.add(fail);
    signal?.addEventListener("abort", abort);
    sendUntil?.addEventListener("abort", abortUnsent);
    if (this.#isClosed || signal?.aborted || sendUntil?.aborted) abort();

    const start = (addresses?: LookupAddress[]) => {
      if (isOver) return;
      try {
        sending = this.#request(url, rest, addresses && onlyThese(addresses));
      } catch (error) {
        // Node throws for a header or path that it does not send.
        return failWith(error);
      }
      sending.on("error", failWith);
      sending.on("socket", (socket: Socket | TLSSocket) => {
        const sent = () => {
          isSent = true;
          clearTimeout(connecting);
        };
        if (!socket.connecting && !("secureConnecting" in socket && socket.secureConnecting)) return sent();
        socket.once(url.protocol === "https:" ? "secureConnect" : "connect", sent);
        if (this.#connectTimeout !== undefined) connecting = setTimeout(fail, this.#connectTimeout, "ETIMEDOUT");
      });
      sending.on("response", (response) => {
        const { headers } = response;
        const status = response.statusCode!;
        const chunks: Buffer[] = [];
        const refuse = (code: string) => settle({ kind: "unreadable", status, headers, code });
        const answered = (isWhole: boolean) =>
          settle({ kind: "answered", status, headers, body: Buffer.concat(chunks) }, isWhole);
        response.on("error", failWith);
        const refusal = begin?.(status, headers);
        if (refusal !== undefined) return refuse(refusal);
        response.on("data", (chunk: Buffer) => {
          const kept = isOver ? [] : take(chunk);
          if (kept === "enough") answered(false);
          else if (typeof kept === "string") refuse(kept);
          else chunks.push(...kept);
        });
        response.on("end", () => answered(true));
      });
      sending.end(rest.body);
    };
    if (addressesOf && !isOver) addressesOf(hostOf(url)).then(start, failWith);
    else start();
    return promise;
  }

  #request(url: URL, asked: Pick<OutgoingRequest, "method" | "path" | "headers" | "body">, lookup?: LookupFunction) {
    const { path, body } = asked;
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const request = requestOver({
      ...urlToHttpOptions(url),
      ...(path !== undefined && { path }),
      method: asked.method,
      headers: { ...length, ...asked.headers },
      agent: this.#agents.getOrInsertComputed(url.protocol, () => boundedAgent(url.protocol, this.#agentOptions)),
      ...(lookup && { lookup }),
    });
    // Whatever the agent's options say, Node would give this connection to a waiting request.
    request.shouldKeepAlive = this.#keepAlive;
    return request;
  }

  /** Ends all requests and closes all connections. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#underWay) end("closed");
    for (const agent of this.#agents.values()) agent.destroy();
  }
}

/** Returns a `take` that reads the whole response, and refuses one of more than `most` bytes. */
function upTo(most: number): (chunk: Buffer) => Buffer[] | string {
  let size = 0;
  return (chunk) => {
    size += chunk.length;
    return size > most ? "too_large" : [chunk];
  };
}

/** Returns a `lookup` that always gives these addresses. A second look-up could find unchecked addresses. */
function onlyThese(addresses: LookupAddress[]): LookupFunction {
  return (_host, { all }, found) =>
    all ? found(null, addresses) : found(null, addresses[0]!.address, addresses[0]!.family);
}

/** Returns the host of a URL, an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === "string" && /^\w{1,64}$/.test(code) ? code : "failed";
}
