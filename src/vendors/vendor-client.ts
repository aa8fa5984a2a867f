import type { IncomingHttpHeaders } from "node:http";
import { modeHeader, standInMode } from "../declare/operation.ts";
import type { Log } from "../runtime/log.ts";
import { type Exchanged, HttpClient, type OutgoingRequest } from "../runtime/network/http-client.ts";
import { spanWithin } from "../runtime/trace.ts";
import { LongTextDropper, longest } from "./drop-long-texts.ts";
import { standInHeader } from "./ports/stand-in.ts";

/** One request to a vendor. The URL may contain a BVN, so it must not be logged or put into an error. */
export interface VendorRequest {
  method: "GET" | "POST";
  url: string;
  /** A function receives the body as sent ("" without one), for vendors that want a signature. */
  headers?: Record<string, string> | ((body: string) => Record<string, string>);
  /** Sent as JSON. */
  body?: object;
  /** Sent as a form instead of JSON. */
  form?: Readonly<Record<string, string>>;
  /** The format of the response. Default: JSON. */
  answer?: "json" | "form";
  /** Ends the wait before the client's time-out. */
  signal?: AbortSignal | undefined;
  /** When it aborts, an unsent request is dropped; a sent request continues. */
  sendUntil?: AbortSignal | undefined;
  /** A shorter time-out than the client's, in milliseconds. */
  timeout?: number;
  /** The caller's W3C trace context. With tracing, the vendor receives the context of our span instead. */
  traceparent?: string | undefined;
  /** Limits of the response. Default: 8 MiB read, of which 1 MiB may remain without long base64 texts. */
  allowance?: Allowance | undefined;
  /** Lower-case names of response headers to return. Default: `retry-after`. */
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

/** The result of a request. `body` is undefined for an empty response. `headers`: the wanted headers. */
export type HttpResult =
  | { kind: "answered"; status: number; body: unknown; headers?: Record<string, string> }
  | { kind: "notSent"; code: string }
  | { kind: "lost"; code: string }
  | { kind: "unreadable"; status: number; code: string; headers?: Record<string, string> };

export interface VendorClientOptions {
  /** Time-out of one request in milliseconds, connection included. */
  timeout: number;
  /** Most connections to one vendor. */
  connections: number;
  /** Whether connections are reused. If so, a duplicate response can be mistaken for the next one. */
  keepAlive: boolean;
  /**
   * Whether the service is in rehearsal. If so, only responses of stand-ins are read; if not, only real ones. All other
   * responses are `unreadable`, with `no_stand_in` or `stand_in`. `either`: all responses are read.
   */
  standIns?: boolean | "either";
  /** Receives host, code and duration of every failed request. */
  log: Log;
}

const longestConnect = 5000;
/** Records contain photos and signatures, which are dropped. */
const mostRead = 8 * 1024 * 1024;
const mostKept = 1024 * 1024;
const usualHeaders = ["retry-after"];
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The HTTP client for all vendors and sources: sends and reads JSON, drops long base64 texts, and logs each failure.
 */
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
      // Response headers are a vendor's text, so they are not logged.
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

/** Checks the head of a response, and keeps the part of the body that is needed. */
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
      // Most responses state their length. A short one contains no long text.
      if (!allowance && !(length < longest)) dropper = new LongTextDropper();
      return undefined;
    },
    take: (chunk) => {
      size += chunk.length;
      if (allowance) allowance.left -= chunk.length;
      const kept = dropper?.keep(chunk) ?? [chunk];
      for (const part of kept) keptSize += part.length;
      if (size > each || (allowance ? allowance.left < 0 : keptSize > mostKept)) return "too_large";
      // A slice would keep its whole chunk in memory, so we copy it.
      return kept.map((part) => (part.length < chunk.length ? Buffer.from(part) : part));
    },
  };
}

/** Whether the response comes from a stand-in, or from a Duba that uses one. */
function isOfStandIn(headers: IncomingHttpHeaders): boolean {
  return standInHeader.toLowerCase() in headers || headers[modeHeader.toLowerCase()] === standInMode;
}

function resultOf(outcome: Exchanged, { wantedHeaders, answer }: VendorRequest): HttpResult {
  if (!("status" in outcome)) return outcome;
  const { status, headers: given } = outcome;
  const found = named(wantedHeaders ?? usualHeaders, given);
  const headers = wantedHeaders || Object.keys(found).length > 0 ? { headers: found } : {};
  if (outcome.kind === "unreadable") return { kind: "unreadable", status, code: outcome.code, ...headers };
  // Some vendors send JSON with other media types, such as text/html.
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

/** Parses a form. Undefined for an HTML page or other text. */
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
