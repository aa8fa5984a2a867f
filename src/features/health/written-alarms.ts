import type { Alarm } from "../../commands/alarm.ts";
import type { CommandContext, EveryCommand } from "../../commands/context.ts";
import { exampleLine } from "../../declare/command/example-line.ts";
import { type Mend, type MendWithLine, plainText } from "../../declare/command/rich-text.ts";
import type { AlarmRoom } from "./health-facts.ts";

/** An alarm with its text for a terminal and for chats: what is wrong, why, and what to do. */
export interface WrittenAlarm extends Omit<Alarm, "mends" | "soon"> {
  what: string;
  soon: string | undefined;
  mends: readonly MendWithLine[];
  /** The e-mail of the account that it is about. */
  email: string | null;
}

export type WritingRoom = AlarmRoom & Pick<CommandContext, "commands">;

/** Mends of commands that this build lacks are left out. */
export async function writtenAlarms(
  alarms: readonly Alarm[],
  { commands, config, accounts }: Omit<WritingRoom, "db" | "now">,
): Promise<WrittenAlarm[]> {
  const emailOf = await accounts.emails();
  const writing = { at: (time: number) => config.timeZone.textOf(time), emailOf };
  return Promise.all(
    alarms.map(async ({ mends: all, soon, ...alarm }) => {
      const mends = (await Promise.all(all.map((mend) => withLine(mend, commands)))).flat();
      const detail = plainText(alarm.detail, writing);
      const lines = mends.map(({ says, line }) => `${plainText(says, writing)}: ${line}`).join(". ");
      return {
        ...alarm,
        mends,
        what: [`${plainText(alarm.headline, writing)}.`, detail, lines].filter((text) => text !== "").join(" "),
        soon: soon && plainText(soon, writing),
        email: alarm.account === undefined ? null : emailOf(alarm.account),
      };
    }),
  );
}

async function withLine(mend: Mend, commands: EveryCommand): Promise<MendWithLine[]> {
  const [family] = mend.command.split(".");
  const command = (await commands(family)).find(({ id }) => id === mend.command);
  return command ? [{ ...mend, line: exampleLine(command, mend.input) }] : [];
}
