import type { Command } from "../../operation/command.ts";

type Example = Command<never>["examples"][number];

/** An example as a command line that works without changes. */
export function exampleLine(command: Command<never>, example: Example): string {
  return ["duba", ...argumentsOf(command, example).map(quoted)].join(" ");
}

/** The arguments of an example: the command, what it acts on, and its options. */
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
  // A value that begins with a dash is an option for the parser, unless "=" binds it.
  return value.startsWith("-") ? [`${option}=${value}`] : [option, value];
}

function quoted(text: string): string {
  return /^[\w.@+:/%,=-]+$/.test(text) ? text : `"${text}"`;
}
