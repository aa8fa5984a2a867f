import type { Command } from "../command.ts";
import { exampleLine } from "./example-line.ts";
import type { Mend, MendWithLine } from "./mend.ts";
import { membersOf } from "./read-texts.ts";

type Proposed = Pick<Command<never>, "id" | "target" | "input">;
type CommandsOf = (family: string | undefined) => Promise<readonly Proposed[]>;

/** Adds command lines to mends. Drops mends whose command this build lacks. */
export async function withLines(mends: readonly Mend[], commandsOf: CommandsOf): Promise<MendWithLine[]> {
  const found = mends.map(async (mend) => {
    const command = (await commandsOf(mend.command.split(".")[0])).find(({ id }) => id === mend.command);
    return command ? [{ ...mend, line: lineOf(command, mend.input) }] : [];
  });
  return (await Promise.all(found)).flat();
}

/** What a person has to add is a placeholder, such as `<codes>` or `--reason <reason>`. */
function lineOf(command: Proposed, input: Mend["input"]): string {
  const { target = [] } = command;
  const open = membersOf(command.input).filter(({ name, member }) => !member.private && !(name in input));
  const named = target.filter((name) => open.some((each) => each.name === name)).map((name) => `<${name}>`);
  const options = open
    .filter(({ name, isRequired }) => isRequired && !target.includes(name))
    .map(({ name }) => `--${name.replaceAll("_", "-")} <${name}>`);
  return [exampleLine(command, input), ...named, ...options].join(" ");
}
