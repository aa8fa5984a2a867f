import { fetchDataProviders } from "../../catalogue/operations/fetchDataProviders.ts";
import { fetchTvAddOns } from "../../catalogue/operations/fetchTvAddOns.ts";
import { listCorporateBundles } from "../../catalogue/operations/listCorporateBundles.ts";
import { lookupDataBundles } from "../../catalogue/operations/lookupDataBundles.ts";
import { verifyBvn } from "../../identity/operations/verifyBvn.ts";
import { type FailureCode, failures } from "../../operation/failures.ts";
import type { CheckedResponse, ServerRequest } from "../ask-server.ts";
import { isObject, unless } from "../judge-response.ts";
import type { Need, Point } from "../point.ts";
import type { AnyOperation, CheckSession, RequestChanges } from "../session.ts";
import { Blocked } from "../session.ts";
import { noCode } from "./list-points.ts";
import { needsOf, otherMethod, wrongKey } from "./operation-points.ts";

/** A request that Duba refuses, and how. */
interface FailureCase {
  name: string;
  operation: AnyOperation;
  code: FailureCode;
  sentence: string;
  changes?: RequestChanges;
  /** What follows the path. */
  after?: string;
  /** All fields that the failure names. */
  fields?: readonly string[];
  /** A header that says this. */
  header?: readonly [name: string, form: RegExp];
}

const bearer = (form: RegExp) => ["www-authenticate", form] as const;
const documented: readonly AnyOperation[] = [
  lookupDataBundles,
  listCorporateBundles,
  verifyBvn,
  fetchTvAddOns,
  fetchDataProviders,
];

const required = [fetchTvAddOns, verifyBvn].flatMap((operation: AnyOperation): FailureCase[] =>
  (operation.input as { required?: string[] }).required!.map((name) => ({
    ...{ name: `names-${name}`, operation, code: "validation_failed", fields: [name] },
    sentence: `Without \`${name}\` the failure names the field \`${name}\`.`,
    changes: { members: { [name]: null } },
  })),
);

const wrongForms: readonly FailureCase[] = [
  ["bvn", "2200000001", "of ten digits"],
  ["bvn", 22000000017, "that is a number"],
  ["phone", "12345", "that is too short"],
  ["amount", "-100", "that is negative"],
  ["amount", 100, "that is a number"],
].map(([name, value, what]) => ({
  ...{ name: `${name}-${String(what).split(" ").at(-1)}`, operation: verifyBvn, code: "validation_failed" as const },
  fields: [String(name)],
  sentence: `With a \`${name}\` ${what} the failure names the field.`,
  changes: { members: { [String(name)]: value } },
}));

/** The documented failureCases, each with its status and code. */
/** It lacks no member of any operation, and verifies nobody. */
const memberTwice = '{"type":"","productCode":"","bvn":"","phone":"","amount":"","amount":""}';
const wrongBodies: readonly [name: string, code: FailureCode, which: string, body: string, type?: string][] = [
  ["malformed-json", "malformed_json", "that is not JSON", "{"],
  ["array-body", "validation_failed", "that is no object", "[]"],
  ["member-twice", "conflicting_parameters", "with a member twice in one object", memberTwice],
  ["form-body", "unsupported_media_type", "of another type", "a=b", "application/x-www-form-urlencoded"],
];

