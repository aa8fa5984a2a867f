import { type FailurePath, failureBody } from "../../src/declare/answers/envelope.ts";
import { Failure, type FailureCode, failures } from "../../src/declare/failures.ts";
import { failuresOf, modeHeader, type Operation } from "../../src/declare/operation.ts";
import { type JsonObject, ref } from "./schema.ts";

export const exampleRequestId = "0b6f3a52-6d1e-4b7a-9a40-1c5d2e8f7b60";
const exampleTime = "2026-01-15T09:30:00.000Z";
const exampleFields = [{ field: "bvn", message: "bvn is required and must be 11 digits." }];

/** One response for each HTTP status of the operation's failures, as references to the shared responses. */
export function failureResponses(operation: Operation<never>): JsonObject {
  return Object.fromEntries(
    responsesOf(operation).map(([status, codes]) => [status, ref("responses", responseName(codes))]),
  );
}

/** The parts of the document that failures share: one response per set of codes, one example per code, the schemas. */
export function failureComponents(operations: readonly Operation<never>[], publicUrl: string) {
  const sets = operations.flatMap((operation) => responsesOf(operation));
  const used = new Set(sets.flatMap(([, codes]) => codes));
  const codes = codesInOrder.filter((code) => used.has(code));
  return {
    responses: Object.fromEntries(
      sets
        .map(([status, codes]) => [responseName(codes), response(status, codes)] as const)
        .sort(([a], [b]) => order(a) - order(b) || (a < b ? -1 : 1)),
    ),
    examples: Object.fromEntries(codes.map((code) => [code, example(code, publicUrl)])),
    schemas: { Failure: failureSchema(operations), FailureCode: failureCode, FieldError: fieldError },
  };
}

const codesInOrder = Object.keys(failures) as FailureCode[];

/** Status and codes, by status. */
function responsesOf(operation: Operation<never>): [status: number, codes: FailureCode[]][] {
  return [...Map.groupBy(failuresOf(operation), (code) => failures[code].status)].sort(([a], [b]) => a - b);
}

/** The name consists of the codes, so that a new set of codes renames no other response. */
function responseName(codes: readonly FailureCode[]): string {
  return codes.join(".");
}

function order(name: string): number {
  return codesInOrder.indexOf(name.split(".", 1)[0] as FailureCode);
}

function response(status: number, codes: readonly FailureCode[]): JsonObject {
  const names = ["X-Request-Id", "RateLimit", "RateLimit-Policy", modeHeader];
  if (status === 401) names.push("WWW-Authenticate");
  if ([409, 429, 503].includes(status) && codes.some((code) => failures[code].retryable)) names.push("Retry-After");
  return {
    description: codes.map((code) => `\`${code}\`: ${failures[code].cause}`).join("\n\n"),
    headers: Object.fromEntries(names.map((name) => [name, ref("headers", name)])),
    content: {
      "application/json": {
        schema: ref("schemas", "Failure"),
        examples: Object.fromEntries(codes.map((code) => [code, ref("examples", code)])),
      },
    },
  };
}

function example(code: FailureCode, publicUrl: string): JsonObject {
  return { summary: failures[code].cause, value: exampleFailure(code, undefined, publicUrl) };
}

/** The body of a failure as documents show it, with the further members of `path`, if given. */
export function exampleFailure(code: FailureCode, path: FailurePath | undefined, publicUrl: string) {
  const failure = new Failure(code, undefined, code === "validation_failed" ? { fields: exampleFields } : {});
  return failureBody(failure, exampleRequestId, path, publicUrl);
}

/**
 * Describes the members of an operation's failures beyond the members of every failure; undefined if there are none.
 */
export function describeFailures({ failurePayload, failureFacts }: Operation<never>): string | undefined {
  const parts: string[] = [];
  if (failurePayload) {
    const payload = JSON.stringify(failurePayload("…"), (_, value) => (isTime(value) ? exampleTime : value));
    parts.push(`Its failures also hold \`${payload.slice(1, -1)}\`, where clients look for the result.`);
  }
  if (failureFacts) {
    const names = Object.keys(failureFacts).map((name) => `\`${name}\``);
    parts.push(`Their \`error\` also holds ${names.join(", ")}.`);
  }
  return parts.length > 0 ? parts.join(" ") : undefined;
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
}

const laterCodes = codesInOrder.flatMap((code) => {
  const { since } = failures[code];
  return since === undefined ? [] : [[code, since]];
});

const failureCode = {
  type: "string",
  description: "Stable name of the failure.",
  enum: codesInOrder,
  ...(laterCodes.length > 0 ? { "x-since": Object.fromEntries(laterCodes) } : {}),
};

const fieldError = {
  type: "object",
  description: "One problem of one parameter.",
  required: ["field", "message"],
  properties: { field: { type: "string" }, message: { type: "string" } },
};

/** The one shape of all failures; members that only some operations add are optional. */
function failureSchema(operations: readonly Operation<never>[]): JsonObject {
  const facts = operations.flatMap(({ failureFacts = {} }) => Object.entries(failureFacts));
  const payloads = operations.flatMap(({ failurePayload }) => Object.entries(failurePayload?.("") ?? {}));
  return {
    type: "object",
    description: "The one shape of all failures. An operation says in its description which further members it adds.",
    required: ["success", "status", "message", "error"],
    properties: {
      success: { type: "boolean", const: false },
      status: { type: "string", const: "failed" },
      message: { type: "string", description: "A sentence for people; it may change." },
      error: {
        type: "object",
        required: ["code", "retryable", "request_id", "help"],
        properties: {
          code: ref("schemas", "FailureCode"),
          retryable: { type: "boolean", description: "Whether the same request may succeed later." },
          request_id: { type: "string", description: "Also in X-Request-Id." },
          help: { type: "string", description: "Path or URL of the page that explains the failure." },
          fields: {
            type: "array",
            description: "Every problem of a request with the code `validation_failed`.",
            items: ref("schemas", "FieldError"),
          },
          ...merged(facts, factSchema),
        },
      },
      ...merged(payloads, payloadSchema),
    },
  };
}

/** The schema of each member, by name. A member with different forms in several operations is any of these forms. */
function merged(members: [name: string, value: unknown][], schemaOf: (value: unknown) => JsonObject): JsonObject {
  const forms = new Map<string, Map<string, JsonObject>>();
  for (const [name, value] of members) {
    const schema = schemaOf(value);
    const known = forms.get(name) ?? new Map<string, JsonObject>();
    forms.set(name, known.set(JSON.stringify(schema), schema));
  }
  return Object.fromEntries(
    [...forms].map(([name, known]) => {
      const schemas = [...known.values()];
      return [name, schemas.length === 1 ? schemas[0] : { anyOf: schemas }];
    }),
  );
}

/** Another failure may have another value, so the schema only states the type. */
function factSchema(fact: unknown): JsonObject {
  return { type: fact === null ? ["string", "null"] : typeof fact };
}

/** In every failure of an operation the payload has one shape, and differs in its texts only. */
function payloadSchema(member: unknown): JsonObject {
  if (member === null) return { type: "null" };
  if (Array.isArray(member)) return { type: "array", maxItems: 0, items: {} };
  if (typeof member === "string") return { type: "string" };
  if (typeof member === "number") return { type: "integer", const: member };
  if (typeof member === "boolean") return { type: "boolean", const: member };
  const properties = Object.entries(member as object).map(([name, part]) => [name, payloadSchema(part)] as const);
  return {
    type: "object",
    required: properties.map(([name]) => name),
    properties: Object.fromEntries(properties),
  };
}
