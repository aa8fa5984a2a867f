import { jsonSchema, namedSchemas } from "../../pages/openapi/schema.ts";
import { isKeyed, type Operation } from "../../src/declare/operation.ts";
import { camel, firstSentence, rowOf, type Schema, takenBy, typeName } from "./client-source.ts";

const simpleTypes: Record<string, string> = {
  ...{ string: "string", boolean: "bool", integer: "int", number: "float", null: "null" },
};
const longestLine = 140;

/** The types of `docs/clients/duba.php`, as PHPStan and Psalm read them. */
export function phpTypes(operations: readonly Operation<never>[]): string {
  const named = Object.entries(namedSchemas(operations.map(({ answer }) => answer)));
  const keyed: Schema = { properties: { idempotency_key: { type: "string" }, match: { type: "string" } } };
  const answers = operations.map((operation) => {
    const { properties = {}, required = [] } = jsonSchema(operation.answer) as Schema;
    const more = isKeyed(operation) ? keyed.properties : {};
    const all = { properties: { ...properties, ...more }, required: [...required, "idempotency_key"] };
    return [`${typeName(operation.id)}Answer`, { type: "object", ...all }] as const;
  });
  const { data } = (jsonSchema(operations.find(({ id }) => id === "listEvents")!.answer) as Schema).properties!;
  return [...named, ...answers, ["DubaEvent", data!.items!] as const]
    .map(([name, schema]) => wrapped(`@phpstan-type ${name} ${typeOf(schema as Schema)}`))
    .join("\n");
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1)!;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join("|");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join("|");
  if (Array.isArray(schema.type)) return typeOf({ anyOf: schema.type.map((type) => ({ type })) });
  if (schema.type === "array") return `list<${typeOf(schema.items!)}>`;
  if (schema.type !== "object") return simpleTypes[schema.type!]!;
  const members = Object.entries(schema.properties ?? {}).map(
    ([name, member]) => `${name}${schema.required?.includes(name) ? "" : "?"}: ${typeOf(member)}`,
  );
  return `array{${members.join(", ")}}`;
}

/** Writes a tag of a doc comment on as many lines as it needs. */
function wrapped(tag: string): string {
  const lines = [""];
  for (const word of tag.split(/(?<=[ |])/)) {
    if (lines.at(-1)!.length + word.length > longestLine) lines.push("  ");
    lines.push(lines.pop()! + word);
  }
  return lines.map((line) => ` * ${line.trimEnd()}`).join("\n");
}

/** The methods of `docs/clients/duba.php`. */
export function phpMethods(operations: readonly Operation<never>[]): string {
  return operations.map((operation) => methodOf(operation, operations)).join("\n\n");
}

function methodOf(operation: Operation<never>, all: readonly Operation<never>[]): string {
  const { id, description, since } = operation;
  const taken = takenBy(operation).map((one) => ({ ...one, word: `$${camel(one.name)}` }));
  const { method, path, payload, number, stateByKey } = rowOf(operation, all);
  // Hides these parameters from stack traces.
  const hidden = method === "GET" ? "" : "#[SensitiveParameter] ";
  const words = taken.map(
    ({ word, isHeader, isRequired }) =>
      `${isHeader ? "" : hidden}${isRequired ? `string ${word}` : `?string ${word} = null`}`,
  );
  const listed = words.length < 3 ? words.join(", ") : `\n        ${words.join(",\n        ")},\n    `;
  const arrayOf = (isHeader: boolean) => {
    const members = taken.filter((one) => one.isHeader === isHeader);
    return `[${members.map(({ name, word }) => `'${name}' => ${word}`).join(", ")}]`;
  };
  const given: string[] = [method, path, payload].map(literal);
  if (arrayOf(false) !== "[]" || arrayOf(true) !== "[]") given.push(arrayOf(false));
  if (arrayOf(true) !== "[]") given.push(arrayOf(true));
  if (number) given.push(`number: ['${number.input}', '${number.record}']`);
  if (stateByKey) given.push(`stateByKey: ${literal(stateByKey)}`);
  const call = `return $this->call(${given.join(", ")});`;
  const lined = `return $this->call(\n            ${given.join(",\n            ")},\n        );`;
  return `    /**
     * ${firstSentence(description)}
     *
${since ? `     * @since ${since}\n` : ""}     * @return ${typeName(id)}Answer
     * @throws DubaFailure
     */
    public function ${id}(${listed}): array${words.length < 3 ? "\n    {" : " {"}
        ${call.length < longestLine ? call : lined}
    }`;
}

function literal(value: unknown): string {
  return typeof value === "string" ? `'${value.replaceAll(/['\\]/g, "\\$&")}'` : String(value);
}
