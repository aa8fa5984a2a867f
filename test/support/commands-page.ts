import type { CommandContext } from "../../src/commands/context.ts";
import { helpGroups } from "../../src/commands/feature.ts";
import { exampleLine } from "../../src/declare/command/example-line.ts";
import { type Member, membersOf } from "../../src/declare/command/read-texts.ts";
import { type Command, titleOf } from "../../src/declare/command.ts";
import { commandsOf, families } from "../../src/wire/every-command.ts";

const opening = `# Commands

Generated from the values of the commands by \`npm run generate\`. In a checkout, write \`npm run -s duba --\` in place of \`duba\`. Every command
has \`--help\`, and the exit code is 0 for success, 1 for a failure or if something needs a hand, and 2 for a wrong command line or setting.

- \`--json\` prints the answer as data, \`--csv\` prints a list for a spreadsheet.
- \`--data <directory>\` names the store in place of \`DUBA_DATA\`.
- \`--author <name>\` is noted in the audit trail beside your user name, in commands that change something.
- A command that nobody can undo, that refuses calls at once or that repeats a payment asks at a terminal for confirmation, unless it has \`--yes\`. Where no person is at a terminal, it changes nothing without \`--yes\`.
`;

/** The text of `docs/commands.md`. */
export async function commandsPage(): Promise<string> {
  const parts = await Promise.all(
    families.map(async (family) => {
      const commands = await commandsOf(family);
      return [`## ${family.name}\n\n${family.about}\n`, ...commands.map(sectionOf)].join("\n");
    }),
  );
  return [opening, contents(), ...parts].join("\n");
}

/** The groups of `duba --help`, each with its families. */
function contents(): string {
  const lines = helpGroups.map((group) => {
    const links = families.filter((family) => family.group === group).map(({ name }) => `[${name}](#${name})`);
    return `- **${group}**: ${links.join(", ")}\n`;
  });
  return lines.join("");
}

function sectionOf(command: Command<CommandContext>): string {
  const {
    id,
    summary,
    description,
    onTerminal,
    role,
    kind,
    gives,
    only,
    reports,
    records = [],
    target = [],
    input,
    examples,
  } = command;
  const members = membersOf(input).map(
    ({ name, member, isRequired }) => `| ${nameOf(name, member, target)} | ${aboutOf(member, isRequired)} |`,
  );
  const facts = [
    `Role: ${role}. ${{ read: "Reads only.", change: "Changes something.", danger: "Nobody can undo it." }[kind]}`,
    gives && `Gives away: ${gives}.`,
    records.length > 0 && `Audit trail: ${records.map(({ kind }) => `\`${kind}\``).join(", ")}.`,
    reports && "May read a replica (`DUBA_DATABASE_READ_URL`).",
    only && "Only at a terminal.",
  ];
  return [
    `### duba ${id.replaceAll(".", " ")}\n`,
    `**${titleOf(command)}.** ${[summary, description, onTerminal].filter(Boolean).join(" ")}\n`,
    `${facts.filter(Boolean).join(" ")}\n`,
    ...(members.length > 0 ? ["| input | what it is |", "| --- | --- |", `${members.join("\n")}\n`] : []),
    "```text",
    ...examples.map((example) => exampleLine(command, example)),
    "```\n",
  ].join("\n");
}

function nameOf(name: string, { type, private: isPrivate }: Member, target: readonly string[]): string {
  if (isPrivate) return `${name}, on standard input`;
  if (target.includes(name)) return `\`<${name}>\``;
  const option = `--${name.replaceAll("_", "-")}`;
  return type === "boolean" ? `\`${option}\`` : `\`${option} <…>\``;
}

function aboutOf(
  { description, default: usual, items, enum: words = items?.enum }: Member,
  isRequired: boolean,
): string {
  const facts = [
    description,
    words && `One of ${words.map((word) => `\`${word}\``).join(", ")}.`,
    usual && `Default: \`${usual}\`.`,
    isRequired && "Required.",
  ];
  return facts.filter(Boolean).join(" ").replaceAll("|", "\\|");
}
