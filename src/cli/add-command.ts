import { Argument, type Command as Commander, Option } from "commander";
import type { CommandContext } from "../commands/context.ts";
import type { Family } from "../commands/feature.ts";
import { settings } from "../config/settings.ts";
import { listOf, memberWith } from "../declare/command/answer-table.ts";
import { exampleLine } from "../declare/command/example-line.ts";
import { InputError, type Member, membersOf, type Texts } from "../declare/command/read-texts.ts";
import { type Command, mayBeDanger, titleOf } from "../declare/command.ts";
import { examples, section, subcommand } from "../terminal/help.ts";
import type { Io } from "../terminal/io.ts";
import { settingOption } from "../terminal/options.ts";
import { type InterfaceOptions, runCommand } from "./run-command.ts";

type NamedMember = ReturnType<typeof membersOf>[number];

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

/** Returns the commander group of a command: `events.endpoints.add` belongs to `endpoints`, which is in `events`. */
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

/** Adds a command under `parent`, with the arguments, options, help and action that its declaration gives. */
export function addCommand(
  parent: Commander,
  io: Io,
  command: Command<CommandContext>,
  setExitCode: (exitCode: number) => void,
): void {
  const { id, summary, description, onTerminal, target = [], guide } = command;
  const about = `${titleOf(command)}\n\n${[summary, description, onTerminal].filter(Boolean).join(" ")}`;
  const sub = subcommand(parent, id.split(".").at(-1)!, about).summary(summary);
  const visible = membersOf(command.input).filter(({ member }) => !member.private);
  const isArgument = ({ name }: NamedMember) => target.includes(name);
  const named = target.flatMap((name) => visible.filter((each) => each.name === name));
  for (const each of named) sub.addArgument(argumentOf(each));
  refusePrivateArguments(sub, command);
  sub.usage([...named.map(usageOf), "[options]"].join(" "));
  const options = new Map(visible.filter((each) => !isArgument(each)).map((each) => [each.name, optionOf(each)]));
  for (const option of options.values()) sub.addOption(option);
  addInterfaceOptions(sub, command);
  sub.action(async () => {
    const texts = Object.fromEntries([
      ...named.map(({ name }, at) => [name, sub.processedArgs[at]] as const),
      // Leaves out defaults: `accept`, which reads these texts, knows what to use for a missing member.
      ...[...options]
        .filter(([, option]) => sub.getOptionValueSource(option.attributeName()) !== "default")
        .map(([name, option]) => [name, sub.getOptionValue(option.attributeName())] as const),
    ]) as Texts;
    try {
      setExitCode(await runCommand(io, command, texts, sub.opts<InterfaceOptions>()));
    } catch (problem) {
      if (!(problem instanceof InputError) || problem.problems.length === 0) throw problem;
      const nameOf = (field: string) =>
        options.get(field)?.long ??
        (visible.some(({ name }) => name === field) ? `<${field}>` : `On standard input, the ${field}`);
      sub.error(sentencesOf(problem, nameOf), { exitCode: problem.exitCode });
    }
  });
  if (guide) section(sub, guide.heading, guide.items);
  examples(sub, ...command.examples.map((example) => exampleLine(command, example)));
}

/**
 * Declares every argument as optional, so that commander accepts a line without it: our own check then reports it
 * together with all other problems.
 */
function argumentOf({ name, member: { description, type } }: NamedMember): Argument {
  return new Argument(type === "array" ? `[${name}...]` : `[${name}]`, description);
}

/** Says that private members are read from standard input, if somebody writes them on the command line. */
function refusePrivateArguments(sub: Commander, { input }: Command<CommandContext>): void {
  const names = membersOf(input).flatMap(({ name, member }) => (member.private ? [member.placeholder ?? name] : []));
  if (names.length === 0) return;
  const why = "Other users of the machine can see a command line, so Duba reads from standard input";
  sub.allowExcessArguments().hook("preAction", () => {
    if (sub.args.length <= sub.registeredArguments.length) return;
    sub.error(`Too many arguments. ${why}: ${names.join(", ")}.`, { exitCode: 2 });
  });
}

function usageOf({ name, member: { type }, isRequired }: NamedMember): string {
  const text = type === "array" ? `${name}...` : name;
  return isRequired ? `<${text}>` : `[${text}]`;
}

function optionOf({ name, member, isRequired }: NamedMember): Option {
  const { type, items, placeholder = name.replaceAll("_", " ") } = member;
  const flags = `--${name.replaceAll("_", "-")}${type === "boolean" ? "" : ` <${placeholder}>`}`;
  const option = new Option(flags, aboutOf(member, isRequired));
  const words = (items ?? member).enum;
  // These choices appear in the help only. Our own check of the texts refuses other words.
  if (words) option.argChoices = [...words];
  if (member.default) option.default(member.default, member.default);
  if (type === "array") option.argParser((text: string, texts: string[] | undefined) => [...(texts ?? []), text]);
  return option;
}

function aboutOf({ description, type }: Member, isRequired: boolean): string {
  if (type === "array") return `${description} You can repeat the option.`;
  return isRequired ? `${description} Required.` : description;
}

function addInterfaceOptions(sub: Commander, command: Command<CommandContext>): void {
  const { kind, store, answer, first } = command;
  if (kind !== "read" && store !== "none")
    sub.option("--author <name>", "A name for the audit trail to note beside your user name.");
  if (mayBeDanger(command)) sub.option("--yes", "do not ask to confirm");
  if (first !== undefined) sub.option("--all", "show every row, not only the first ones");
  if (memberWith("holds", answer))
    sub.option("--out <path>", "File, or directory (ending in /) for several files. Default: standard output.");
  else if (!("lines" in answer)) sub.option("--json", "print the answer as JSON");
  if (listOf(answer) && !memberWith("holds", answer)) sub.option("--csv", "print the list as CSV");
  if (store !== "none") sub.addOption(settingOption("--data <directory>", settings.dataDirectory));
}

function sentencesOf({ problems }: InputError, nameOf: (field: string) => string): string {
  return problems.map(({ field, message }) => `${nameOf(field)} ${message}.`).join("\n");
}
