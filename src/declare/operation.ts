import type { Static, TObject, TSchema } from "typebox";
import type { Limit } from "../runtime/rate-limiter.ts";
import type { AccountTerms } from "./account-terms.ts";
import type { ReadyResponse } from "./answers/ready-response.ts";
import type { OwnFees } from "./check-kind.ts";
import { type FailureCode, failures } from "./failures.ts";
import type { Version } from "./versions.ts";

/** What the path of each operation begins with. A service can serve the operations under other prefixes as well. */
export const pathPrefix = "/api/v2";

/** The path of an operation under another prefix. */
export function pathUnder(prefix: string, path: string): string {
  return prefix + path.slice(pathPrefix.length);
}

/** An address without the prefix of the paths, with which it may end, and that prefix. */
export function withoutPrefix(url: string): { url: string; prefix: string } {
  const [, bare = url, prefix = pathPrefix] = /^(.*?)(\/api(?:\/v2)?)$/.exec(url) ?? [];
  return { url: bare, prefix };
}

export type Mode = "test" | "live";
/** Whether an account receives whole identity records, or only a yes and a name. */
export type Answers = "full" | "masked";
/** What a key may do unless its operator says otherwise. */
export const usualScopes = ["catalogue:read", "identity:verify"] as const;
export const scopes = [...usualScopes, "events:manage"] as const;
export type Scope = (typeof scopes)[number];

/** The account and key behind a valid credential. */
export interface Caller {
  accountId: string;
  keyId: string;
  mode: Mode;
  scopes: readonly Scope[];
  fees: OwnFees;
  answers: Answers;
  terms: AccountTerms;
}

/** One accepted request, its input already checked against the operation's schemas. */
export interface Call<Input = unknown, Headers = unknown> {
  input: Input;
  headers: Headers;
  /** Null when an operation that is open to anonymous callers was called without a credential. */
  caller: Caller | null;
  requestId: string;
  /** The caller's network address, from the connection or a trusted proxy. */
  address: string;
}

/** An answer with extra headers. An operation without extra headers returns the plain answer. */
export interface Answered<Answer> {
  answer: Answer;
  headers: Record<string, string>;
  /** What a test key should know of its request. */
  hint?: string | undefined;
  /** Called if the connection ended before the last byte of the answer was handed to it. */
  undelivered?: (() => void) | undefined;
}

/** A request and its answer. Both match the operation's schemas. */
export interface Example {
  summary: string;
  input?: Record<string, string>;
  answer: object;
}

/** How often an account may call an operation in each mode, whatever its keys. Callers read the name in headers. */
export interface OwnLimit extends Limit {
  readonly name: string;
  /** How often in 24 hours, beside that. */
  readonly perDay?: number;
}

interface Described {
  /** The public name: OpenAPI's operationId, the method of generated clients, the argument of `duba call`. */
  id: string;
  /** The version with which it came, if not with the first. */
  since?: Version;
  path: `/${string}`;
  summary: string;
  /** Ends of paths under which callers look for it, without signs: `databundles` is `…/data-bundles`. */
  alsoCalled?: readonly string[];
  description: string;
  group: "Data" | "Cable TV" | "Identity" | "Wallet" | "Events" | "Requests" | "Credentials";
  /** `credential`: required. `anonymous`: optional, but a bad one is refused. `own`: `run` checks it. */
  access: "credential" | "anonymous" | "own";
  scope: Scope | null;
  /** The rate limit that counts the call: one of the core's, or one of its own. */
  limit: "catalogue" | "verification" | "credential" | OwnLimit;
  examples: readonly Example[];
  /**
   * Members after `error` in every failure of this path, for clients that read the payload before they check `success`.
   */
  failurePayload?: (message: string) => Record<string, unknown>;
  /** Default members of `error` in every failure of this path. A failure can override them. */
  failureFacts?: Record<string, unknown>;
  /** Days as `YYYY-MM-DD`; after `sunset` the operation answers `operation_retired`. */
  deprecated?: { since: string; sunset: string; link: string };
}

interface Usual {
  /**
   * Whether the interface document has the operation. The others serve compatibility, or are Duba's own. Default:
   * false.
   */
  documented: boolean;
  /** Failures beyond those that the access, limit and input imply. Default: none. */
  failures: readonly FailureCode[];
}

type Carried<Input extends TObject> =
  /** Members in the query string. With each carriage those that the path names are in the path. */
  | { method: "GET" | "POST" | "DELETE"; carriage: "query"; input: Input }
  /** Members in the query string, in a JSON body sent with GET, or in one sent with QUERY (RFC 10008). */
  | { method: "GET"; carriage: "query or body"; input: Input }
  | { method: "POST"; carriage: "body"; input: Input };

