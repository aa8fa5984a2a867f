import { jsonSchema, namedSchemas } from "../../pages/openapi/schema.ts";
import { isKeyed, type Operation } from "../../src/operation/operation.ts";
import { camel, firstSentence, rowOf, type Schema, takenBy, typeName } from "./client-source.ts";

const simpleTypes: Record<string, string> = {
  ...{ string: "str", boolean: "bool", integer: "int", number: "float", null: "None" },
};

/** The types of `docs/clients/duba.py`: a class for each shared schema, each answer, and each object in one. */
export function pythonTypes(operations: readonly Operation<never>[]): string {
  const classes: string[] = [];
  /** `name`: of the class that an object becomes which has no name of its own. */
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
      return `    ${member}: ${required.includes(member) ? type : `NotRequired[${type}]`}`;
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
  const dicts = [dictOf(false), dictOf(true)].filter((dict, at) => at === 0 || dict !== "{}");
  return `    def ${snake(id)}(${own}) -> ${typeName(id)}Answer:
        """${firstSentence(description).replaceAll("\\", "\\\\")}${since ? ` Since ${since}.` : ""}"""
        row = _Row(${row.join(", ")})
        return self._call(row, ${dicts.join(", ")})
`;
}

function literal(value: unknown): string {
  return typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
}

/** The name of a member or a method in Python. */
export function snake(name: string): string {
  return name.replaceAll("-", "_").replaceAll(/[A-Z]/g, (letter, at) => `${at > 0 ? "_" : ""}${letter.toLowerCase()}`);
}
