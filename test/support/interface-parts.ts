import type { OpenApiDocument } from "../../pages/openapi/document.ts";
import { firstVersion, type Version, versions } from "../../src/declare/versions.ts";

/** A part of the API that callers see: an operation, a parameter, a member of an answer, a code or an event type. */
export interface Part {
  /** The operation or shared schema that the part belongs to, else `operations`, `codes` or `events`. */
  of: string;
  /** The name, such as `verifyBvn`, `(bvn)`, `(first_name?)`, `.data.charged`, `bvn_not_found` or `key.expiring`. */
  name: string;
  since: Version;
  /** The document gives this parameter or member its own version: it came later than its operation. */
  isLater: boolean;
  /** The operations that use the part. */
  operations: Set<string>;
  description: string;
}

interface Node {
  $ref?: string;
  "x-since"?: Version;
  description?: string;
  anyOf?: Node[];
  items?: Node;
  properties?: Record<string, Node>;
  required?: string[];
}
interface Entry {
  operationId: string;
  summary: string;
  "x-since": Version;
  parameters?: (Node & { name: string; required?: boolean })[];
  requestBody?: { content: { "application/json": { schema: Node } } };
  responses: { 200: { content: { "application/json": { schema: Node } } } };
}

const order = Object.keys(versions);

/** Whether version `one` comes before `other`. */
export function isBefore(one: string, other: string): boolean {
  return order.indexOf(one) < order.indexOf(other);
}

/** Returns all parts that our OpenAPI document describes, in its order. */
export function partsOf({ paths, webhooks = {}, components }: OpenApiDocument): Part[] {
  const parts = new Map<string, Part>();
  const resolved = <Part extends Node>(part: Part): Part => {
    if (part.$ref === undefined) return part;
    const [kind, name] = part.$ref.split("/").slice(-2);
    return components[kind!]![name!] as Part;
  };
  const add = (of: string, name: string, since: Version, { operation = "", description = "", isLater = false }) => {
    const part = parts.get(`${of} ${name}`) ?? { of, name, since, isLater, operations: new Set(), description };
    if (isBefore(since, part.since)) part.since = since;
    parts.set(`${of} ${name}`, part);
    if (operation !== "") part.operations.add(operation);
  };
  /** Adds the members of a schema under `place`, a path in an operation's answer or a shared schema. */
  const addMembers = (schema: Node, of: string, place: string, inherited: Version, operation: string): void => {
    const since = schema["x-since"] ?? inherited;
    if (schema.$ref !== undefined) addMembers(resolved(schema), schema.$ref.split("/").at(-1)!, "", since, operation);
    for (const inner of [schema.items ?? [], schema.anyOf ?? []].flat()) addMembers(inner, of, place, since, operation);
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      const { "x-since": own, description } = member;
      add(of, `${place}.${name}`, own ?? since, {
        operation,
        description: description ?? "",
        isLater: own !== undefined,
      });
      addMembers(member, of, `${place}.${name}`, since, operation);
    }
  };
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, entry]) => [`${method.toUpperCase()} ${path}`, entry as unknown as Entry] as const,
    ),
  );
  for (const [request, entry] of entries) {
    const { operationId: id, summary, "x-since": since, parameters = [], requestBody, responses } = entry;
    add("operations", id, since, { operation: id, description: `\`${request}\`. ${summary}` });
    const { properties = {}, required = [] } = requestBody?.content["application/json"].schema ?? {};
    const inBody = Object.entries(properties).map(([name, schema]) => ({
      ...{ name, required: required.includes(name) },
      ...schema,
    }));
    const isInBody = (name: string) => name in properties;
    for (const { name, required, "x-since": own, description = "" } of [
      ...parameters.map(resolved).filter(({ name }) => !isInBody(name)),
      ...inBody,
    ])
      add(id, `(${name}${required ? "" : "?"})`, own ?? since, {
        ...{ operation: id, description, isLater: own !== undefined },
      });
    addMembers(responses[200].content["application/json"].schema, id, "", since, id);
  }
  const { enum: codes, "x-since": laterCodes = {} } = components.schemas!.FailureCode as {
    enum: string[];
    "x-since"?: Record<string, Version>;
  };
  for (const code of codes) add("codes", code, laterCodes[code] ?? firstVersion, {});
  for (const [type, { post }] of Object.entries(webhooks))
    add("events", type, post["x-since"] as Version, { description: post.summary as string });
  return [...parts.values()];
}

/** Lists the names of all parts, one line for each owner. */
export function interfaceText(parts: readonly Part[]): string {
  const lines = [...Map.groupBy(parts, ({ of }) => of)].map(
    ([of, parts]) => `${of}: ${parts.map(({ name }) => name).join(" ")}\n`,
  );
  return lines.join("");
}
