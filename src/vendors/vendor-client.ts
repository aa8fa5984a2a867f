import type { IncomingHttpHeaders } from "node:http";
import { modeHeader, standInMode } from "../declare/operation.ts";
import type { Log } from "../runtime/log.ts";
import { type Exchanged, HttpClient, type OutgoingRequest } from "../runtime/network/http-client.ts";
import { spanWithin } from "../runtime/trace.ts";
import { LongTextDropper, longest } from "./drop-long-texts.ts";
import { standInHeader } from "./ports/stand-in.ts";

/** One request to a vendor. Its URL may hold a BVN, so it never goes into a log or an error. */
export interface VendorRequest {
  method: "GET" | "POST";
  url: string;
  /** A function gets the body as we send it, for vendors that want it signed; empty without a body. */
  headers?: Record<string, string> | ((body: string) => Record<string, string>);
  /** Sent as JSON. */
  body?: object;
  /** Sent as a form, in place of `body`. */
  form?: Readonly<Record<string, string>>;
  /** How the response is written. Unless said: JSON. */
  answer?: "json" | "form";
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

/**
 * Limits on response bytes: for each response, and for all requests that share it. Bytes read are subtracted from
 * `left`.
 */
export interface Allowance {
  readonly each: number;
  left: number;
}

/**
 * The outcome of a request, as of `HttpClient`. A response is JSON, or empty: then `body` is undefined. `headers` has
 * the wanted ones.
 */
export type HttpResult =
  | { kind: "answered"; status: number; body: unknown; headers?: Record<string, string> }
  | { kind: "notSent"; code: string }
  | { kind: "lost"; code: string }
  | { kind: "unreadable"; status: number; code: string; headers?: Record<string, string> };

export interface VendorClientOptions {
  /** Milliseconds for one request, its connection and its response. */
  timeout: number;
  /** Most connections to one vendor. */
  connections: number;
  /** Whether connections are reused. If so, a duplicate response can be mistaken for the next one. */
  keepAlive: boolean;
  /**
   * Whether this is a rehearsal. Then only answers of stand-ins count, else none of them: others are `unreadable`, with
   * `no_stand_in` or `stand_in`. `either`: all answers count.
   */
  standIns?: boolean | "either";
  /** Gets the host, code and duration of every request that failed. */
  log: Log;
}

const longestConnect = 5000;
/** Records include photos and signatures, of which we keep nothing. */
const mostRead = 8 * 1024 * 1024;
const mostKept = 1024 * 1024;
const usualHeaders = ["retry-after"];
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** HTTP client for all vendors and sources: JSON both ways, without long base64, and a log line for each failure. */
export class VendorClient {
  readonly #http: HttpClient;
  readonly #timeout: number;
  readonly #log: Log;
  readonly #standIns: boolean | "either";

  constructor({ timeout, connections, keepAlive, standIns = false, log }: VendorClientOptions) {
    this.#timeout = timeout;
    this.#standIns = standIns;
    this.#log = log;
    this.#http = new HttpClient({ connections, keepAlive, connectTimeout: longestConnect });
  }

  /** Never rejects. */
  async send(request: VendorRequest): Promise<HttpResult> {
    const { method, signal, sendUntil, headers } = request;
    const body = request.form
      ? new URLSearchParams(request.form).toString()
      : request.body && JSON.stringify(request.body);
    const type = request.form ? "application/x-www-form-urlencoded" : "application/json";
    const url = new URL(request.url);
    const { host } = url;
    const span = spanWithin("vendor call", "client", { "server.address": host, "http.request.method": method });
    const traceparent = span?.traceparent ?? request.traceparent;
    const started = performance.now();
    const sending = this.#http.send({
      method,
      url,
      signal,
      sendUntil,
      ...reading(request.allowance, this.#standIns),
      headers: {
        accept: request.answer === "form" ? "application/x-www-form-urlencoded, */*" : "application/json",
        ...(body === undefined ? {} : { "content-type": type }),
        ...(traceparent === undefined ? {} : { traceparent }),
        ...(typeof headers === "function" ? headers(body ?? "") : headers),
      },
      body,
      timeout: Math.min(request.timeout ?? Number.POSITIVE_INFINITY, this.#timeout),
    });
    const result = resultOf(await sending, request);
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
  close(): void {
    this.#http.close();
  }
}

/** Refuses what is no response, and keeps what a response may hold. */
function reading(
  allowance: Allowance | undefined,
  standIns: boolean | "either",
): Pick<OutgoingRequest, "begin" | "take"> {
  const { each, left } = allowance ?? { each: mostRead, left: mostRead };
  let dropper: LongTextDropper | undefined;
  let size = 0;
  let keptSize = 0;
  return {
    begin: (status, headers) => {
      if (standIns !== "either" && isOfStandIn(headers) !== standIns) return standIns ? "no_stand_in" : "stand_in";
      if (status >= 300 && status < 400) return "redirect";
      const length = Number(headers["content-length"]);
      if (length > Math.min(each, left)) return "too_large";
      // A short response has no long text, and most say how long they are.
      if (!allowance && !(length < longest)) dropper = new LongTextDropper();
      return undefined;
    },
    take: (chunk) => {
      size += chunk.length;
      if (allowance) allowance.left -= chunk.length;
      const kept = dropper?.keep(chunk) ?? [chunk];
      for (const part of kept) keptSize += part.length;
      if (size > each || (allowance ? allowance.left < 0 : keptSize > mostKept)) return "too_large";
      // A part of a chunk would keep the whole of it in memory.
      return kept.map((part) => (part.length < chunk.length ? Buffer.from(part) : part));
    },
  };
}

/** Whether a stand-in of a vendor answers, or a Duba that rehearses with one. */
function isOfStandIn(headers: IncomingHttpHeaders): boolean {
  return standInHeader.toLowerCase() in headers || headers[modeHeader.toLowerCase()] === standInMode;
}

function resultOf(outcome: Exchanged, { wantedHeaders, answer }: VendorRequest): HttpResult {
  if (!("status" in outcome)) return outcome;
  const { status, headers: given } = outcome;
  const found = named(wantedHeaders ?? usualHeaders, given);
  const headers = wantedHeaders || Object.keys(found).length > 0 ? { headers: found } : {};
  if (outcome.kind === "unreadable") return { kind: "unreadable", status, code: outcome.code, ...headers };
  // Vendors answer with JSON under other types too, such as text/html.
  const body = answer === "form" ? parsedForm(outcome.body) : parsed(outcome.body);
  if (body === undefined && outcome.body.length > 0)
    return { kind: "unreadable", status, code: answer === "form" ? "not_a_form" : "not_json", ...headers };
  return { kind: "answered", status, body, ...headers };
}

function named(names: readonly string[], headers: IncomingHttpHeaders): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) found[name] = String(value);
  }
  return found;
}

/** The members of a form; undefined for a page, or another text that is none. */
function parsedForm(bytes: Buffer): unknown {
  const text = bytes.toString("utf8").trim();
  return /^[^\s<>{}=&]+=[^\s<>{}]*$/.test(text) ? Object.fromEntries(new URLSearchParams(text)) : undefined;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}
