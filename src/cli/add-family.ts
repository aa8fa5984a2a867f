import type { Command as Commander } from "commander";
import type { CommandContext } from "../commands/context.ts";
import type { Family } from "../commands/feature.ts";
import { exampleLine } from "../declare/command/example-line.ts";
import type { Command } from "../declare/command.ts";
import { addCommand } from "./add-command.ts";
import { examples, subcommand } from "./terminal/help.ts";
import type { Io } from "./terminal/io.ts";

/** Adds a family as a sub-command with sub-commands of its own, or its only command if that has the family's name. */
export function addFamily(
  program: Commander,
  io: Io,
  { name, about }: Family,
  commands: readonly Command<CommandContext>[],
  setExitCode: (exitCode: number) => void,
): void {
  const [first] = commands;
  if (first?.id === name) {
    addCommand(program, io, first, setExitCode);
    return;
  }
  const group = subcommand(program, name, about);
  for (const command of commands) addCommand(groupOf(group, command), io, command, setExitCode);
  examples(group, ...commands.slice(0, 2).map((command) => exampleLine(command, command.examples[0]!)));
}

/** The group that holds a command: `events.endpoints.add` is in `endpoints` of `events`. */
function groupOf(family: Commander, { id }: Command<CommandContext>): Commander {
  return id
    .split(".")
    .slice(1, -1)
    .reduce(
      (parent, name) =>
        parent.commands.find((each) => each.name() === name) ?? subcommand(parent, name, `Commands of ${name}.`),
      family,
    );
}