type Answering<Input, Headers, Answer extends TSchema, Room> =
  /** Does the work and returns the answer, which is then checked against the schema and written as JSON. */
  | {
      run: (
        call: Call<Input, Headers>,
        room: Room,
      ) => Promise<(Static<Answer> & object) | Answered<Static<Answer> & object>>;
      pick?: never;
    }
  /** Picks an answer that is already written. Runs on every request, so it must not wait or compute. `id`: its own. */
  | { pick: (call: Call<Input, Headers>, room: Room, id: string) => ReadyResponse; run?: never };

type Specification<Input extends TObject, Headers extends TObject, Answer extends TSchema, Room> = Described &
  Carried<Input> &
  Answering<Static<Input>, Static<Headers>, Answer, Room> & {
    /** Request headers that the operation reads, by lower-case name. */
    headers?: Headers;
    answer: Answer;
    /** Headers of its own that an answer may have; the OpenAPI document describes them. */
    responseHeaders?: readonly string[];
  };

/** One row of the product's table. Routes, documents, the command line and tests all derive from it. */
export type Operation<Room> = Specification<TObject, TObject, TSchema, Room> & Usual;

/** An operation with its room, which `run` and `pick` get: ready to serve over HTTP. */
export type BoundOperation = Operation<never> & { readonly room: never };

/**
 * Declares an operation. Annotate the second parameter of `run` or `pick` with the type of the room; the schemas type
 * the input and the answer.
 */
export function operation<Input extends TObject, Headers extends TObject, Answer extends TSchema, Room>(
  specification: Specification<Input, Headers, Answer, Room> & Partial<Usual>,
): Operation<Room> {
  return { documented: false, failures: [], ...specification } as unknown as Operation<Room>;
}

/** Binds operations to their room. */
export function bind<Room>(operations: readonly Operation<Room>[], room: Room): BoundOperation[] {
  return operations.map((operation) => ({ ...operation, room }) as unknown as BoundOperation);
}

/**
 * Answers to a test key carry this header with the value `test`, so that a Duba with another Duba as its vendor never
 * mistakes an invented person for a real one.
 */
export const modeHeader = "Duba-Mode";

/** The value of that header in all answers to live keys of a service that rehearses with stand-ins of vendors. */
export const standInMode = "stand-in";

/** Whether all answers of an operation to a test key, failures included, carry `Duba-Mode: test`. */
export function tellsMode({ scope }: Pick<Described, "scope">): boolean {
  return scope === "identity:verify";
}

/** The names of the members that an operation's path holds. */
export function pathMembers({ path }: Pick<Described, "path">): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

/** The input of an operation without the members in its path. */
export function inputBesidePath({ path, input }: Pick<Operation<never>, "path" | "input">): TObject {
  const inPath = pathMembers({ path });
  if (inPath.length === 0) return input;
  const { properties, required = [], ...rest } = input as TObject & { required?: string[] };
  const isBeside = (name: string) => !inPath.includes(name);
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isBeside(name))),
    required: required.filter(isBeside),
  } as unknown as TObject;
}

/** Whether the operation takes an idempotency key, so that a caller can repeat it without being charged twice. */
export function isKeyed({ method, headers }: Operation<never>): boolean {
  return method === "POST" && headers?.properties["idempotency-key"] !== undefined;
}

const order = Object.keys(failures) as FailureCode[];

/** Every failure that an operation can answer, declared or implied, in the order of the table of failures. */
export function failuresOf(operation: Operation<never>): FailureCode[] {
  const codes = new Set<FailureCode>(operation.failures);
  const add = (...more: FailureCode[]) => {
    for (const code of more) codes.add(code);
  };
  add("malformed_request", "uri_too_long", "headers_too_large", "rate_limited", "internal_error", "shutting_down");
  if (operation.access === "credential") add("missing_credentials");
  if (operation.access === "credential" && operation.scope !== null) add("insufficient_scope");
  if (operation.access !== "own") add("invalid_credentials", "expired_credentials", "address_not_allowed");
  if (operation.access === "anonymous") add("missing_credentials", "insufficient_scope");
  if (Object.keys(operation.input.properties).length > 0) add("validation_failed");
  if (operation.carriage !== "query")
    add("malformed_json", "request_timeout", "body_too_large", "unsupported_media_type", "expectation_failed");
  if (operation.carriage !== "query" || Object.keys(operation.input.properties).length > 0)
    add("conflicting_parameters");
  if (operation.deprecated) add("operation_retired");
  return order.filter((code) => codes.has(code));
}
