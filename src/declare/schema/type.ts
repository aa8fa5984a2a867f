import type Typebox from "typebox";
import type { TObject, TSchema } from "typebox";

export type { Static, TInteger, TObject, TSchema, TString } from "typebox";

/**
 * The TypeBox builders that Duba uses, with the same results and with TypeBox's types. TypeBox's own module loads
 * hundreds of files, which takes a sixth of a start.
 */
const Type = {
  Array: (items: TSchema, options?: object) => ({ type: "array", items, ...options }),
  Boolean: (options?: object) => ({ type: "boolean", ...options }),
  Enum: (values: readonly unknown[], options?: object) => ({ enum: values, ...options }),
  Integer: (options?: object) => ({ type: "integer", ...options }),
  Literal: (value: unknown, options?: object) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: object) => ({ type: "null", ...options }),
  Number: (options?: object) => ({ type: "number", ...options }),
  Object: (properties: Record<string, TSchema>, options?: object) => {
    const required = Object.keys(properties).filter((name) => !("~optional" in properties[name]!));
    return { type: "object", ...(required.length > 0 ? { required } : {}), properties, ...options };
  },
  Omit: ({ properties }: TObject, names: readonly string[]) =>
    Type.Object(Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))),
  Optional: (schema: TSchema) => Object.defineProperty({ ...schema }, "~optional", { value: true }),
  Record: (_key: TSchema, value: TSchema) => ({ type: "object", patternProperties: { "^.*$": value } }),
  String: (options?: object) => ({ type: "string", ...options }),
  Union: (anyOf: readonly TSchema[], options?: object) => ({ anyOf, ...options }),
  Unknown: (options?: object) => ({ ...options }),
  Unsafe: (schema: object) => schema,
};

export default Type as unknown as Pick<typeof Typebox, keyof typeof Type>;