const failureCases: readonly FailureCase[] = [
  ...required,
  ...wrongForms,
  {
    ...{ name: "no-parameters", operation: verifyBvn, code: "validation_failed", fields: ["bvn", "phone", "amount"] },
    sentence: "Without any parameter the failure names all fields at once.",
    changes: { body: "{}" },
  },
  {
    ...{ name: "unknown-provider-code", operation: lookupDataBundles, code: "provider_not_found" },
    sentence: "An unknown provider is `provider_not_found`.",
    changes: { members: { provider: noCode } },
  },
  {
    ...{ name: "empty-provider", operation: lookupDataBundles, code: "validation_failed", fields: ["provider"] },
    sentence: "An empty `provider` is `validation_failed`.",
    changes: { members: { provider: "" } },
  },
  {
    ...{ name: "two-providers", operation: lookupDataBundles, code: "conflicting_parameters" },
    sentence: "`provider` and `type` with different values are `conflicting_parameters`.",
    changes: { members: { type: noCode } },
  },
  {
    ...{ name: "unknown-type-code", operation: fetchTvAddOns, code: "provider_not_found" },
    sentence: "An unknown cable provider is `provider_not_found`.",
    changes: { members: { type: noCode } },
  },
  {
    ...{ name: "unknown-product", operation: fetchTvAddOns, code: "product_not_found" },
    sentence: "An unknown product is `product_not_found`.",
    changes: { members: { productCode: noCode } },
  },
  ...[fetchTvAddOns, verifyBvn].flatMap((operation: AnyOperation) =>
    wrongBodies.map(
      ([name, code, which, body, type = "application/json"]): FailureCase => ({
        ...{ name, operation, code },
        sentence: `A body ${which} is \`${code}\`.`,
        changes: { body, headers: { "Content-Type": type } },
      }),
    ),
  ),
  ...documented.flatMap((operation): FailureCase[] => [
    {
      ...{ name: "unknown-key", operation, code: "invalid_credentials" },
      sentence: "A key that nobody has is `invalid_credentials`.",
      changes: { authorization: wrongKey },
      header: bearer(/^Bearer .*error="invalid_token"/),
    },
    {
      ...{ name: "method", operation, code: "method_not_allowed" },
      sentence: `${otherMethod(operation.method)} is \`method_not_allowed\`, and \`Allow\` names ${operation.method}.`,
      changes: {
        method: otherMethod(operation.method),
        carriage: "query",
        members: { bvn: null, phone: null, amount: null },
      },
      header: ["allow", new RegExp(`\\b${operation.method}\\b`)],
    },
    {
      ...{ name: "trailing-slash", operation, code: "route_not_found", after: "/" },
      sentence: "The path with a slash at its end is `route_not_found`.",
    },
  ]),
  ...documented
    .filter(({ access }) => access === "credential")
    .map(
      (operation): FailureCase => ({
        ...{ name: "no-key", operation, code: "missing_credentials" },
        sentence: "Without a credential it is `missing_credentials`, also with an empty Bearer.",
        changes: { authorization: "Bearer " },
        header: bearer(/^Bearer\b(?!.*error=)/),
      }),
    ),
  {
    ...{ name: "undecodable", operation: lookupDataBundles, code: "malformed_request", after: "?provider=%zz" },
    sentence: "A URL that cannot be decoded is `malformed_request`.",
  },
  {
    ...{ name: "two-values", operation: lookupDataBundles, code: "conflicting_parameters", after: "?type=A&type=B" },
    sentence: "A parameter that stands twice with different values is `conflicting_parameters`.",
  },
  {
    ...{ name: "long-url", operation: lookupDataBundles, code: "uri_too_long", after: `?type=${"x".repeat(9_000)}` },
    sentence: "A URL above 8 KiB is `uri_too_long`.",
  },
  {
    ...{ name: "idempotency-key", operation: verifyBvn, code: "invalid_idempotency_key" },
    sentence: "An `Idempotency-Key` with spaces is `invalid_idempotency_key`.",
    changes: { headers: { "Idempotency-Key": "two words" } },
  },
];

function askRefused(session: CheckSession, { operation, changes = {}, after }: FailureCase): Promise<CheckedResponse> {
  if (after === undefined) return session.call(operation, changes);
  const asked: ServerRequest = session.request(operation, {
    carriage: "query",
    members: { bvn: null, phone: null, amount: null },
  });
  const { body: _, ...rest } = asked;
  return session.ask({ ...rest, path: operation.path + after });
}

/** A request that lacks its body or its path verifies nobody, whatever the server does. */
function needsOfCase({ operation, code, changes = {}, after }: FailureCase): Need[] {
  const isKeyless = code === "invalid_credentials" || code === "missing_credentials";
  const isHarmless = changes.body !== undefined || changes.method !== undefined || after !== undefined;
  return needsOf(operation).filter((need) => (need === "key" ? !isKeyless : !isHarmless));
}

function pointOf(failureCase: FailureCase): Point {
  const { name, operation, code, sentence, fields, header } = failureCase;
  return {
    ...{ id: `${operation.id}.${name}`, part: "duba", sentence, needs: needsOfCase(failureCase) },
    check: async (session) => {
      const { status, json, headers } = await askRefused(session, failureCase);
      const error = isObject(json?.error) ? json.error : {};
      const named = Array.isArray(error.fields) ? error.fields.map((fault) => isObject(fault) && fault.field) : [];
      return [
        ...unless(status === failures[code].status, `The status is ${status}, not ${failures[code].status}.`),
        ...unless(error.code === code, `\`error.code\` is not ${code}.`),
        ...unless(
          fields === undefined || [...fields].sort().join() === named.sort().join(),
          `\`error.fields\` does not name ${fields?.join(", ")}, each once.`,
        ),
        ...unless(
          header === undefined || header[1].test(String(headers[header[0]] ?? "")),
          `The header ${header?.[0]} is missing or says something else.`,
        ),
      ];
    },
  };
}

