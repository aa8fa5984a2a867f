import type { IncomingMessage, ServerResponse } from "node:http";
import { answerWriter } from "../declare/answers/answer-writer.ts";
import { Failure } from "../declare/failures.ts";
import {
  type Answered,
  type BoundOperation,
  type Call,
  type Caller,
  modeHeader,
  standInMode,
  tellsMode,
} from "../declare/operation.ts";
import { withLogFields } from "../runtime/log.ts";
import type { AccessLog } from "./access-log.ts";
import { authenticate, requireScope } from "./authenticate.ts";
import { isUnmodified, notModifiedHeaders, uncachedHeaders } from "./conditional.ts";
import type { HttpDependencies } from "./dependencies.ts";
import { type Exchange, fail, logFieldsOf, microseconds, send, sendReady, sendUnlessGone } from "./exchange.ts";
import { jsonHeaders } from "./failure-response.ts";
import { limiterOf, refuseExceeded } from "./rate-limit.ts";
import { changesNothing, rehearsable } from "./rehearsal/rehearsable.ts";
import { rehearsedScope, scenarioHeader, scenarioName } from "./rehearsal/scenarios.ts";
import { acceptedEncoding } from "./request/content-encoding.ts";
import { headerHints, keyHint, withHint } from "./request/hints.ts";
import { type Accepted, inputOf, type Located } from "./request/input.ts";

/** Answers one request. `asked` is read from the request, or known from an earlier request for an equal target. */
export type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  asked: Located | Accepted,
) => void;

/**
 * Handles every request of one operation: credential, limit, input, `run` or `pick`, answer, log line. All answers are
 * written to the socket here, so that ready and computed ones have equal headers. A step only makes a promise if it
 * must wait, so most look-ups are answered before `Serve` returns. `onPicked` gets input without a body that led to a
 * ready response.
 */
