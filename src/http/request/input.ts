import type { IncomingMessage } from "node:http";
import type { FieldError } from "../../declare/failure-detail.ts";
import { Failure } from "../../declare/failures.ts";
import type { BoundOperation } from "../../declare/operation.ts";
import { inputReader, withHints } from "../../declare/schema/validate-input.ts";
import { unreadHint } from "./hints.ts";
import { type RequestBounds, readJsonBody } from "./json-body.ts";

/** Where members of a request can be, besides the body. */
export interface Located {
  /** Parsed query string; a repeated parameter is an array. */
  query: Record<string, string | string[]>;
  path: Record<string, string>;
}

/**
 * The checked input of a request, or its failure. `inBody`: the input came in a body. `hint`: a sentence about
 * parts of the request that nothing reads, for a test key.
 */
export interface Accepted {
  input: Record<string, string>;
  inBody: boolean;
  hint: string | undefined;
  failure?: Failure;
}

/** Reads and checks the input of one operation. Returns a promise only if the input may be in a body. */
export function inputOf(
  operation: BoundOperation,
  bounds: RequestBounds,
): (request: IncomingMessage, located: Located) => Accepted | Promise<Accepted> {
  const names = Object.keys(operation.input.properties);
  const read = inputReader(operation.input);
  const accept = (given: Record<string, unknown>, inBody: boolean, query: object, body?: object): Accepted => {
    const { input, problems } = read(given);
    const accepted = { input, inBody, hint: unreadHint(operation, query, body) };
    if (problems.length === 0) return accepted;
    const sent = [...Object.keys(query), ...Object.keys(body ?? {})];
    return { ...accepted, failure: invalid(withHints(problems, given, names, sent)) };
  };

  if (operation.carriage === "body")
    return async (request, { query, path }) => {
      const body = memberOf(await readJsonBody(request, bounds)) ?? {};
      return accept({ ...body, ...path }, true, query, body);
    };
  if (operation.carriage === "query") return (_, located) => accept(standing(names, located), false, located.query);
  return (request, located) => {
    if (!hasBody(request)) return accept(standing(names, located), false, located.query);
    return readJsonBody(request, bounds).then((body) => {
      const members = memberOf(body);
      const given = merged(names, standing(names, located), members ?? {});
      return accept(given, members !== undefined, located.query, members);
    });
  };
}

/** True if the request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers["content-length"];
  return request.headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

function memberOf(body: unknown): Record<string, unknown> | undefined {
  if (body === undefined) return undefined;
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw invalid([{ field: "body", message: "The body must be a JSON object." }]);
}

function standing(names: readonly string[], { query, path }: Located): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const name of names) {
    const value = path[name] ?? query[name];
    if (value === undefined) continue;
    if (Array.isArray(value) && new Set(value).size > 1) throw conflict(name, "more than once");
    given[name] = Array.isArray(value) ? value[0] : value;
  }
  return given;
}

function merged(names: readonly string[], outside: Record<string, unknown>, body: Record<string, unknown>) {
  const given: Record<string, unknown> = {};
  for (const name of names) {
    const [here, there] = [outside[name], Object.hasOwn(body, name) ? body[name] : undefined];
    if (typeof here === "string" && typeof there === "string" && here.toUpperCase() !== there.toUpperCase())
      throw conflict(name, "in the query string and in the body");
    given[name] = there !== undefined && typeof there !== "string" ? there : (here ?? there);
  }
  return given;
}

function conflict(name: string, where: string): Failure {
  return new Failure("conflicting_parameters", `The request has ${name} ${where} with different values. Send it once.`);
}

function invalid(fields: FieldError[]): Failure {
  const [first, ...others] = fields;
  const more =
    others.length === 0
      ? ""
      : ` ${others.length} more ${others.length === 1 ? "problem is" : "problems are"} in error.fields.`;
  return new Failure("validation_failed", `${first?.message}${more}`, { fields });
}
