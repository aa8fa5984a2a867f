import type { Command } from "../../operation/command.ts";

/** An example as a command line that works without changes. */
export function exampleLine({ id, target = [] }: Command<never>, example: Command<never>["examples"][number]): string {
  const values = Object.entries(example).filter(([, value]) => value !== undefined);
  const named = target.flatMap((name) => values.flatMap(([member, value]) => (member === name ? [value].flat() : [])));
  const options = values.flatMap(([name, value]) =>
    target.includes(name) ? [] : [value].flat().map((each) => optionText(name, each)),
  );
  return ["duba", ...id.split("."), ...named.map((value) => quoted(String(value))), ...options].join(" ");
}

function optionText(name: string, value: unknown): string {
  const option = `--${name.replaceAll("_", "-")}`;
  if (value === true) return option;
  // A value that begins with a dash is an option for the parser, unless "=" binds it.
  return `${option}${String(value).startsWith("-") ? "=" : " "}${quoted(String(value))}`;
}

function quoted(text: string): string {
  return /^[\w.@+:/%,-]+$/.test(text) ? text : `"${text}"`;
}
