import type { Command } from "../command.ts";

type Example = Command<never>["examples"][number];

/** Formats an example as a command line that a person can copy. */
export function exampleLine(command: Pick<Command<never>, "id" | "target">, example: Example): string {
  return ["duba", ...argumentsOf(command, example).map(quoted)].join(" ");
}

/** Returns the arguments of an example: command, target and options. */
export function argumentsOf({ id, target = [] }: Pick<Command<never>, "id" | "target">, example: Example): string[] {
  const values = Object.entries(example).flatMap(([name, value]) =>
    [value ?? []].flat().map((each: string | true) => [name, each] as const),
  );
  const named = target.flatMap((name) =>
    values.filter(([member]) => member === name).map(([, value]) => String(value)),
  );
  const options = values.filter(([name]) => !target.includes(name)).flatMap(([name, value]) => optionOf(name, value));
  return [...id.split("."), ...named, ...options];
}

function optionOf(name: string, value: string | true): string[] {
  const option = `--${name.replaceAll("_", "-")}`;
  if (value === true) return [option];
  // A parser takes a value that begins with a dash for an option, unless "=" precedes the value.
  return value.startsWith("-") ? [`${option}=${value}`] : [option, value];
}

function quoted(text: string): string {
  return /^[\w.@+:/%,=-]+$/.test(text) ? text : `"${text}"`;
}
