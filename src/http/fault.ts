import { AnswerFault } from "../operation/answer-writer.ts";
import { Failure } from "../operation/failures.ts";
import { StoreAway } from "../storage/errors.ts";

/** The failure that a caller reads for a fault of the service. */
export function failureOf(fault: unknown): Failure {
  if (!(fault instanceof StoreAway)) return new Failure("internal_error");
  return new Failure(
    "internal_error",
    "The store of this service is out of order at the moment. Nothing was done for this request. Send it again shortly.",
    { retryAfter: 2 },
  );
}

/** What may be logged of a fault: its kind and place. A message can repeat what a caller sent. */
export function faultOf(error: unknown): object {
  if (!(error instanceof Error)) return { kind: typeof error };
  const frames = error.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  const code = (error as NodeJS.ErrnoException).code;
  return {
    kind: error.name,
    ...(typeof code === "string" ? { code } : {}),
    ...(error instanceof AnswerFault ? { reason: error.message } : {}),
    at: frames?.slice(0, 8).map((line) => line.trim()),
  };
}
