import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { answerWriter } from "../operation/answer-writer.ts";
import { Failure } from "../operation/failures.ts";
import {
  type Answered,
  type BoundOperation,
  type Call,
  type Caller,
  modeHeader,
  tellsMode,
} from "../operation/operation.ts";
import type { FairQueue } from "../runtime/fair-queue.ts";
import type { Log } from "../runtime/log.ts";
import type { ConnectionBounds } from "./connections.ts";
import { codingOf } from "./content-encoding.ts";
import { failureAnswer } from "./failure-response.ts";
import { failureOf, faultOf } from "./fault.ts";
import { deprecation, pairsOf } from "./header-pairs.ts";
import type { AnswerCounts } from "./metrics.ts";
import { type AddressBucket, type Bucket, type Quota, quotaHeaders, refuseExceeded } from "./rate-limit.ts";
import type { RequestBounds } from "./request/body.ts";
import { type Accepted, inputOf, type Located } from "./request/input.ts";

/**
 * FairQueue an `Authorization` header into a caller; a promise only on the first use of a credential. Throws a `Failure`.
 * `looksUp`: for the catalogue, which is served also while the store is away.
 */
export interface Authenticator {
  isAbsent(header: string | undefined): boolean;
  credentialOf(header: string, address: string, looksUp: boolean): Caller | Promise<Caller>;
}

export interface Buckets {
  catalogue: Bucket;
  anonymous: AddressBucket;
  verification: Bucket;
}

/** What every request passes through. */
export interface Gate {
  /** The address of the caller; empty if the connection is gone. */
  addressOf(request: IncomingMessage): string;
  authenticator: Authenticator;
  /** Whether operations with access `anonymous` answer callers without a credential. */
  anonymous: boolean;
  /** Null: nobody is limited and no RateLimit header is sent. */
  buckets: Buckets | null;
  bounds: RequestBounds;
  connections: ConnectionBounds;
  /** Whether the pages for people are served. */
  docs: boolean;
  /** Where callers reach the service, without a slash at its end; empty if nobody said. */
  publicUrl: string;
  /** For what is not answered with ready bytes. */
  turns: FairQueue;
  answers: AnswerCounts;
  accessLog: "failures" | "all" | "off";
  serverTiming: boolean;
  log: Log;
  now: () => number;
  stopping: () => boolean;
}

/**
 * The way of every request through one operation: credential, limit, input, `run` or `pick`, answer, log line. Everything
 * is written to the socket here, so that ready and made answers carry their headers in one way.
 */
export function pipeline(operation: BoundOperation, gate: Gate) {
  const read = inputOf(operation, gate.bounds);
  const write = answerWriter(operation.answer);
  const headerNames = Object.keys(operation.headers?.properties ?? {});
  const usual = deprecation(operation);
  const forTestKeys = tellsMode(operation) ? [...usual, modeHeader, "test"] : usual;
  const counts = gate.answers.of(operation.id);

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.hijack();
    let always = usual;
    const exchange: Exchange = {
      operation,
      gate,
      request,
      address: gate.addressOf(request.raw),
      response: reply.raw,
      counts,
      started: gate.serverTiming ? performance.now() : 0,
    };
    try {
      const raw = request.raw;
      if (gate.stopping()) throw new Failure("shutting_down", undefined, { headers: { Connection: "close" } });
      if (operation.deprecated && gate.now() >= Date.parse(operation.deprecated.sunset))
        throw new Failure("operation_retired", undefined, { headers: pairsOf(always) });

      // Here and below a promise is awaited only if there is one: the usual look-up is answered without a wait.
      const credential = callerOf(exchange);
      const caller = credential instanceof Promise ? await credential : credential;
      if (caller?.mode === "test") always = forTestKeys;
      if (operation.scope && caller && !caller.scopes.includes(operation.scope))
        throw new Failure("insufficient_scope", `This operation needs a key with the scope ${operation.scope}.`);
      if (gate.buckets) count(exchange, gate.buckets, caller);

      if (!operation.pick) await gate.turns.next();
      const reading = read(raw, { query: request.query, path: request.params } as Located);
      const accepted = reading instanceof Promise ? await reading : reading;
      const call: Call = {
        input: accepted.input,
        headers: headerNames.length === 0 ? none : given(raw, headerNames),
        caller,
        requestId: request.id,
        address: exchange.address,
      };
      if (operation.pick) {
        const ready = operation.pick(call as Call<never, never>, undefined);
        const tags = raw.headers["if-none-match"];
        const same =
          tags === undefined
            ? isUnmodified(raw.headers["if-modified-since"], ready.modifiedAt, accepted.inBody)
            : matches(tags, ready.etag);
        const coding = same ? "identity" : codingOf(raw.headers["accept-encoding"]);
        const making = ready.form(coding, caller === null);
        const form = making instanceof Promise ? await making : making;
        const headers = accepted.inBody ? keptByNobody(form.headers, exchange, accepted) : form.headers;
        if (same) notModified(exchange, headers, caller);
        else send(exchange, 200, headers, always, form.body);
      } else {
        const result = await operation.run(call as Call<never, never>, undefined);
        const { answer, headers } = isAnswered(result) ? result : { answer: result, headers: {} };
        const body = Buffer.from(write(answer));
        send(exchange, 200, madeHeaders(body.length), [...always, ...Object.entries(headers).flat()], body);
      }
    } catch (error) {
      fail(exchange, error, always);
    }
  };
}

/** One request on its way. */
interface Exchange {
  operation: BoundOperation;
  gate: Gate;
  request: FastifyRequest;
  /** Of the caller. */
  address: string;
  response: ServerResponse;
  /** Answers of the operation so far, by status. */
  counts: number[];
  /** Of `performance.now()`; 0 when nobody asks for the time taken. */
  started: number;
  quota?: Quota | undefined;
}

