import type { Static, TObject, TSchema } from "typebox";
import type { Limit } from "../runtime/rate-limiter.ts";
import type { AccountTerms } from "./account-terms.ts";
import type { ReadyResponse } from "./answers/ready-response.ts";
import type { OwnFees } from "./check-kind.ts";
import { type FailureCode, failures } from "./failures.ts";
import type { Version } from "./versions.ts";

/** The prefix of every operation's path. A service can serve the operations under further prefixes as well. */
export const pathPrefix = "/api/v2";

/** Moves an operation's path to another prefix. */
export function pathUnder(prefix: string, path: string): string {
  return prefix + path.slice(pathPrefix.length);
}

/** Splits a URL into the service's address and the path prefix. A URL that ends with no prefix has the usual one. */
export function withoutPrefix(url: string): { url: string; prefix: string } {
  const [, bare = url, prefix = pathPrefix] = /^(.*?)(\/api(?:\/v2)?)$/.exec(url) ?? [];
  return { url: bare, prefix };
}

export type Mode = "test" | "live";
/** What an account receives: whole identity records, or only the match and a masked name. */
export type Answers = "full" | "masked";
/** Scopes of a new key unless the operator chooses others. */
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

/** One accepted request. The input matches the operation's schemas. */
export interface Call<Input = unknown, Headers = unknown> {
  input: Input;
  headers: Headers;
  /** Null: an anonymous call of an operation that allows it. */
  caller: Caller | null;
  requestId: string;
  /** The caller's network address, from the connection or from a trusted proxy. */
  address: string;
}

/** An answer with extra headers. Operations without extra headers return the answer itself. */
export interface Answered<Answer> {
  answer: Answer;
  headers: Record<string, string>;
  /** A hint for test keys, such as a likely mistake in the request. */
  hint?: string | undefined;
  /** Called if the connection closes before the whole answer is sent. */
  undelivered?: (() => void) | undefined;
}

/** A request and its answer. Both match the operation's schemas. */
export interface Example {
  summary: string;
  input?: Record<string, string>;
  answer: object;
}

/** An account's rate limit for one operation in each mode, shared by all its keys. Rate-limit headers show the name. */
export interface OwnLimit extends Limit {
  readonly name: string;
  /** A second limit, per 24 hours. */
  readonly perDay?: number;
}

interface Described {
  /** The public name: OpenAPI's operationId, the method of generated clients, the argument of `duba call`. */
  id: string;
  /** The version that added the operation. Default: the first version. */
  since?: Version;
  path: `/${string}`;
  summary: string;
  /** Wrong path endings that callers try, without separators: `databundles` means `…/data-bundles`. */
  alsoCalled?: readonly string[];
  description: string;
  group: "Data" | "Cable TV" | "Identity" | "Wallet" | "Events" | "Requests" | "Credentials";
  /** `credential`: required. `anonymous`: optional, but a wrong one is refused. `own`: `run` checks it. */
  access: "credential" | "anonymous" | "own";
  scope: Scope | null;
  /** The rate limit that counts the call. */
  limit: "catalogue" | "verification" | "credential" | OwnLimit;
  examples: readonly Example[];
  /**
   * Members after `error` in every failure of this path, for clients that read the payload before they check `success`.
   */
  failurePayload?: (message: string) => Record<string, unknown>;
  /** Default members of `error` in every failure of this path. A failure can override them. */
  failureFacts?: Record<string, unknown>;
  /** Days as `YYYY-MM-DD`. From `sunset` on, the operation answers `operation_retired`. */
  deprecated?: { since: string; sunset: string; link: string };
}

interface Usual {
  /** Whether the OpenAPI document describes the operation. False: it serves compatibility, or only Duba itself. */
  documented: boolean;
  /** Further failures, beyond those that access, limit and input imply. */
  failures: readonly FailureCode[];
}

type Carried<Input extends TObject> =
  /**
   * How the input travels: here in the query string. With every carriage, members that the path names are in the path.
   */
  | { method: "GET" | "POST" | "DELETE"; carriage: "query"; input: Input }
  /** In the query string, or in a JSON body of GET or QUERY (RFC 10008). */
  | { method: "GET"; carriage: "query or body"; input: Input }
  | { method: "POST"; carriage: "body"; input: Input };

type Answering<Input, Headers, Answer extends TSchema, Room> =
  /** Computes the answer. The server checks it against the schema and writes it as JSON. */
  | {
      run: (
        call: Call<Input, Headers>,
        room: Room,
      ) => Promise<(Static<Answer> & object) | Answered<Static<Answer> & object>>;
      pick?: never;
    }
  /**
   * Picks a prepared answer. Runs on every request, so it must neither wait nor compute. `id`: the operation's own id.
   */
  | { pick: (call: Call<Input, Headers>, room: Room, id: string) => ReadyResponse; run?: never };

type Specification<Input extends TObject, Headers extends TObject, Answer extends TSchema, Room> = Described &
  Carried<Input> &
  Answering<Static<Input>, Static<Headers>, Answer, Room> & {
    /** Schema of the request headers that the operation reads, in lower case. */
    headers?: Headers;
    answer: Answer;
    /** Names of the operation's own response headers, for the OpenAPI document. */
    responseHeaders?: readonly string[];
  };

/** An operation as one value. Routes, documents, the command line and tests all derive from it. */
export type Operation<Room> = Specification<TObject, TObject, TSchema, Room> & Usual;

/** An operation with its dependencies bound: ready to serve over HTTP. */
export type BoundOperation = Operation<never> & { readonly room: never };

/**
 * Declares an operation. Annotate the second parameter of `run` or `pick` with the dependencies that it needs; the
 * schemas type the input and the answer.
 */
export function operation<Input extends TObject, Headers extends TObject, Answer extends TSchema, Room>(
  specification: Specification<Input, Headers, Answer, Room> & Partial<Usual>,
): Operation<Room> {
  return { documented: false, failures: [], ...specification } as unknown as Operation<Room>;
}

export function bind<Room>(operations: readonly Operation<Room>[], room: Room): BoundOperation[] {
  return operations.map((operation) => ({ ...operation, room }) as unknown as BoundOperation);
}

/**
 * This header has the value `test` in answers about identities to test keys. A Duba whose vendor is another Duba then
 * never mistakes an invented person for a real one.
 */
export const modeHeader = "Duba-Mode";

/** The header's value in all answers to live keys if the vendors are stand-ins. */
export const standInMode = "stand-in";

/** Whether all answers to a test key carry `Duba-Mode: test`, failures included. */
export function tellsMode({ scope }: Pick<Described, "scope">): boolean {
  return scope === "identity:verify";
}

/** Returns the member names in the path. */
export function pathMembers({ path }: Pick<Described, "path">): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

/** Returns the input schema without the members of the path. */
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

/** Whether the operation takes an idempotency key, which makes a repeated call safe from a second charge. */
export function isKeyed({ method, headers }: Operation<never>): boolean {
  return method === "POST" && headers?.properties["idempotency-key"] !== undefined;
}

const order = Object.keys(failures) as FailureCode[];

/** Returns all failures of an operation, declared or implied, in the order of the failure table. */
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