/** One promise about all failures: a sentence for each failureCase of the sample that breaks it. */
function ofFailures(
  name: string,
  sentence: string,
  faults: (json: Record<string, unknown>, answer: CheckedResponse, failureCase: FailureCase) => string[],
): Point {
  return {
    ...{ id: `failures.${name}`, part: "duba", sentence, needs: [] },
    check: async (session) => {
      const found: string[] = [];
      for (const failureCase of sample) {
        if (session.key === "" && needsOfCase(failureCase).includes("key")) continue;
        const response = await askRefused(session, failureCase);
        if (!response.json || !isObject(response.json.error))
          throw new Blocked(`${failureCase.operation.id}.${failureCase.name}`);
        const where = `${failureCase.operation.id}.${failureCase.name}`;
        found.push(...faults(response.json, response, failureCase).map((fault) => `${where}: ${fault}`));
      }
      return found;
    },
  };
}

/** One failureCase of each documented path that verifies nobody. */
const sample = documented.map(
  ({ id }) =>
    failureCases.find(
      ({ operation, name }) =>
        operation.id === id && /^(no-parameters|unknown-type-code|method|unknown-provider-code)$/.test(name),
    )!,
);

const envelope = ["success", "status", "message", "error"];
const errorMembers = ["code", "retryable", "request_id", "help"];

export const failurePoints: readonly Point[] = [
  ...failureCases.map(pointOf),
  ofFailures(
    "envelope",
    `A failure begins with ${envelope.join(", ")}; \`error\` with ${errorMembers.join(", ")}.`,
    (json) => {
      const error = json.error as Record<string, unknown>;
      return [
        ...unless(
          Object.keys(json).slice(0, 4).join() === envelope.join(),
          "the members are others, or in another order.",
        ),
        ...unless(
          Object.keys(error).slice(0, 4).join() === errorMembers.join(),
          "the members of `error` are others, or in another order.",
        ),
        ...unless(json.status === "error", '`status` is not "error".'),
      ];
    },
  ),
  ofFailures("message", "`message` is a sentence.", ({ message }) =>
    unless(typeof message === "string" && /^\S.{8,}/s.test(message), "`message` is no sentence."),
  ),
  ofFailures("retryable", "`retryable` is that of the code.", ({ error }, _, { code }) =>
    unless(
      (error as { retryable?: unknown }).retryable === (failures[code].retryable ?? false),
      "`retryable` has another value.",
    ),
  ),
  ofFailures("help", "`help` leads to the page of the code.", ({ error }, _, { code }) =>
    unless(
      String((error as { help?: unknown }).help).endsWith(`/docs/errors#${code}`),
      "`help` does not end with /docs/errors# and the code.",
    ),
  ),
  ofFailures("request-id", "`error.request_id` is the X-Request-Id.", ({ error }, { headers }) =>
    unless((error as { request_id?: unknown }).request_id === headers["x-request-id"], "the two differ."),
  ),
  ofFailures("not-stored", "No cache may store a failure.", (_, { headers }) =>
    unless(headers["cache-control"] === "no-store", "Cache-Control is not no-store."),
  ),
  ofFailures("payload", "The payload member of the path follows `error`, empty.", (json, _, { operation }) => {
    const { success: _success, status: _status, message, error: _error, ...rest } = json;
    const wanted = operation.failurePayload?.(String(message)) ?? {};
    return unless(withoutDate(rest) === withoutDate(wanted), "the payload is another.");
  }),
  {
    ...{ id: "failures.unknown-path", part: "duba", needs: [] },
    sentence: "An unknown path is `route_not_found`.",
    check: async (session) => {
      const headers = { Accept: "application/json", "User-Agent": "duba-check" };
      const { status, json } = await session.ask({ method: "GET", path: "/api/v2/no-such-path", headers });
      const code = isObject(json?.error) ? json.error.code : undefined;
      return unless(status === 404 && code === "route_not_found", "It is not 404 with this code.");
    },
  },
];

function withoutDate(payload: Record<string, unknown>): string {
  return JSON.stringify(payload, (name, value) => (name === "date" ? "" : value));
}
