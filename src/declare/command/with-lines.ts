import { exampleLine } from "./example-line.ts";
import type { Mend, MendWithLine } from "./mend.ts";

type CommandsOf = (family: string | undefined) => Promise<readonly Parameters<typeof exampleLine>[0][]>;

/** Adds command lines to mends. Drops mends whose command this build lacks. */
export async function withLines(mends: readonly Mend[], commandsOf: CommandsOf): Promise<MendWithLine[]> {
  const found = mends.map(async (mend) => {
    const command = (await commandsOf(mend.command.split(".")[0])).find(({ id }) => id === mend.command);
    return command ? [{ ...mend, line: exampleLine(command, mend.input) }] : [];
  });
  return (await Promise.all(found)).flat();
}
