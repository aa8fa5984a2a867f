import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { answerWriter } from "../operation/answers/answer-writer.ts";
import { Failure } from "../operation/failures.ts";
import { type Answered, type BoundOperation, type Call, modeHeader, tellsMode } from "../operation/operation.ts";
import { withLogFields } from "../runtime/log.ts";
import { authenticate, requireScope } from "./authenticate.ts";
import { isUnmodified, notModifiedHeaders, uncachedHeaders } from "./conditional.ts";
import type { HttpDependencies } from "./dependencies.ts";
import { type Exchange, fail, logFieldsOf, microseconds, send } from "./exchange.ts";
import { jsonHeaders } from "./failure-response.ts";
import { limiterOf, refuseExceeded } from "./rate-limit.ts";
import { rehearsable } from "./rehearsal/rehearsable.ts";
import { rehearsedScope, scenarioName } from "./rehearsal/scenarios.ts";
import { acceptedEncoding } from "./request/content-encoding.ts";
import { inputOf, type Located } from "./request/input.ts";
import type { RequestLog } from "./request-log.ts";

/** Answers one request. */
export type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Handles every request of one operation: credential, limit, input, `run` or `pick`, answer, log line. All answers are
 * written to the socket here, so that ready and computed ones carry the same headers.
 */
export function pipeline(operation: BoundOperation, deps: HttpDependencies, requestLog: RequestLog): Serve {
  const read = inputOf(operation, deps.bounds);
  const write = answerWriter(operation.answer);
  const headerNames = Object.keys(operation.headers?.properties ?? {});
  const usual = deprecationHeaders(operation);
  const forTestKeys = tellsMode(operation) ? [...usual, modeHeader, "test"] : usual;
  const counts = deps.answers.of(operation.id);
  const isRehearsable = operation.scope === rehearsedScope && !headerNames.includes(scenarioName);
  let rehearsal: Serve | undefined;

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const raw = request.raw;
    if (isRehearsable && raw.headers[scenarioName] !== undefined) {
      rehearsal ??= pipeline(rehearsable(operation), deps, requestLog);
      return rehearsal(request, reply);
    }
    reply.hijack();
    const exchange: Exchange = {
      operation,
      deps,
      requestLog,
      request,
      response: reply.raw,
      address: deps.addressOf(raw),
      caller: null,
      counts,
      started: microseconds(),
      always: usual,
    };
    try {
      refuseUnavailable(exchange);
      // Here and below a promise is awaited only if there is one: most look-ups are answered without a wait.
      const credential = authenticate(operation, deps, raw.headers.authorization, exchange.address);
      const caller = credential instanceof Promise ? await credential : credential;
      exchange.caller = caller;
      if (caller?.mode === "test") exchange.always = forTestKeys;
      requireScope(operation, caller);
      const counted = deps.rateLimiters && limiterOf(operation, deps.rateLimiters, caller, exchange.address);
      if (counted) {
        exchange.rateLimit = counted.limiter.consume(counted.key);
        refuseExceeded(exchange.rateLimit);
      }

      if (!operation.pick) await deps.fairQueue.next();
      const reading = read(raw, { query: request.query, path: request.params } as Located);
      const accepted = reading instanceof Promise ? await reading : reading;
      const call: Call = {
        input: accepted.input,
        headers: headerNames.length === 0 ? NO_HEADERS : namedHeaders(raw, headerNames),
        caller,
        requestId: request.id,
        address: exchange.address,
      };
      if (operation.pick) {
        const ready = operation.pick(call as Call<never, never>, undefined);
        const unmodified = isUnmodified(raw.headers, ready, accepted.inBody);
        const encoding = unmodified ? "identity" : acceptedEncoding(raw.headers["accept-encoding"]);
        const making = ready.form(encoding, caller === null);
        const form = making instanceof Promise ? await making : making;
        const headers = accepted.inBody ? uncachedHeaders(form.headers, raw.url!, accepted.input) : form.headers;
        if (unmodified) {
          // A 304 does not count: polling for changes is what clients should do.
          if (counted) exchange.rateLimit = counted.limiter.refund(counted.key);
          send(exchange, 304, notModifiedHeaders(headers), undefined);
        } else send(exchange, 200, headers, form.body);
      } else {
        exchange.logged = logFieldsOf(exchange);
        const result = await withLogFields(exchange.logged, () => operation.run(call as Call<never, never>, undefined));
        const { answer, headers } = isAnswered(result) ? result : { answer: result, headers: {} };
        const body = Buffer.from(write(answer));
        send(exchange, 200, [...jsonHeaders(body.length), ...Object.entries(headers).flat()], body);
      }
    } catch (error) {
      fail(exchange, error);
    }
  };
}

const NO_HEADERS = {};

/** Flat header pairs of a deprecated operation (RFC 9745, RFC 8594). */
function deprecationHeaders({ deprecated }: BoundOperation): string[] {
  if (!deprecated) return [];
  const { since, sunset, link } = deprecated;
  return [
    "Deprecation",
    `@${Date.parse(since) / 1000}`,
    "Sunset",
    new Date(sunset).toUTCString(),
    "Link",
    `<${link}>; rel="successor-version"`,
  ];
}

function refuseUnavailable({ operation: { deprecated }, deps }: Exchange): void {
  if (deps.stopping()) throw new Failure("shutting_down", undefined, { headers: { Connection: "close" } });
  if (deprecated && deps.now() >= Date.parse(deprecated.sunset)) throw new Failure("operation_retired");
}

function namedHeaders(raw: IncomingMessage, names: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of names) {
    const value = raw.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  return headers;
}

function isAnswered(result: object): result is Answered<object> {
  return "answer" in result && "headers" in result;
}
