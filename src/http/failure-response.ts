import { type FailurePath, failureBody } from "../operation/envelope.ts";
import type { Failure } from "../operation/failures.ts";

/** A failure as it goes on the wire; `headers` is a flat list of pairs. */
export interface FailureAnswer {
  status: number;
  headers: string[];
  body: string;
}

/** Writes a failure. `publicUrl` is the service's own, for its links. `path` is the operation whose path was called, if the path is known. */
export function failureAnswer(
  failure: Failure,
  requestId: string,
  { publicUrl }: { publicUrl: string },
  path?: FailurePath,
): FailureAnswer {
  const body = JSON.stringify(failureBody(failure, requestId, path, publicUrl));
  const headers = [
    "Content-Type",
    "application/json; charset=utf-8",
    "Content-Length",
    String(Buffer.byteLength(body)),
    "Cache-Control",
    "no-store",
    "X-Content-Type-Options",
    "nosniff",
    "X-Request-Id",
    requestId,
  ];
  const challenge = challenges[failure.code];
  if (challenge) headers.push("WWW-Authenticate", challenge);
  if (failure.detail.retryAfter !== undefined) headers.push("Retry-After", String(failure.detail.retryAfter));
  for (const pair of Object.entries(failure.detail.headers ?? {})) headers.push(...pair);
  return { status: failure.status, headers, body };
}

/** RFC 6750, section 3: no error code when there was no credential at all. */
const challenges: Partial<Record<Failure["code"], string>> = {
  missing_credentials: 'Bearer realm="duba"',
  invalid_credentials: 'Bearer realm="duba", error="invalid_token"',
  expired_credentials: 'Bearer realm="duba", error="invalid_token", error_description="expired"',
  insufficient_scope: 'Bearer realm="duba", error="insufficient_scope"',
};