const none = {};

function callerOf({ operation, gate, request, address }: Exchange): Caller | null | Promise<Caller> {
  if (operation.access === "own") return null;
  const header = request.raw.headers.authorization;
  if (header !== undefined && !gate.authenticator.isAbsent(header))
    return gate.authenticator.credentialOf(header, address, operation.scope === "catalogue:read");
  if (operation.access === "anonymous" && gate.anonymous) return null;
  throw new Failure(
    "missing_credentials",
    "This operation needs a credential. Send the header Authorization: Bearer <api key>.",
  );
}

function bucketOf(
  { operation, address }: Exchange,
  buckets: Buckets,
  caller: Caller | null,
): [Bucket | AddressBucket, string] {
  if (caller === null) return [buckets.anonymous, address];
  return operation.limit === "verification"
    ? [buckets.verification, `${caller.accountId} ${caller.mode}`]
    : [buckets.catalogue, caller.keyId];
}

function count(exchange: Exchange, buckets: Buckets, caller: Caller | null): void {
  const [bucket, key] = bucketOf(exchange, buckets, caller);
  exchange.quota = bucket.take(key);
  refuseExceeded(exchange.quota);
}

function given(raw: IncomingMessage, names: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of names) {
    const value = raw.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  return headers;
}

function matches(header: string, etag: string): boolean {
  return header.trim() === "*" || header.split(",").some((tag) => weak(tag.trim()) === weak(etag));
}

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** `inBody`: one URL names many lists then, and a date does not say of which it is. */
function isUnmodified(since: string | undefined, modifiedAt: number, inBody: boolean): boolean {
  return since !== undefined && !inBody && httpDate.test(since) && Date.parse(since) >= modifiedAt;
}

function weak(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

/** The headers that a 304 repeats of the answer it stands for (RFC 9110, section 15.4.5). */
const validators = new Set([
  "ETag",
  "Last-Modified",
  "Cache-Control",
  "Content-Location",
  "Vary",
  "Duba-Catalogue-Revision",
  "Duba-Catalogue-As-Of",
  "Duba-Catalogue-Stale",
]);

function notModified(exchange: Exchange, headers: readonly string[], caller: Caller | null): void {
  const { buckets } = exchange.gate;
  if (buckets) {
    const [bucket, key] = bucketOf(exchange, buckets, caller);
    exchange.quota = bucket.giveBack(key);
  }
  const kept = headers.filter((_, at) => validators.has(headers[at - (at % 2)]!));
  send(exchange, 304, kept, [], undefined);
}

/** A cache keyed by URL would give a body's answer to another product: nobody keeps it, and its twin is named. */
function keptByNobody(ready: readonly string[], { request }: Exchange, { input }: Accepted): string[] {
  const headers: string[] = [];
  for (let at = 0; at < ready.length; at += 2)
    headers.push(ready[at]!, ready[at] === "Cache-Control" ? "no-store" : ready[at + 1]!);
  const path = request.raw.url!.split("?", 1)[0];
  return [...headers, "Content-Location", `${path}?${new URLSearchParams(input)}`];
}

function madeHeaders(length: number): string[] {
  return [
    "Content-Type",
    "application/json; charset=utf-8",
    "Content-Length",
    String(length),
    "Cache-Control",
    "no-store",
    "X-Content-Type-Options",
    "nosniff",
  ];
}

function isAnswered(result: object): result is Answered<object> {
  return "answer" in result && "headers" in result;
}

function send(
  exchange: Exchange,
  status: number,
  headers: readonly string[],
  more: readonly string[],
  body: Buffer | undefined,
) {
  const { gate, request, response, counts, quota, started } = exchange;
  counts[status] = (counts[status] ?? 0) + 1;
  if (response.destroyed) return;
  const all = headers.slice();
  if (more.length > 0) all.push(...more);
  all.push("X-Request-Id", request.id);
  if (quota) all.push("RateLimit-Policy", quota.policy, "RateLimit", quota.state);
  if (gate.serverTiming) all.push("Server-Timing", `total;dur=${(performance.now() - started).toFixed(2)}`);
  response.writeHead(status, all);
  response.end(body);
  if (gate.accessLog === "all") logLine(exchange, status);
}

function fail(exchange: Exchange, error: unknown, always: readonly string[]): void {
  const { operation, gate, request, response, counts, started } = exchange;
  const failure = error instanceof Failure ? error : failureOf(error);
  const fault = failure === error ? undefined : faultOf(error);
  counts[failure.status] = (counts[failure.status] ?? 0) + 1;
  exchange.quota ??= gate.buckets?.anonymous.peek(exchange.address);
  if (fault || gate.accessLog !== "off") logLine(exchange, failure.status, failure.code, fault);
  if (response.destroyed) return;
  const { status, headers, body } = failureAnswer(failure, request.id, gate, operation);
  const timing = gate.serverTiming ? ["Server-Timing", `total;dur=${(performance.now() - started).toFixed(2)}`] : [];
  if (failure.code !== "operation_retired") headers.push(...always);
  response.writeHead(status, [...headers, ...quotaHeaders(exchange.quota), ...timing]);
  response.end(body);
}

function logLine({ operation, gate, request, started }: Exchange, status: number, code?: string, fault?: object): void {
  const fields = { operation: operation.id, status, requestId: request.id, ...(code ? { code } : {}), ...fault };
  if (started > 0) Object.assign(fields, { ms: Math.round(performance.now() - started) });
  if (status >= 500) gate.log.error(fields, fault ? "fault" : "failed");
  else gate.log.info(fields, code ? "refused" : "answered");
}
