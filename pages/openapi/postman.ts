import type { FailureCode } from "../../src/declare/failures.ts";
import { failures } from "../../src/declare/failures.ts";
import { failuresOf, isKeyed, type Operation, pathMembers } from "../../src/declare/operation.ts";
import { exampleFailure } from "./failure-responses.ts";
import type { JsonObject } from "./schema.ts";

/** Members whose example stands for the reader's own value, with the collection variable that holds the value. */
const variables: Record<string, string> = {
  request_reference: "{{request_reference}}",
  request_id: "{{request_id}}",
  id: "{{endpoint}}",
  idempotency_key: "{{idempotency_key}}",
  email: "{{email}}",
  password: "{{key}}",
};

/**
 * Before a request with an idempotency key: makes a new key. After each request: stores the reference and the request
 * id of a verification, or the id of an endpoint, for the next requests.
 */
const scripts = {
  prerequest: [
    "if (pm.request.method === 'POST' && pm.request.headers.has('Idempotency-Key'))",
    "  pm.collectionVariables.set('idempotency_key', pm.variables.replaceIn('{{$guid}}'));",
  ],
  test: [
    "const answer = pm.response.json();",
    "pm.test('succeeds', () => pm.expect(answer.success).to.equal(true));",
    "const reference = answer.data && answer.data.request_reference;",
    "if (reference) pm.collectionVariables.set('request_reference', reference);",
    "if (reference) pm.collectionVariables.set('request_id', pm.response.headers.get('X-Request-Id'));",
    "if (answer.data && /^ep_/.test(answer.data.id)) pm.collectionVariables.set('endpoint', answer.data.id);",
  ],
};

/**
 * The collection for Postman and its like (format 2.1): a folder for each group, a request for each operation, and as
 * its examples the worked answers and each failure. `origin` is scheme and host of the service.
 */
export function postmanCollection(
  operations: readonly Operation<never>[],
  version: string,
  origin: string,
): JsonObject {
  const groups = Map.groupBy(operations, ({ group }) => group);
  return {
    info: {
      name: `Duba ${version}`,
      description:
        "Set the variable key to a test key. Then all requests succeed in their order: " +
        "people of the sandbox are invented. Those to endpoints need a key with `events:manage`.",
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{key}}", type: "string" }] },
    event: Object.entries(scripts).map(([listen, exec]) => ({ listen, script: { type: "text/javascript", exec } })),
    variable: Object.entries({
      url: origin,
      key: "",
      email: "sandbox@example.com",
      request_reference: "",
      request_id: "",
      endpoint: "",
      idempotency_key: "",
    }).map(([key, value]) => ({ key, value })),
    item: [...groups].map(([name, members]) => ({ name, item: members.map((operation) => item(operation, origin)) })),
  };
}

function item(operation: Operation<never>, origin: string): JsonObject {
  const { id, summary, description, access, examples } = operation;
  const request = { ...requestOf(operation), description, ...(access === "own" ? { auth: { type: "noauth" } } : {}) };
  const answers = examples.map(({ summary, answer }) => response(summary, 200, answer, request));
  const failing = failuresOf(operation).map((code: FailureCode) =>
    response(code, failures[code].status, exampleFailure(code, operation, origin), request),
  );
  return { name: `${summary} (${id})`, request, response: [...answers, ...failing] };
}

function requestOf(operation: Operation<never>): JsonObject {
  const {
    method,
    path,
    carriage,
    examples: [example],
  } = operation;
  const input = Object.entries(example?.input ?? {}).map(([name, value]) => [name, variables[name] ?? value] as const);
  const inPath = pathMembers(operation);
  const whole = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => Object.fromEntries(input)[name]!);
  const rest = input.filter(([name]) => !inPath.includes(name));
  const query = carriage === "body" ? [] : rest;
  const search = query.map(([key, value]) => `${key}=${value}`).join("&");
  return {
    method,
    header: [
      ...(carriage === "body" ? [{ key: "Content-Type", value: "application/json" }] : []),
      ...(isKeyed(operation) ? [{ key: "Idempotency-Key", value: variables.idempotency_key }] : []),
    ],
    url: {
      raw: `{{url}}${whole}${search && `?${search}`}`,
      host: ["{{url}}"],
      path: whole.split("/").slice(1),
      query: query.map(([key, value]) => ({ key, value })),
    },
    ...(carriage === "body" ? { body: { mode: "raw", raw: JSON.stringify(Object.fromEntries(rest), null, 2) } } : {}),
  };
}

function response(name: string, code: number, body: unknown, originalRequest: JsonObject): JsonObject {
  const header = [{ key: "Content-Type", value: "application/json; charset=utf-8" }];
  return { name, originalRequest, code, header, body: JSON.stringify(body, null, 2) };
}
