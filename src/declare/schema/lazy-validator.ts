import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/schema";

/** The validator of a schema, compiled on its first use: a process uses few of its schemas. */
export function lazyValidator(schema: TSchema): () => Validator {
  let validator: Validator | undefined;
  return () => {
    validator ??= Compile(schema);
    return validator;
  };
}
