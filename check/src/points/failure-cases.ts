import {
  fetchDataProviders,
  fetchTvAddOns,
  listCorporateBundles,
  lookupDataBundles,
  type Operation,
  verifyBvn,
} from "../document.ts";
import type { RequestChanges } from "../session.ts";
import { noCode } from "./list-points.ts";
import { otherMethod, wrongKey } from "./operation-points.ts";

/** A request that Duba refuses, and how. */
export interface FailureCase {
  name: string;
  operation: Operation;
  code: string;
  sentence: string;
  changes?: RequestChanges;
  /** Text that is appended to the operation's path. */
  after?: string;
  /** All fields that the failure names. */
  fields?: readonly string[];
  /** The name of a header of the failure, and the form of its value. */
  header?: readonly [name: string, form: RegExp];
}

const bearer = (form: RegExp) => ["www-authenticate", form] as const;
export const documented: readonly Operation[] = [
  lookupDataBundles,
  listCorporateBundles,
  verifyBvn,
  fetchTvAddOns,
  fetchDataProviders,
];

const required = [fetchTvAddOns, verifyBvn].flatMap((operation: Operation): FailureCase[] =>
  operation.required.map((name) => ({
    name: `names-${name}`,
    operation,
    code: "validation_failed",
    fields: [name],
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
  name: `${name}-${String(what).split(" ").at(-1)}`,
  operation: verifyBvn,
  code: "validation_failed" as const,
  fields: [String(name)],
  sentence: `With a \`${name}\` ${what} the failure names the field.`,
  changes: { members: { [String(name)]: value } },
}));

/** JSON with every member that the two operations with a body require. It verifies nobody. */
const memberTwice = '{"type":"","productCode":"","bvn":"","phone":"","amount":"","amount":""}';
const wrongBodies: readonly [name: string, code: string, which: string, body: string, type?: string][] = [
  ["malformed-json", "malformed_json", "that is not JSON", "{"],
  ["array-body", "validation_failed", "that is no object", "[1]"],
  ["member-twice", "conflicting_parameters", "with a member twice in one object", memberTwice],
  ["form-body", "unsupported_media_type", "of another type", "a=b", "application/x-www-form-urlencoded"],
];

export const failureCases: readonly FailureCase[] = [
  ...required,
  ...wrongForms,
  {
    name: "no-parameters",
    operation: verifyBvn,
    code: "validation_failed",
    fields: ["bvn", "phone", "amount"],
    sentence: "Without any parameter the failure names all fields at once.",
    changes: { body: "{}" },
  },
  {
    name: "unknown-provider-code",
    operation: lookupDataBundles,
    code: "provider_not_found",
    sentence: "An unknown provider is `provider_not_found`.",
    changes: { members: { provider: noCode } },
  },
  {
    name: "empty-provider",
    operation: lookupDataBundles,
    code: "validation_failed",
    fields: ["provider"],
    sentence: "An empty `provider` is `validation_failed`.",
    changes: { members: { provider: "" } },
  },
  {
    name: "two-providers",
    operation: lookupDataBundles,
    code: "conflicting_parameters",
    sentence: "`provider` and `type` with different values are `conflicting_parameters`.",
    changes: { members: { type: noCode } },
  },
  {
    name: "unknown-type-code",
    operation: fetchTvAddOns,
    code: "provider_not_found",
    sentence: "An unknown cable provider is `provider_not_found`.",
    changes: { members: { type: noCode } },
  },
  {
    name: "unknown-product",
    operation: fetchTvAddOns,
    code: "product_not_found",
    sentence: "An unknown product is `product_not_found`.",
    changes: { members: { productCode: noCode } },
  },
  ...[fetchTvAddOns, verifyBvn].flatMap((operation: Operation) =>
    wrongBodies.map(
      ([name, code, which, body, type = "application/json"]): FailureCase => ({
        name,
        operation,
        code,
        sentence: `A body ${which} is \`${code}\`.`,
        changes: { body, headers: { "Content-Type": type } },
      }),
    ),
  ),
  ...documented.flatMap((operation): FailureCase[] => [
    {
      name: "unknown-key",
      operation,
      code: "invalid_credentials",
      sentence: "A key that nobody has is `invalid_credentials`.",
      changes: { authorization: wrongKey },
      header: bearer(/^Bearer .*error="invalid_token"/),
    },
    {
      name: "method",
      operation,
      code: "method_not_allowed",
      sentence: `${otherMethod(operation.method)} is \`method_not_allowed\`, and \`Allow\` names ${operation.method}.`,
      changes: {
        method: otherMethod(operation.method),
        carriage: "query",
        members: { bvn: null, phone: null, amount: null },
      },
      header: ["allow", new RegExp(`\\b${operation.method}\\b`)],
    },
    {
      name: "trailing-slash",
      operation,
      code: "route_not_found",
      after: "/",
      sentence: "The path with a slash at its end is `route_not_found`.",
    },
  ]),
  ...documented
    .filter(({ needsKey }) => needsKey)
    .map(
      (operation): FailureCase => ({
        name: "no-key",
        operation,
        code: "missing_credentials",
        sentence: "Without a credential it is `missing_credentials`, also with an empty Bearer.",
        changes: { authorization: "Bearer " },
        header: bearer(/^Bearer\b(?!.*error=)/),
      }),
    ),
  {
    name: "undecodable",
    operation: lookupDataBundles,
    code: "malformed_request",
    after: "?provider=%zz",
    sentence: "A URL that cannot be decoded is `malformed_request`.",
  },
  {
    name: "two-values",
    operation: lookupDataBundles,
    code: "conflicting_parameters",
    after: "?type=A&type=B",
    sentence: "A parameter that stands twice with different values is `conflicting_parameters`.",
  },
  {
    name: "long-url",
    operation: lookupDataBundles,
    code: "uri_too_long",
    after: `?type=${"x".repeat(9_000)}`,
    sentence: "A URL above 8 KiB is `uri_too_long`.",
  },
  {
    name: "idempotency-key",
    operation: verifyBvn,
    code: "invalid_idempotency_key",
    sentence: "An `Idempotency-Key` with spaces is `invalid_idempotency_key`.",
    changes: { headers: { "Idempotency-Key": "two words" } },
  },
];
