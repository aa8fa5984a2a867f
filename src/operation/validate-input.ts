import type { TObject, TSchema } from "typebox";
import { Compile, type Validator } from "typebox/schema";
import type { FieldFault } from "./failures.ts";

/** Checks the members of a request. Returns the declared ones; undeclared ones are dropped, never refused. */
export type InputReader = (given: Record<string, unknown>) => { input: Record<string, string>; faults: FieldFault[] };

interface Member {
  name: string;
  required: boolean;
  fault: string;
  validator: Validator;
}

/** Returns a reader for an object of text members, the form of every request. It reports all faults of a request at once. */
export function inputReader(schema: TObject): InputReader {
  const required = new Set<string>((schema as { required?: readonly string[] }).required ?? []);
  const members: Member[] = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    required: required.has(name),
    fault: (property as TSchema & { fault?: string }).fault ?? "must be text",
    validator: Compile(property),
  }));
  return (given) => {
    const input: Record<string, string> = {};
    const faults: FieldFault[] = [];
    for (const { name, required, fault, validator } of members) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value === undefined) {
        if (required) faults.push({ field: name, message: `${name} is required and ${fault}.` });
      } else if (typeof value !== "string") {
        faults.push({ field: name, message: notText(name, value, fault) });
      } else if (!validator.Check(value)) {
        faults.push({ field: name, message: `${name} ${fault}.` });
      } else {
        input[name] = value;
      }
    }
    return { input, faults };
  };
}

function notText(name: string, value: unknown, fault: string): string {
  if (typeof value === "number")
    return `${name} must be a JSON string, not a number: a number loses its leading zeros. It ${fault}.`;
  const given =
    value === null
      ? "null"
      : Array.isArray(value)
        ? "an array"
        : `a${typeof value === "object" ? "n" : ""} ${typeof value}`;
  return `${name} must be a JSON string, not ${given}. It ${fault}.`;
}
