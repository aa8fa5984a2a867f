import type { ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import { Failure } from "../operation/failures.ts";
import type { BoundOperation } from "../operation/operation.ts";
import type { RateLimitState } from "../runtime/rate-limiter.ts";
import type { HttpDependencies } from "./dependencies.ts";
import { failureAnswer, faultOf, serviceFailure } from "./failure-response.ts";

/** One request to an operation, and its answer. */
export interface Exchange {
  operation: BoundOperation;
  deps: HttpDependencies;
  request: FastifyRequest;
  response: ServerResponse;
  /** The caller's network address. */
  address: string;
  /** Answers of the operation so far, by status. */
  counts: number[];
  /** Of `performance.now()`; 0 if the time is not measured. */
  started: number;
  /** Flat header pairs that every answer carries, failures included. */
  always: readonly string[];
  rateLimit?: RateLimitState | undefined;
}

/** Answers without a failure. `headers` is a flat list of pairs. */
export function send(exchange: Exchange, status: number, headers: readonly string[], body: Buffer | undefined): void {
  const { deps, request, response, counts, rateLimit, always } = exchange;
  counts[status] = (counts[status] ?? 0) + 1;
  if (response.destroyed) return;
  const all = headers.slice();
  if (always.length > 0) all.push(...always);
  all.push("X-Request-Id", request.id);
  if (rateLimit) all.push("RateLimit-Policy", rateLimit.policy, "RateLimit", rateLimit.state);
  if (deps.serverTiming) all.push("Server-Timing", serverTiming(exchange));
  response.writeHead(status, all);
  response.end(body);
  if (deps.accessLog === "all") logLine(exchange, status);
}

/** Answers with the failure; any other error becomes `internal_error`, and its place is logged. */
export function fail(exchange: Exchange, error: unknown): void {
  const { operation, deps, request, response, counts, address, always } = exchange;
  const failure = error instanceof Failure ? error : serviceFailure(error);
  const fault = failure === error ? undefined : faultOf(error);
  counts[failure.status] = (counts[failure.status] ?? 0) + 1;
  if (fault || deps.accessLog !== "off") logLine(exchange, failure.status, failure.code, fault);
  if (response.destroyed) return;
  const { status, headers, body } = failureAnswer(failure, request.id, deps, address, operation, exchange.rateLimit);
  headers.push(...always);
  if (deps.serverTiming) headers.push("Server-Timing", serverTiming(exchange));
  response.writeHead(status, headers);
  response.end(body);
}

function serverTiming({ started }: Exchange): string {
  return `total;dur=${(performance.now() - started).toFixed(2)}`;
}

function logLine({ operation, deps, request, started }: Exchange, status: number, code?: string, fault?: object): void {
  const fields = { operation: operation.id, status, requestId: request.id, ...(code ? { code } : {}), ...fault };
  if (started > 0) Object.assign(fields, { ms: Math.round(performance.now() - started) });
  if (status >= 500) deps.log.error(fields, fault ? "fault" : "failed");
  else deps.log.info(fields, code ? "refused" : "answered");
}
