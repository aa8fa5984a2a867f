import type { IncomingMessage, ServerResponse } from "node:http";
import type { ReadyForm } from "../declare/answers/ready-response.ts";
import { Failure } from "../declare/failures.ts";
import type { BoundOperation, Caller } from "../declare/operation.ts";
import type { LogFields } from "../runtime/log.ts";
import type { RateLimitState } from "../runtime/rate-limiter.ts";
import type { AccessLog } from "./access-log.ts";
import type { HttpDependencies } from "./dependencies.ts";
import { errorFieldsOf, failureResponse, serviceFailure } from "./failure-response.ts";
import type { Tally } from "./monitoring/response-counts.ts";
import { type Counted, rateLimitHeaders } from "./rate-limit.ts";
import type { Accepted, Located } from "./request/input.ts";
import { sendWhole } from "./whole-response.ts";

/** One request to an operation, and its response. */
export interface Exchange {
  readonly operation: BoundOperation;
  readonly deps: HttpDependencies;
  readonly accessLog: AccessLog;
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly asked: Located | Accepted;
  /** The caller's network address. */
  readonly address: string;
  /** Null until the caller is known, and for anonymous callers. */
  caller: Caller | null;
  /** Counts the response. Until the caller is known, the tally of callers without a credential. */
  tally: Tally;
  /** The value of `microseconds()` when the request came. */
  readonly started: number;
  /** Flat header pairs that every response carries, failures included. */
  always: readonly string[];
  /** The limiter that counted the request, if one did. */
  counted: Counted | undefined;
  rateLimit: RateLimitState | undefined;
  /** The log fields of the request, if log lines of other parts have these fields as well. */
  logged: LogFields | undefined;
}

/** Microseconds of a clock as a 32-bit integer, which wraps, so that reading the clock allocates no number. */
export const microseconds = (): number => (performance.now() * 1000) | 0;

/** Microseconds since the request came, for at most 35 minutes. */
const elapsed = ({ started }: Exchange): number => (microseconds() - started) | 0;

/**
 * Answers without a failure. `headers` is a flat list of pairs. Node sends a string body in one piece with the headers.
 */
export function send(
  exchange: Exchange,
  status: number,
  headers: readonly string[],
  body: Buffer | string | undefined,
): void {
  const { response } = exchange;
  if (!response.destroyed) response.writeHead(status, [...headers, ...ownHeaders(exchange)]).end(body);
  noteAnswer(exchange, status);
}

/** Milliseconds within which the connection of a departed caller refuses sent bytes. */
const refusing = 500;

/**
 * Answers 200, and calls `undelivered` if the connection ends before it took the last byte. A caller who has ended its
 * side of the connection may still read, or may have left, which only sending shows. So such a caller gets the last
 * byte separately, after all other bytes.
 */
export function sendUnlessGone(
  exchange: Exchange,
  headers: readonly string[],
  body: string,
  undelivered: () => void,
): void {
  const { response } = exchange;
  if (response.destroyed) undelivered();
  else response.once("close", () => response.writableFinished || undelivered());
  if (response.destroyed || !response.socket?.readableEnded) {
    send(exchange, 200, headers, body);
    return;
  }
  const bytes = Buffer.from(body);
  response.writeHead(200, [...headers, ...ownHeaders(exchange)]).write(bytes.subarray(0, -1));
  setTimeout(() => response.destroyed || response.end(bytes.subarray(-1)), refusing);
  noteAnswer(exchange, 200);
}

/** Answers 200 with bytes that were ready. */
export function sendReady(exchange: Exchange, form: ReadyForm): void {
  const isSent = !exchange.response.destroyed && sendWhole(exchange.response, form, ownHeaders(exchange));
  if (isSent) noteAnswer(exchange, 200);
  else send(exchange, 200, form.headers, form.body);
}

/** Flat header pairs of this response alone. */
function ownHeaders(exchange: Exchange): string[] {
  const own = [...exchange.always, "X-Request-Id", exchange.requestId];
  if (exchange.rateLimit) own.push(...rateLimitHeaders(exchange.rateLimit));
  if (exchange.deps.serverTiming) own.push("Server-Timing", serverTiming(exchange));
  return own;
}

/**
 * Counts, stores and logs an answer without a failure. The log has the answer only if the caller was still connected.
 */
function noteAnswer(exchange: Exchange, status: number): void {
  const { tally, deps, response } = exchange;
  const duration = elapsed(exchange);
  const ms = Math.round(duration / 1000);
  if (status === 304) tally.notModified += 1;
  else tally.ok += 1;
  tally.durations?.add(duration);
  keep(exchange, status, null, ms);
  if (deps.accessLog === "all" && !response.destroyed)
    exchange.accessLog.answered(status, { ...logFieldsOf(exchange), ms });
}

/** Answers with the failure; any other error becomes `internal_error`, and its place is logged. */
export function fail(exchange: Exchange, error: unknown): void {
  const { operation, deps, accessLog, requestId, response, tally, address, always } = exchange;
  const failure = error instanceof Failure ? error : serviceFailure(error, operation);
  if (operation.access === "own" && exchange.counted && failure.status < 500)
    exchange.rateLimit = exchange.counted.limiter.consume(exchange.counted.key);
  const duration = elapsed(exchange);
  if (failure.detail.rehearsed && failure.code === "internal_error") tally.rehearsedErrors += 1;
  else tally.failed(failure.code);
  tally.durations?.add(duration);
  const ms = Math.round(duration / 1000);
  const fields = { ...logFieldsOf(exchange), ms };
  keep(exchange, failure.status, failure, ms);
  accessLog.refused(failure, fields, address, failure === error ? undefined : errorFieldsOf(error));
  if (response.destroyed) return;
  const { status, headers, body } = failureResponse(failure, requestId, deps, address, operation, exchange.rateLimit);
  headers.push(...always);
  if (deps.serverTiming) headers.push("Server-Timing", serverTiming(exchange));
  response.writeHead(status, headers);
  response.end(body);
}

/** Stores the response for its caller to read, unless the response is about the request log itself. */
function keep(exchange: Exchange, status: number, failure: Failure | null, ms: number): void {
  const { deps, caller, operation, logged } = exchange;
  const entries = deps.responseLog;
  if (entries === null || caller === null || operation.group === "Requests") return;
  const isRoutine = failure === null && operation.pick !== undefined;
  if (!entries.takes(caller, isRoutine)) return;
  const reference = failure ? failure.detail.facts?.request_reference : logged?.reference;
  entries.note(caller, isRoutine, {
    requestId: exchange.requestId,
    operation: operation.id,
    status,
    code: failure?.code ?? null,
    wrong: failure?.detail.fields?.map(({ field }) => field).join() ?? null,
    duration: ms,
    reference: typeof reference === "string" ? reference : null,
  });
}

/** Returns the fields of every log line about the request, which identify the caller. */
export function logFieldsOf({ logged, requestId, operation, caller }: Exchange): LogFields {
  if (logged) return logged;
  const fields = { requestId, operation: operation.id };
  return caller ? { ...fields, account: caller.accountId, key: caller.keyId, mode: caller.mode } : fields;
}

function serverTiming(exchange: Exchange): string {
  return `total;dur=${(elapsed(exchange) / 1000).toFixed(2)}`;
}
