import { failureBody } from "../../operation/envelope.ts";
import { Failure, type FailureCode, type FieldFault, failures } from "../../operation/failures.ts";
import { failuresOf, modeHeader, type Operation, tellsMode } from "../../operation/operation.ts";
import { inputReader } from "../../operation/validate-input.ts";
import { type JsonObject, ref } from "./schema.ts";

export const exampleRequestId = "0b6f3a52-6d1e-4b7a-9a40-1c5d2e8f7b60";
const exampleTime = "2026-01-15T09:30:00.000Z";
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** One response per HTTP status of the failures that the operation can answer, by status. */
export function failureResponses(operation: Operation<never>, publicUrl: string): JsonObject {
  const byStatus = Map.groupBy(failuresOf(operation), (code) => failures[code].status);
  const rows = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(rows.map(([status, codes]) => [status, response(operation, status, codes, publicUrl)]));
}

function response(operation: Operation<never>, status: number, codes: FailureCode[], publicUrl: string): JsonObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${failures[code].cause}`).join("\n\n"),
    headers: headers(operation, status, codes),
    content: {
      "application/json": {
        schema: schema(operation, codes),
        examples: Object.fromEntries(codes.map((code) => [code, example(operation, code, publicUrl)])),
      },
    },
  };
}

function headers(operation: Operation<never>, status: number, codes: FailureCode[]): JsonObject {
  const names = ["X-Request-Id", "RateLimit", "RateLimit-Policy"];
  if (status === 401) names.push("WWW-Authenticate");
  if ([409, 429, 503].includes(status) && codes.some((code) => failures[code].retryable)) names.push("Retry-After");
  if (tellsMode(operation)) names.push(modeHeader);
  return Object.fromEntries(names.map((name) => [name, ref("headers", name)]));
}

function example(operation: Operation<never>, code: FailureCode, publicUrl: string): JsonObject {
  const fields = code === "validation_failed" ? faultsOf(operation) : undefined;
  const failure = new Failure(code, undefined, fields ? { fields } : {});
  const body = failureBody(failure, exampleRequestId, operation, publicUrl);
  return { summary: failures[code].cause, value: withFixedTime(body) };
}

/** What a caller reads who sends nothing, or nothing but empty text where nothing is allowed. */
function faultsOf({ input }: Operation<never>): FieldFault[] {
  const read = inputReader(input);
  const { faults } = read({});
  const empty = Object.fromEntries(Object.keys(input.properties).map((name) => [name, ""]));
  return faults.length > 0 ? faults : read(empty).faults;
}

/** The document is compared byte by byte, so a time of now cannot stand in it. */
function withFixedTime(value: unknown): unknown {
  if (typeof value === "string") return isoTime.test(value) ? exampleTime : value;
  if (Array.isArray(value)) return value.map(withFixedTime);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withFixedTime(member)]));
}

/** Written out for each response: many tools merge nested `allOf` badly. */
function schema(operation: Operation<never>, codes: FailureCode[]): JsonObject {
  const facts = Object.entries(operation.failureFacts ?? {}).map(([name, fact]) => [name, factSchema(fact)] as const);
  const payload = Object.entries(operation.failurePayload?.("") ?? {});
  const fields = { type: "array", items: ref("schemas", "FieldFault") };
  return {
    type: "object",
    required: ["success", "status", "message", "error", ...payload.map(([name]) => name)],
    properties: {
      success: { type: "boolean", const: false },
      status: { type: "string", const: "error" },
      message: { type: "string", description: "A sentence for people; it may change." },
      error: {
        type: "object",
        required: ["code", "retryable", "request_id", "help", ...facts.map(([name]) => name)],
        properties: {
          code: { type: "string", enum: codes, description: "Stable public name of the failure." },
          retryable: { type: "boolean", description: "Whether the same request may succeed later." },
          request_id: { type: "string", description: "Also in X-Request-Id." },
          help: { type: "string", description: "Path or URL of the page that explains the failure." },
          ...(codes.includes("validation_failed") ? { fields } : {}),
          ...Object.fromEntries(facts),
        },
      },
      ...Object.fromEntries(payload.map(([name, member]) => [name, payloadSchema(member)])),
    },
  };
}

/** A fact may be another one in the next failure, so only its type is promised. */
function factSchema(fact: unknown): JsonObject {
  return { type: fact === null ? ["string", "null"] : typeof fact };
}

/** A payload is the same in every failure but for its texts. */
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
