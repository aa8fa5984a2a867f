import type { TSchema } from "typebox";
import openapi from "../../openapi.json" with { type: "json" };

/** An operation as the document describes it, with the needs of its requests. */
export interface Operation {
  id: string;
  method: string;
  path: `/${string}`;
  /** Whether the interface document has the operation. All other operations serve compatibility, or are Duba's own. */
  documented: boolean;
  needsKey: boolean;
  /** Whether a request may verify a person or return data of a person. */
  isAboutPeople: boolean;
  /** Whether the operation needs a permission that only an operator can add to a key. */
  isByPermission: boolean;
  /** Where the members are, unless a request says otherwise. */
  carriage: "query" | "body";
  required: readonly string[];
  /** What the document shows for each member. */
  examples: Readonly<Record<string, unknown>>;
  answer: TSchema;
  /** The first answer that the document shows. */
  answered: Readonly<Record<string, unknown>>;
}

interface Content {
  content: { "application/json": { schema: TSchema; examples?: Record<string, { value: Record<string, unknown> }> } };
}

interface Described {
  operationId: string;
  description: string;
  security: object[];
  parameters?: { name: string; in: string; required?: boolean; example?: unknown }[];
  requestBody?: Content;
  responses: Record<string, { $ref: string }> & { 200: Content };
}

/** The first part of the path of each operation. */
export const pathPrefix = "/api/v2";
/** The operations of the interface document, in its order. */
const documentedIds = ["lookupDataBundles", "listCorporateBundles", "fetchTvAddOns", "fetchDataProviders", "verifyBvn"];
const { paths, components } = openapi as unknown as {
  paths: Record<`/${string}`, Record<string, Described>>;
  components: {
    schemas: Record<string, object>;
    examples: Record<string, { value: { error: { retryable: boolean } } }>;
  };
};

const described = (Object.keys(paths) as (keyof typeof paths)[]).flatMap((path) =>
  Object.entries(paths[path]!).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);

export const everyOperation: readonly Operation[] = described.map(
  ({ operationId: id, path, method, description, security, parameters = [], requestBody, responses }) => {
    const body = requestBody?.content["application/json"];
    const { schema, examples = {} } = responses[200].content["application/json"];
    const inUrl = parameters.filter((parameter) => parameter.in === "query" || parameter.in === "path");
    const { properties = {}, required = [] } = (body?.schema ?? {}) as ObjectSchema;
    return {
      id,
      method,
      path,
      documented: documentedIds.includes(id),
      needsKey: security.every((scheme) => "bearer" in scheme),
      isAboutPeople: description.includes("`identity:verify`"),
      isByPermission: description.includes("`events:manage`"),
      carriage: body ? "body" : "query",
      required: [...new Set([...inUrl.filter((parameter) => parameter.required).map(({ name }) => name), ...required])],
      examples: {
        ...Object.fromEntries(inUrl.map(({ name, example }) => [name, example])),
        ...Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, member.examples?.[0]])),
      },
      answer: resolved(schema) as TSchema,
      answered: Object.values(examples)[0]?.value ?? {},
    };
  },
);

interface ObjectSchema {
  properties?: Record<string, { examples?: unknown[] }>;
  required?: string[];
}

export function operationOf(id: string): Operation {
  const found = everyOperation.find((operation) => operation.id === id);
  if (!found) throw new Error(`openapi.json has no operation ${id}.`);
  return found;
}

export const lookupDataBundles = operationOf("lookupDataBundles");
export const listCorporateBundles = operationOf("listCorporateBundles");
export const fetchTvAddOns = operationOf("fetchTvAddOns");
export const fetchDataProviders = operationOf("fetchDataProviders");
export const verifyBvn = operationOf("verifyBvn");
export const getVerification = operationOf("getVerification");
export const findVerification = operationOf("findVerification");
export const getRequest = operationOf("getRequest");
export const lookupWaecAmount = operationOf("lookupWaecAmount");
export const authorizeMerchant = operationOf("authorizeMerchant");

/** Status of each failure, and whether the same request may succeed later, by its code. */
export const failures: Readonly<Record<string, { status: number; retryable: boolean }>> = {
  // No operation answers with these.
  route_not_found: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  ...Object.fromEntries(
    described.flatMap(({ responses }) =>
      Object.entries(responses).flatMap(([status, response]) =>
        "$ref" in response
          ? lastOf(response.$ref)
              .split(".")
              .map((code) => [code, failureOf(status, code)])
          : [],
      ),
    ),
  ),
};

function failureOf(status: string, code: string) {
  return { status: Number(status), retryable: components.examples[code]!.value.error.retryable };
}

/** A schema in which the shared schemas replace the references. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value) return resolved(components.schemas[lastOf(String(value.$ref))]);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member)]));
}

function lastOf(reference: string): string {
  return reference.split("/").at(-1)!;
}

/** The path of an operation under another prefix. */
export function pathUnder(prefix: string, path: string): string {
  return prefix + path.slice(pathPrefix.length);
}

/** Splits an address that may end with the path prefix into the address and the prefix. */
export function withoutPrefix(url: string): { url: string; prefix: string } {
  const [, bare = url, prefix = pathPrefix] = /^(.*?)(\/api(?:\/v2)?)$/.exec(url) ?? [];
  return { url: bare, prefix };
}
