/**
 * Failures that the client itself reports. `no_answer`: the connection failed, or the time ran out.
 * `unexpected_answer`: something other than Duba answered, such as a proxy. `aborted`: your signal ended the call.
 */
export type ClientCode = "no_answer" | "unexpected_answer" | "aborted";

/** Members that the client adds to `error` of every failure. */
export interface ClientFacts {
  /** HTTP status of the answer; 0 without an answer. */
  http_status: number;
  /** Seconds that the service asks you to wait. */
  retry_after?: number;
  /** Key of the verification that failed. Call again with it as `idempotencyKey`: you are charged once at most. */
  idempotency_key?: string;
}

/** What the client adds to the answer of a verification. */
export interface Keyed {
  /** Its key: yours, or the one that the client made. */
  idempotency_key: string;
  /** What the names and the birth date that you sent have in common with the record: the header `Duba-Match`. */
  match?: string;
}

/** A failure of any code. */
export interface ClientFailure {
  success: false;
  status: "failed" | "error";
  message: string;
  error: { code: string; retryable: boolean; request_id: string; help: string } & ClientFacts;
}

/**
 * What is thrown where nothing can be returned: by the events of a `for await`, and for a delivery that is not Duba's.
 */
export class DubaFailure extends Error {
  override readonly name = "DubaFailure";
  /** As in a failure that is returned. `wrong_delivery`: it is not signed with your secret, or it is not from now. */
  readonly error: ClientFailure["error"];

  constructor({ message, error }: Pick<ClientFailure, "message" | "error">) {
    super(message);
    this.error = error;
  }
}

/** An answer of the service. */
export type Success = { success: true } & Partial<Keyed> & Record<string, unknown>;

export type Outcome = Success | ClientFailure;

/** Reads an answer. What is no failure of Duba, and no success that `isWhole` accepts, becomes `unexpected_answer`. */
export function answerOf(
  status: number,
  headers: Headers,
  text: string,
  isWhole: (answer: Success) => boolean,
): Outcome {
  const body = parsed(text) as Partial<Outcome> | undefined;
  if (status === 200 && body?.success === true && isWhole(body as Success)) {
    const match = headers.get("duba-match");
    return match === null ? (body as Success) : { ...(body as Success), match };
  }
  // Gateways have failures of their own.
  const isDuba =
    body?.success === false &&
    typeof body.message === "string" &&
    typeof body.error?.code === "string" &&
    typeof body.error.retryable === "boolean";
  const failure = isDuba ? (body as ClientFailure) : notDuba(status, headers);
  failure.error.http_status = status;
  delete failure.error.retry_after;
  const wait = headers.get("retry-after") ?? "";
  if (/^\d{1,9}$/.test(wait)) failure.error.retry_after = Number(wait);
  return failure;
}

export function clientFailure(
  code: ClientCode | "wrong_delivery",
  message: string,
  retryable = code === "no_answer",
): ClientFailure {
  return {
    success: false,
    status: "failed",
    message,
    error: { code, retryable, request_id: "", help: "", http_status: 0 },
  };
}

function notDuba(status: number, headers: Headers): ClientFailure {
  const failure = clientFailure(
    "unexpected_answer",
    `The answer (HTTP ${status}) is not one of Duba. Check url, and what stands between.`,
    status === 200 || status === 408 || status === 429 || status >= 500,
  );
  failure.error.request_id = headers.get("x-request-id") ?? "";
  return failure;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}
