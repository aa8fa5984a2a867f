import type { Alarm } from "../../commands/alarm.ts";
import type { CommandContext } from "../../commands/context.ts";
import { settingOf } from "../../config/read-config.ts";
import type { MendWithLine } from "../../declare/command/mend.ts";
import { plainText } from "../../declare/command/rich-text.ts";
import { withLines } from "../../declare/command/with-lines.ts";
import { alarmSettings } from "./alarm-settings.ts";
import type { AlarmRoom } from "./health-facts.ts";
import { runbookLink, runbookSection } from "./runbook-sections.ts";

/** An alarm as text for a terminal or a chat: the problem, its reason, and what to do. */
export interface WrittenAlarm extends Omit<Alarm, "mends" | "soon"> {
  what: string;
  soon: string | undefined;
  mends: readonly MendWithLine[];
  /** The runbook section about the alarm, or a link to it. */
  runbook: string | null;
  /** The e-mail of the account that the alarm concerns. */
  email: string | null;
}

export type WritingRoom = AlarmRoom & Pick<CommandContext, "commands">;

/** Formats alarms for people. Omits suggested commands that this build lacks. */
export async function writtenAlarms(
  alarms: readonly Alarm[],
  { commands, config, accounts }: Omit<WritingRoom, "db" | "now">,
): Promise<WrittenAlarm[]> {
  const named = alarms.flatMap(({ headline, detail }) =>
    [...headline, ...detail].flatMap((piece) => (typeof piece === "object" && "account" in piece ? piece.account : [])),
  );
  const emailOf = await accounts.emails([...named, ...alarms.flatMap(({ account }) => account ?? [])]);
  const writing = { at: (time: number) => config.timeZone.textOf(time), emailOf };
  const runbookUrl = settingOf(config, alarmSettings.runbookUrl);
  return Promise.all(
    alarms.map(async ({ mends: all, soon, ...alarm }) => {
      const mends = await withLines(all, commands);
      const detail = plainText(alarm.detail, writing);
      const lines = mends.map(({ says, line }) => `${plainText(says, writing)}: ${line}`).join(". ");
      return {
        ...alarm,
        mends,
        what: [`${plainText(alarm.headline, writing)}.`, detail, lines].filter((text) => text !== "").join(" "),
        soon: soon && plainText(soon, writing),
        runbook: runbookLink(runbookUrl, alarm.name) ?? runbookSection(alarm.name) ?? null,
        email: alarm.account === undefined ? null : emailOf(alarm.account),
      };
    }),
  );
}
