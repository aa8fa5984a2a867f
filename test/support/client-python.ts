import { jsonSchema, namedSchemas } from "../../pages/openapi/schema.ts";
import { isKeyed, type Operation } from "../../src/declare/operation.ts";
import { camel, firstSentence, rowOf, type Schema, takenBy, typeName } from "./client-source.ts";

const simpleTypes: Record<string, string> = {
  ...{ string: "str", boolean: "bool", integer: "int", number: "float", null: "None" },
};

/** The types of `docs/clients/duba.py`: a class for each shared schema, each answer, and each object in one. */
export function pythonTypes(operations: readonly Operation<never>[]): string {
  const classes: string[] = [];
  /** `name`: the class name for an object that has no name of its own. */
  const typeOf = (schema: Schema, name: string): string => {
    if (schema.$ref) return schema.$ref.split("/").at(-1)!;
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(", ")}]`;
    if (schema.anyOf) return `Union[${schema.anyOf.map((one) => typeOf(one, name)).join(", ")}]`;
    if (Array.isArray(schema.type)) return typeOf({ anyOf: schema.type.map((type) => ({ type })) }, name);
    if (schema.type === "array") return `List[${typeOf(schema.items!, name)}]`;
    return schema.type === "object" ? classOf(schema, name) : simpleTypes[schema.type!]!;
  };
  const classOf = ({ properties = {}, required = [] }: Schema, name: string, more: readonly string[] = []): string => {
    const members = Object.entries(properties).map(([member, schema]) => {
      const type = typeOf(schema, name + typeName(camel(member)));
      return wrapped(`    ${member}: ${required.includes(member) ? type : `NotRequired[${type}]`}`);
    });
    classes.push(`class ${name}(TypedDict):\n${[...members, ...more].join("\n")}\n`);
    return name;
  };
  for (const [name, schema] of Object.entries(namedSchemas(operations.map(({ answer }) => answer))))
    classOf(schema as Schema, name);
  for (const operation of operations) {
    const more = isKeyed(operation) ? ["    idempotency_key: str", "    match: NotRequired[str]"] : [];
    classOf(jsonSchema(operation.answer) as Schema, `${typeName(operation.id)}Answer`, more);
  }
  const { data } = (jsonSchema(operations.find(({ id }) => id === "listEvents")!.answer) as Schema).properties!;
  const events = data!.items!.anyOf!.map((event) => `    ${typeOf(event, "")},\n`);
  return `\n\n${classes.join("\n\n")}\n\nDubaEvent = Union[\n${events.join("")}]\n`;
}

/** The methods of `docs/clients/duba.py`. */
export function pythonMethods(operations: readonly Operation<never>[]): string {
  return operations.map((operation) => methodOf(operation, operations)).join("\n");
}

function methodOf(operation: Operation<never>, all: readonly Operation<never>[]): string {
  const { id, description, since } = operation;
  const taken = takenBy(operation).map((one) => ({ ...one, word: snake(one.name) }));
  const words = taken.map(
    ({ word, isRequired }) => `        ${word}: ${isRequired ? "str" : "Optional[str] = None"},\n`,
  );
  const own = words.length === 0 ? "self" : `\n        self,\n        *,\n${words.join("")}    `;
  const dictOf = (isHeader: boolean) => {
    const members = taken.filter((one) => one.isHeader === isHeader);
    return `{${members.map(({ name, word }) => `"${name}": ${word}`).join(", ")}}`;
  };
  const { method, path, payload, number, stateByKey } = rowOf(operation, all);
  const row = [method, path, payload].map(literal);
  if (number) row.push(`("${number.input}", "${number.record}")`);
  if (stateByKey) row.push(...(number ? [] : ["None"]), literal(stateByKey));
  const given = [`row = _Row(${row.join(", ")})`, `given: _Texts = ${dictOf(false)}`];
  if (dictOf(true) !== "{}") given.push(`options: _Texts = ${dictOf(true)}`);
  const lines = given.map((line) => `${wrapped(`        ${line}`, ", ", 12)}\n`).join("");
  const about = `${firstSentence(description)}${since ? ` Since ${since}.` : ""}`;
  return `    def ${snake(id)}(${own}) -> ${typeName(id)}Answer:
${wrapped(`        """${about}"""`)}
${lines}        answer: ${typeName(id)}Answer = self._call(row, given${dictOf(true) === "{}" ? "" : ", options"})
        return answer
`;
}

/** Breaks a line into as many lines as it needs. */
function wrapped(line: string, after: " " | ", " = " ", indent = 8): string {
  const lines = [""];
  for (const word of line.split(new RegExp(`(?<=\\S${after})`))) {
    if (lines.at(-1)!.length + word.trimEnd().length > 120) lines.push(" ".repeat(indent));
    lines.push(lines.pop()! + word);
  }
  return lines.map((one) => one.trimEnd()).join("\n");
}

function literal(value: unknown): string {
  return typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
}

/** The name of a member or a method in Python. */
export function snake(name: string): string {
  return name.replaceAll("-", "_").replaceAll(/[A-Z]/g, (letter, at) => `${at > 0 ? "_" : ""}${letter.toLowerCase()}`);
}
