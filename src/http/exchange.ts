import type { ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import { Failure } from "../operation/failures.ts";
import type { BoundOperation, Caller } from "../operation/operation.ts";
import type { LogFields } from "../runtime/log.ts";
import type { RateLimitState } from "../runtime/rate-limiter.ts";
import type { HttpDependencies } from "./dependencies.ts";
import { failureAnswer, faultOf, serviceFailure } from "./failure-response.ts";
import { type TalliesByMode, tallyOf } from "./monitoring/answer-counts.ts";
import type { RequestLog } from "./request-log.ts";

/** One request to an operation, and its answer. */
export interface Exchange {
  operation: BoundOperation;
  deps: HttpDependencies;
  requestLog: RequestLog;
  request: FastifyRequest;
  response: ServerResponse;
  /** The caller's network address. */
  address: string;
  /** Null before we know who calls, and for anonymous callers. */
  caller: Caller | null;
  counts: TalliesByMode;
  /** Of `microseconds()`. */
  started: number;
  /** Flat header pairs that every answer carries, failures included. */
  always: readonly string[];
  rateLimit?: RateLimitState | undefined;
  /** What the lines of the request carry, if lines of other rooms carry it as well. */
  logged?: LogFields | undefined;
}

/** Microseconds of a clock as a 32-bit integer, which wraps: reading it allocates no number. */
export const microseconds = (): number => (performance.now() * 1000) | 0;

/** Microseconds since the request came, for at most 35 minutes. */
const elapsed = ({ started }: Exchange): number => (microseconds() - started) | 0;

/** Answers without a failure. `headers` is a flat list of pairs. */
export function send(exchange: Exchange, status: number, headers: readonly string[], body: Buffer | undefined): void {
  const { deps, requestLog, request, response, caller, counts, rateLimit, always } = exchange;
  const tally = tallyOf(counts, caller);
  if (status === 304) tally.notModified += 1;
  else tally.ok += 1;
  tally.durations?.add(elapsed(exchange));
  if (response.destroyed) return;
  const all = headers.slice();
  if (always.length > 0) all.push(...always);
  all.push("X-Request-Id", request.id);
  if (rateLimit) all.push("RateLimit-Policy", rateLimit.policy, "RateLimit", rateLimit.state);
  if (deps.serverTiming) all.push("Server-Timing", serverTiming(exchange));
  response.writeHead(status, all);
  response.end(body);
  if (deps.accessLog === "all") requestLog.answered(status, { ...logFieldsOf(exchange), ms: millisecondsOf(exchange) });
}

/** Answers with the failure; any other error becomes `internal_error`, and its place is logged. */
export function fail(exchange: Exchange, error: unknown): void {
  const { operation, deps, requestLog, request, response, caller, counts, address, always } = exchange;
  const failure = error instanceof Failure ? error : serviceFailure(error);
  const tally = tallyOf(counts, caller);
  if (failure.detail.rehearsed && failure.code === "internal_error") tally.rehearsedFaults += 1;
  else tally.failed(failure.code);
  tally.durations?.add(elapsed(exchange));
  const fields = { ...logFieldsOf(exchange), ms: millisecondsOf(exchange) };
  requestLog.refused(failure, fields, address, failure === error ? undefined : faultOf(error));
  if (response.destroyed) return;
  const { status, headers, body } = failureAnswer(failure, request.id, deps, address, operation, exchange.rateLimit);
  headers.push(...always);
  if (deps.serverTiming) headers.push("Server-Timing", serverTiming(exchange));
  response.writeHead(status, headers);
  response.end(body);
}

/** What every line about the request carries, so that it tells who called. */
export function logFieldsOf({ logged, request, operation, caller }: Exchange): LogFields {
  if (logged) return logged;
  const fields = { requestId: request.id, operation: operation.id };
  return caller ? { ...fields, account: caller.accountId, key: caller.keyId, mode: caller.mode } : fields;
}

function serverTiming(exchange: Exchange): string {
  return `total;dur=${(elapsed(exchange) / 1000).toFixed(2)}`;
}

function millisecondsOf(exchange: Exchange): number {
  return Math.round(elapsed(exchange) / 1000);
}
