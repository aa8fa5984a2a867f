import { AnswerError } from "../declare/answers/answer-writer.ts";
import { type FailurePath, failureBody } from "../declare/answers/envelope.ts";
import { Failure } from "../declare/failures.ts";
import type { BoundOperation } from "../declare/operation.ts";
import { RowHeld, StoreAway } from "../storage/errors.ts";
import type { HttpDependencies } from "./dependencies.ts";
import { rateLimitHeaders } from "./rate-limit.ts";

/**
 * Writes a failure; `headers` is a flat list of pairs. `path` is the operation whose path was called, if one was.
 * Without `rateLimit` the headers show the limit of anonymous callers from that address.
 */
export function failureResponse(
  failure: Failure,
  requestId: string,
  { publicUrl, rateLimiters }: Pick<HttpDependencies, "publicUrl" | "rateLimiters">,
  address: string,
  path?: FailurePath,
  rateLimit = rateLimiters?.anonymous.peek(address),
): { status: number; headers: string[]; body: string } {
  const body = JSON.stringify(failureBody(failure, requestId, path, publicUrl));
  const headers = [...jsonHeaders(Buffer.byteLength(body)), "X-Request-Id", requestId];
  if (rateLimit) headers.push(...rateLimitHeaders(rateLimit));
  const challenge = challenges[failure.code];
  if (challenge) headers.push("WWW-Authenticate", challenge);
  if (failure.detail.retryAfter !== undefined) headers.push("Retry-After", String(failure.detail.retryAfter));
  for (const pair of Object.entries(failure.detail.headers ?? {})) headers.push(...pair);
  return { status: failure.status, headers, body };
}

/** Flat header pairs of a JSON answer that no cache may store. */
export function jsonHeaders(length: number): string[] {
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

/** RFC 6750, section 3: no error code if the request had no credential. */
const challenges: Partial<Record<Failure["code"], string>> = {
  missing_credentials: 'Bearer realm="duba"',
  invalid_credentials: 'Bearer realm="duba", error="invalid_token"',
  expired_credentials: 'Bearer realm="duba", error="invalid_token", error_description="expired"',
  insufficient_scope: 'Bearer realm="duba", error="insufficient_scope"',
};

/** Returns the failure that callers of this operation get when the service itself fails. */
export function serviceFailure(error: unknown, { method, failureFacts }: BoundOperation): Failure {
  if (!(error instanceof StoreAway)) return new Failure("internal_error");
  if (error instanceof RowHeld)
    return new Failure(
      "internal_error",
      "Other work on your account takes too long at the moment. Duba did nothing for this request. Send it again soon.",
      { retryAfter: 2 },
    );
  // If the start of a verification may or may not have been written, the verification is ended anyway: no vendor gets
  // an attempt, and nothing is charged.
  if (error.isUncertain && method !== "GET" && failureFacts === undefined)
    return new Failure(
      "internal_error",
      "The store of this service did not answer in time, so Duba may have done what you asked. " +
        "Look whether it did before you send it again.",
      { retryable: false },
    );
  return new Failure(
    "internal_error",
    "The store of this service does not work at the moment. Duba did nothing for this request. Send it again soon.",
    { retryAfter: 2 },
  );
}

/** What a log line says about an error. */
export interface ErrorFields {
  kind: string;
  code?: string;
  reason?: string;
  at?: readonly string[] | undefined;
}

/** The loggable part of an error: its kind and place, not its message, which can repeat a caller's text. */
export function errorFieldsOf(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { kind: typeof error };
  // The stack repeats the message, and lines of the message can look like frames.
  const frames = error.stack
    ?.replace(error.message, "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line));
  const code = (error as NodeJS.ErrnoException).code;
  return {
    kind: error.name,
    ...(typeof code === "string" ? { code } : {}),
    ...(error instanceof AnswerError ? { reason: error.message } : {}),
    at: frames?.slice(0, 8).map((line) => line.trim()),
  };
}
