import type { Failure } from "../failures.ts";

/** Members that the failures of one path carry. Every operation is a `FailurePath`. */
export interface FailurePath {
  failurePayload?: (message: string) => Record<string, unknown>;
  failureFacts?: Record<string, unknown>;
}

/**
 * The body of a failure: `{success, status, message, error:{code, retryable, request_id, help, …}, …payload}`. `path`
 * is the operation whose path was called, if the path is known. `publicUrl` is without a slash at its end, and may be
 * empty.
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
    status: "failed",
    message: failure.message,
    error: {
      code: failure.code,
      retryable: failure.retryable,
      request_id: requestId,
      help: `${publicUrl}/docs/errors#${failure.code}`,
      ...(fields ? { fields } : {}),
      ...path?.failureFacts,
      ...facts,
    },
    ...path?.failurePayload?.(failure.message),
  };
}
