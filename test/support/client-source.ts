import { spawnSync } from "node:child_process";
import type { Row } from "../../client/src/call.ts";
import { failureComponents } from "../../pages/openapi/failure-responses.ts";
import { type JsonObject, jsonSchema, namedSchemas } from "../../pages/openapi/schema.ts";
import { checkKinds, numberMember } from "../../src/declare/check-kind.ts";
import { type FailureCode, failures } from "../../src/declare/failures.ts";
import { failuresOf, isKeyed, type Operation } from "../../src/declare/operation.ts";
import type { Version } from "../../src/declare/versions.ts";

/** The members of a JSON Schema that the operations use. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  title?: string;
  description?: string;
  "x-since"?: Version;
}

const opening = `// Written by \`npm run generate\` from the table of operations. Do not edit.
import { caller, type Row } from "./call.ts";
import { EventFeed, type EventFeedOptions } from "./event-feed.ts";
import type { CallOptions, Options } from "./options.ts";
import type { ClientCode, ClientFacts, Keyed } from "./outcome.ts";

export { EventFeed, type EventFeedOptions } from "./event-feed.ts";
export type { AnswerFacts, CallOptions, Options } from "./options.ts";
export type { ClientCode, ClientFacts } from "./outcome.ts";
export { DubaFailure } from "./outcome.ts";
export { verifiedEvent } from "./verified-event.ts";
`;

/** The text of `client/src/duba.ts`: types and methods of the client. */
export function clientSource(operations: readonly Operation<never>[]): string {
  const shared = sharedCodes(operations);
  const shapes = namedSchemas(operations.flatMap(({ input, answer }) => [input, answer]));
  const parts = [
    opening,
    failureTypes(operations, shared),
    ...Object.entries(shapes).map(([name, schema]) => `export interface ${name} ${objectOf(schema)}\n`),
    ...operations.flatMap((operation) => [
      typesOf(operation, shared),
      `const ${operation.id}: Row = ${JSON.stringify(rowOf(operation, operations))};\n`,
    ]),
    `${about("An event, as webhooks and the list of events have it.")}export type DubaEvent = ListEventsAnswer["data"][number];\n`,
    classOf(operations),
  ];
  return formatted(parts.join("\n"));
}

/** The failure codes with which every operation can answer. */
function sharedCodes(operations: readonly Operation<never>[]): FailureCode[] {
  const [first = [], ...others] = operations.map(failuresOf);
  return others.reduce((shared, codes) => shared.filter((code) => codes.includes(code)), first);
}

function failureTypes(operations: readonly Operation<never>[], shared: FailureCode[]): string {
  const { Failure, FieldError } = failureComponents(operations, "").schemas as unknown as Record<string, Schema>;
  const { code: _, ...members } = Failure!.properties!.error!.properties!;
  const { required = [] } = Failure!.properties!.error!;
  return `${about("Every code with which the service says that it failed.")}export type FailureCode = ${unionOf(Object.keys(failures))};

${about("Codes with which any operation can fail. `route_not_found`: the service is older than this client.")}export type AnyOperationCode = ${unionOf(["route_not_found", ...shared])};

${about(FieldError!.description)}export interface FieldError ${objectOf(FieldError!)}

${about("What a failure says besides its code.")}export interface FailureFacts ${objectOf({ required, properties: members })}

${about("A failure. Switch on `error.code`, and keep a default: a newer service may have more codes.")}export interface Failure<Code extends string = FailureCode> {
  success: false;
  /** Servers before version 0.2 send "error". */
  status: "failed" | "error";
  /** A sentence for people; it may change. */
  message: string;
  error: { code: Code | ClientCode } & FailureFacts & ClientFacts;
}
`;
}

function typesOf(operation: Operation<never>, shared: FailureCode[]): string {
  const { id, input, answer, headers } = operation;
  const name = typeName(id);
  const own = failuresOf(operation).filter((code) => !shared.includes(code));
  const options = settable(headers).map(([header, schema]) => [camel(header), schema] as const);
  return [
    hasInput(operation) ? `export interface ${name}Input ${objectOf(jsonSchema(input), true)}\n` : "",
    `export interface ${name}Answer ${isKeyed(operation) ? "extends Keyed " : ""}${objectOf(jsonSchema(answer))}\n`,
    `export type ${name}Failure = Failure<AnyOperationCode${own.map((code) => ` | "${code}"`).join("")}>;\n`,
    options.length > 0
      ? `export interface ${name}Options extends CallOptions ${objectOf({ properties: Object.fromEntries(options) })}\n`
      : "",
  ].join("\n");
}

/** Describes the request of an operation. See `Row` of the client. */
export function rowOf(operation: Operation<never>, all: readonly Operation<never>[]): Row {
  const { id, method, path, headers, input, answer, pick } = operation;
  const names = settable(headers).map(([name]) => name);
  if ((answer as Schema).title)
    throw new TypeError(`The answer of ${id} has a title: only the shapes within an answer have one`);
  const payload = Object.entries((answer as Schema).properties!).find(
    ([, { properties, items, anyOf }]) => properties ?? items ?? anyOf,
  )?.[0];
  if (payload === undefined) throw new TypeError(`The answer of ${id} has no member that is an object or a list`);
  const told = (answer as Schema).properties![payload]!.properties ?? {};
  const kind = checkKinds.find((kind) => kind in input.properties && numberMember(kind) in told);
  return {
    id,
    method,
    path,
    ...(names.length > 0 ? { headers: names } : {}),
    payload,
    ...(kind ? { number: { input: kind, record: numberMember(kind) } } : {}),
    ...(pick ? { isCatalogue: true } : {}),
    ...(isKeyed(operation) ? { stateByKey: all.find(({ id }) => id === "findVerification")!.path } : {}),
  };
}

