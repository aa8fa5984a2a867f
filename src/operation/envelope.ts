import type { Failure, FailureCode } from "./failures.ts";

/** What a path adds to its failures; every operation is one. */
export interface FailurePath {
  failurePayload?: (message: string) => Record<string, unknown>;
  failureFacts?: Record<string, unknown>;
}

/** Where the reference page explains a failure: a whole URL if the service knows its own, else a path. */
function helpOf(code: FailureCode, publicUrl: string): string {
  return `${publicUrl}/docs/errors#${code}`;
}

/**
 * The body of a failure: `{success, status, message, error:{code, retryable, request_id, help, …}, …payload}`. `path` is
 * the operation whose path was called, if the path is known. `publicUrl` is without a slash at its end, and may be empty.
 */
export function failureBody(
  failure: Failure,
  requestId: string,
  path?: FailurePath,
  publicUrl = "",
): Record<string, unknown> {
  const { fields, facts } = failure.detail;
  return {
    success: false,
    status: "error",
    message: failure.message,
    error: {
      code: failure.code,
      retryable: failure.retryable,
      request_id: requestId,
      help: helpOf(failure.code, publicUrl),
      ...(fields ? { fields } : {}),
      ...path?.failureFacts,
      ...facts,
    },
    ...path?.failurePayload?.(failure.message),
  };
}
