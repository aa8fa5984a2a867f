import type { Static, TObject, TSchema } from "typebox";
import { type FailureCode, failures } from "./failures.ts";
import type { ReadyAnswer } from "./ready-answer.ts";

export type Mode = "test" | "live";
/** Whether an account is given whole identity records, or a yes and a name. */
export type Answers = "full" | "masked";
export const scopes = ["catalogue:read", "identity:verify"] as const;
export type Scope = (typeof scopes)[number];

/** Who calls: what a good credential stands for. */
export interface Caller {
  accountId: string;
  keyId: string;
  mode: Mode;
  scopes: readonly Scope[];
  /** Fee of a verified BVN in kobo, if the account has its own. */
  bvnFee: number | null;
  answers: Answers;
}

/** One accepted request, its input already checked against the operation's schemas. */
export interface Call<Input = unknown, Headers = unknown> {
  input: Input;
  headers: Headers;
  /** Null when an operation that is open to anonymous callers was called without a credential. */
  caller: Caller | null;
  requestId: string;
  /** The caller's network address, as far as trusted proxies tell. */
  address: string;
}

/** An answer with headers of its own; a plain object is an answer without. */
export interface Answered<Answer> {
  answer: Answer;
  headers: Record<string, string>;
}

/** A worked example: what is sent, and what comes back. Both hold against the operation's schemas. */
export interface Example {
  summary: string;
  input?: Record<string, string>;
  answer: object;
}

interface Described {
  /** The public name: OpenAPI's operationId, the client's method, the command line's `call <id>`. */
  id: string;
  path: `/${string}`;
  summary: string;
  description: string;
  group: "Data" | "Cable TV" | "Identity" | "Credentials";
  /** False marks the operations that are not in the interface document: for compatibility, or Duba's own. */
  documented: boolean;
  /** `credential`: required. `anonymous`: open, and a credential that is sent must be good. `own`: `run` sees to it. */
  access: "credential" | "anonymous" | "own";
  scope: Scope | null;
  /** Which limit counts the call: look-ups, verifications, or attempts at a credential. */
  limit: "catalogue" | "verification" | "credential";
  /** What the operation answers beyond the failures that its access, limit and input imply. */
  failures: readonly FailureCode[];
  examples: readonly Example[];
  /** Members that follow `error` in every failure of this path, so that clients that read the payload first do not trip. */
  failurePayload?: (message: string) => Record<string, unknown>;
  /** What `error` of every failure of this path says beyond its code, unless the failure says otherwise. */
  failureFacts?: Record<string, unknown>;
  /** Days as `YYYY-MM-DD`; after `sunset` the operation answers `operation_retired`. */
  deprecated?: { since: string; sunset: string; link: string };
}

type Carried<Input extends TObject> =
  /** Members in the query string (or in the path, where the path names them). */
  | { method: "GET"; carriage: "query"; input: Input }
  /** Members in the query string, in a JSON body sent with GET, or in one sent with QUERY (RFC 10008). */
  | { method: "GET"; carriage: "query or body"; input: Input }
  | { method: "POST"; carriage: "body"; input: Input };

type Answering<Input, Headers, Answer extends TSchema, Room> =
  /** Does the work and gives the answer, which is then checked against the schema and written. */
  | {
      run: (
        call: Call<Input, Headers>,
        room: Room,
      ) => Promise<(Static<Answer> & object) | Answered<Static<Answer> & object>>;
      pick?: never;
    }
  /** Picks an answer that is already written. May be called for every request: no waiting, no work. */
  | { pick: (call: Call<Input, Headers>, room: Room) => ReadyAnswer; run?: never };

export type Specification<Input extends TObject, Headers extends TObject, Answer extends TSchema, Room> = Described &
  Carried<Input> &
  Answering<Static<Input>, Static<Headers>, Answer, Room> & {
    /** Request headers that the operation reads, by lower-case name. */
    headers?: Headers;
    answer: Answer;
  };

/** One row of the product's table: everything that is derived from an operation is derived from this value. */
export type Operation<Room> = Specification<TObject, TObject, TSchema, Room>;

/** An operation that already has its room: what the HTTP floor serves. */
export type BoundOperation = Operation<void>;

/**
 * Declares an operation. The type of `room` (what the room offers to its operations) is written on the second parameter
 * of `run` or `pick`; input and answer are typed by their schemas.
 */
export function operation<Input extends TObject, Headers extends TObject, Answer extends TSchema, Room>(
  specification: Specification<Input, Headers, Answer, Room>,
): Operation<Room> {
  return specification as unknown as Operation<Room>;
}

/** Hands the room to each of its operations. */
export function bind<Room>(operations: readonly Operation<Room>[], room: Room): BoundOperation[] {
  return operations.map(({ run, pick, ...rest }) =>
    run
      ? ({ ...rest, run: (call: Call) => run(call as never, room) } as BoundOperation)
      : ({ ...rest, pick: (call: Call) => pick(call as never, room) } as BoundOperation),
  );
}

/**
 * Answers that a test key was given carry this header with the value `test`, so that a Duba that asks another one never
 * takes an invented person for a real one.
 */
export const modeHeader = "Duba-Mode";

/** Whether all answers of an operation, failures included, say that they were made for a test key. */
export function tellsMode({ scope }: Pick<Described, "scope">): boolean {
  return scope === "identity:verify";
}

const order = Object.keys(failures) as FailureCode[];

/** Every failure an operation can answer, in the order of their status: what it declares and what its shape implies. */
export function failuresOf(operation: BoundOperation | Operation<never>): FailureCode[] {
  const codes = new Set<FailureCode>(operation.failures);
  const add = (...more: FailureCode[]) => {
    for (const code of more) codes.add(code);
  };
  add("malformed_request", "uri_too_long", "headers_too_large", "rate_limited", "internal_error", "shutting_down");
  if (operation.access === "credential") add("missing_credentials", "insufficient_scope");
  if (operation.access !== "own") add("invalid_credentials", "expired_credentials", "address_not_allowed");
  if (operation.access === "anonymous") add("missing_credentials", "insufficient_scope");
  if (Object.keys(operation.input.properties).length > 0) add("validation_failed");
  if (operation.carriage !== "body" && Object.keys(operation.input.properties).length > 0)
    add("conflicting_parameters");
  if (operation.carriage !== "query")
    add("malformed_json", "request_timeout", "body_too_large", "unsupported_media_type", "expectation_failed");
  if (operation.deprecated) add("operation_retired");
  return order.filter((code) => codes.has(code));
}