function classOf(operations: readonly Operation<never>[]): string {
  return `${about(
    "The service at one address, with one key. A method returns the answer, or a failure: look at `success`. It throws only a TypeError, for options that cannot be right. The service describes each operation in full at `/docs`.",
  )}export class Duba {
  readonly #call: ReturnType<typeof caller>;

  constructor(options: Options) {
    this.#call = caller(options);
  }

  /** The events of your account, for \`for await\`. */
  events(options: EventFeedOptions = {}): EventFeed {
    return new EventFeed((input, call) => this.listEvents(input, call), options);
  }
${operations.map(methodOf).join("\n")}
}
`;
}

function methodOf(operation: Operation<never>): string {
  const { id, since, description, headers } = operation;
  const name = typeName(id);
  const isOptional = !requiredOf(jsonSchema(operation.input)).length;
  const input = `input: ${name}Input${isOptional ? " = {}" : ""}, `;
  const options = `options?: ${settable(headers).length > 0 ? `${name}Options` : "CallOptions"}`;
  return `
${about(firstSentence(description), since)}${id}(${hasInput(operation) ? input : ""}${options}): Promise<${name}Answer | ${name}Failure> {
    return this.#call(${id}, ${hasInput(operation) ? "input" : "{}"}, options);
  }`;
}

function objectOf(schema: Schema | JsonObject, isInput = false): string {
  const { properties = {}, required = [] } = schema as Schema;
  const members = Object.entries(properties).map(([name, member]) => {
    const isRequired = required.includes(name);
    // `| undefined`: with exactOptionalPropertyTypes, callers could not pass a value that may be undefined otherwise.
    const type = `${typeOf(member)}${isInput && !isRequired ? " | undefined" : ""}`;
    const says = member.const === undefined ? about(member.description, member["x-since"]) : "";
    return `${says}${name}${isRequired ? "" : "?"}: ${type};`;
  });
  return `{\n${members.join("\n")}\n}`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1)!;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return unionOf(schema.enum as string[]);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ type })).join(" | ");
  if (schema.type === "array") return `(${typeOf(schema.items!)})[]`;
  if (schema.type === "object") return objectOf(schema);
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (["string", "boolean", "null"].includes(schema.type!)) return schema.type!;
  throw new Error(`The client has no type for ${JSON.stringify(schema)}.`);
}

function unionOf(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(" | ");
}

/** Returns the first sentence of a text. The reference page of the service has the rest. */
export function firstSentence(text: string): string {
  return text.split(/(?<=\.) (?=[A-Z`])/)[0]!;
}

function about(text = "", since?: Version): string {
  const whole = [text, since && `@since ${since}`].filter(Boolean).join("\n");
  return whole === "" ? "" : `/** ${whole.replaceAll("*/", "*\\/").replaceAll("\n", "\n * ")} */\n`;
}

/** Headers that a caller sets as an option; the client makes Authorization itself. */
export function settable(headers: Operation<never>["headers"]): [name: string, schema: Schema][] {
  return Object.entries((headers?.properties ?? {}) as Record<string, Schema>).filter(
    ([name]) => name !== "authorization",
  );
}

/**
 * Lists what a method takes in any language: members of the input and settable headers by their names on the wire, the
 * required ones first.
 */
export function takenBy(operation: Operation<never>): { name: string; isHeader: boolean; isRequired: boolean }[] {
  const required = requiredOf(jsonSchema(operation.input));
  const members = Object.keys(operation.input.properties);
  const isRequired = (name: string) => required.includes(name);
  return [
    ...members.filter(isRequired).map((name) => ({ name, isHeader: false, isRequired: true })),
    ...members.filter((name) => !isRequired(name)).map((name) => ({ name, isHeader: false, isRequired: false })),
    // A query may have a parameter of the same name.
    ...settable(operation.headers)
      .filter(([name]) => !members.includes(name.replaceAll("-", "_")))
      .map(([name]) => ({ name, isHeader: true, isRequired: false })),
  ];
}

function requiredOf(schema: JsonObject): string[] {
  return (schema as Schema).required ?? [];
}

export function hasInput({ input }: Operation<never>): boolean {
  return Object.keys(input.properties).length > 0;
}

export function typeName(id: string): string {
  return id[0]!.toUpperCase() + id.slice(1);
}

export function camel(header: string): string {
  return header.replaceAll(/[-_](.)/g, (_, letter: string) => letter.toUpperCase());
}

function formatted(source: string): string {
  const { status, stdout, stderr } = spawnSync(
    "node_modules/.bin/biome",
    ["format", "--stdin-file-path=client/src/duba.ts"],
    { input: source, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