export function pipeline(
  operation: BoundOperation,
  deps: HttpDependencies,
  accessLog: AccessLog,
  onPicked: (request: IncomingMessage, accepted: Accepted) => void,
): Serve {
  const read = inputOf(operation, deps.bounds);
  const write = answerWriter(operation.answer);
  const headerNames = Object.keys(operation.headers?.properties ?? {});
  const usual = deprecationHeaders(operation);
  const retiredAt = operation.deprecated && Date.parse(operation.deprecated.sunset);
  const forTestKeys = tellsMode(operation) ? [...usual, modeHeader, "test"] : usual;
  const forLiveKeys = deps.standIns ? [...usual, modeHeader, standInMode] : usual;
  const counts = deps.answers.of(operation.id);
  const isRehearsable = operation.scope === rehearsedScope && !headerNames.includes(scenarioName);
  let rehearsal: Serve | undefined;

  const begin = (exchange: Exchange): Later => {
    if (deps.lifecycle.stage === "stopping")
      throw new Failure("shutting_down", undefined, { headers: { Connection: "close" } });
    if (retiredAt !== undefined && deps.now() >= retiredAt) throw new Failure("operation_retired");
    const { authorization } = exchange.request.headers;
    if (authorization === undefined) tell(exchange, keyHint(exchange.request));
    const caller = authenticate(operation, deps, authorization, exchange.address);
    return caller instanceof Promise ? caller.then((known) => admit(exchange, known)) : admit(exchange, caller);
  };

  const admit = (exchange: Exchange, caller: Caller | null): Later => {
    exchange.caller = caller;
    exchange.tally = counts[caller?.mode ?? "none"];
    if (caller?.mode === "test") {
      const { headers } = exchange.request;
      exchange.always = forTestKeys;
      if (operation.scope !== rehearsedScope && headers[scenarioName] !== undefined)
        throw changesNothing(`${scenarioHeader} changes nothing here: only look-ups of the catalogue have scenarios.`);
      for (const hint of headerHints(headerNames, headers)) tell(exchange, hint);
    } else if (caller) exchange.always = forLiveKeys;
    requireScope(operation, caller);
    const counted = deps.rateLimiters && limiterOf(operation, deps.rateLimiters, caller, exchange.address);
    if (counted) {
      exchange.counted = counted;
      // An exchange of credentials counts only if it fails.
      exchange.rateLimit = counted.limiter[operation.access === "own" ? "peek" : "consume"](counted.key);
      refuseExceeded(exchange.rateLimit);
    }
    if (!operation.pick) return run(exchange);
    return whenThere(readInput(exchange), (accepted) => pick(exchange, accepted));
  };

  const tell = (exchange: Exchange, hint: string | undefined): void => {
    if (hint !== undefined) exchange.always = withHint(exchange.always, hint);
  };

  /** Gives a test key a hint about parts of the request that nothing reads, even if the request fails. */
  const checkInput = (exchange: Exchange, { hint, failure }: Accepted): void => {
    if (exchange.caller?.mode === "test") tell(exchange, hint);
    if (failure) throw failure;
  };

  const readInput = ({ request, asked }: Exchange): Accepted | Promise<Accepted> =>
    "input" in asked ? asked : read(request, asked);

  const callOf = ({ request, requestId, caller, address }: Exchange, { input }: Accepted): Call<never, never> => {
    const headers: Record<string, string> = {};
    for (const name of headerNames) {
      const value = request.headers[name];
      if (typeof value === "string") headers[name] = value;
    }
    return { input: input as never, headers: headers as never, caller, requestId, address };
  };

  const pick = (exchange: Exchange, accepted: Accepted): Later => {
    const { request, caller } = exchange;
    const { input, inBody } = accepted;
    checkInput(exchange, accepted);
    const ready = operation.pick!(callOf(exchange, accepted), operation.room, operation.id);
    const unmodified = isUnmodified(request.headers, ready, inBody);
    const encoding = unmodified ? "identity" : acceptedEncoding(request.headers["accept-encoding"]);
    return whenThere(ready.form(encoding, caller === null), (form) => {
      if (!inBody && !unmodified) {
        sendReady(exchange, form);
        if (accepted !== exchange.asked) onPicked(request, accepted);
        return undefined;
      }
      const headers = inBody ? uncachedHeaders(form.headers, request.url!, input) : form.headers;
      if (unmodified) sendNotModified(exchange, headers);
      else send(exchange, 200, headers, form.body);
      return undefined;
    });
  };

  const run = async (exchange: Exchange): Promise<void> => {
    await deps.fairQueue.next();
    const accepted = await readInput(exchange);
    checkInput(exchange, accepted);
    exchange.logged = logFieldsOf(exchange);
    const call = callOf(exchange, accepted);
    const result = await withLogFields(exchange.logged, operation.run!, call, operation.room);
    const isAlone = !("answer" in result && "headers" in result);
    const { answer, headers, hint, undelivered } = isAlone
      ? { answer: result, headers: {} }
      : (result as Answered<object>);
    if (exchange.caller?.mode === "test") tell(exchange, hint);
    const body = write(answer);
    const all = [...jsonHeaders(Buffer.byteLength(body)), ...Object.entries(headers).flat()];
    if (undelivered) sendUnlessGone(exchange, all, body, undelivered);
    else send(exchange, 200, all, body);
  };

  return (request, response, requestId, asked) => {
    if (isRehearsable && request.headers[scenarioName] !== undefined) {
      rehearsal ??= pipeline(rehearsable(operation), deps, accessLog, onPicked);
      return rehearsal(request, response, requestId, asked);
    }
    const exchange: Exchange = {
      operation,
      deps,
      accessLog,
      requestId,
      request,
      response,
      asked,
      address: deps.addressOf(request),
      caller: null,
      tally: counts.none,
      started: microseconds(),
      always: usual,
      counted: undefined,
      rateLimit: undefined,
      logged: undefined,
    };
    try {
      begin(exchange)?.catch((error) => fail(exchange, error));
    } catch (error) {
      fail(exchange, error);
    }
  };
}

/** A promise of work that still runs; undefined if all is done. */
type Later = Promise<void> | undefined;

/** Calls `next` with a value, immediately unless the value is a promise. */
function whenThere<Value>(value: Value | Promise<Value>, next: (value: Value) => Later): Later {
  return value instanceof Promise ? value.then(next) : next(value);
}

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

function sendNotModified(exchange: Exchange, headers: readonly string[]): void {
  // A 304 does not count, because clients should poll for changes.
  exchange.rateLimit = exchange.counted?.limiter.refund(exchange.counted.key);
  send(exchange, 304, notModifiedHeaders(headers), undefined);
}
