import { type Rank, ranks } from "../../commands/alarm.ts";
import type { CommandContext } from "../../commands/context.ts";
import { reference, time } from "../../declare/command/answer-schema.ts";
import { remark } from "../../declare/command/forms.ts";
import { formed } from "../../declare/command/read-texts.ts";
import { CommandError, command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import { upsert } from "../../storage/queries/upsert.ts";
import { quietFor } from "./alarm-commands.ts";
import { alarmTrail } from "./alarm-trail.ts";

const rankWords = Object.fromEntries(Object.entries(ranks)) as Record<`${Rank}`, string>;

export const acknowledgeAll = command({
  id: "alarms.acknowledge-all",
  title: "Acknowledge all…",
  summary: "Acknowledge every open alarm of a rank: somebody works on them, so nobody else needs to.",
  description: "Each is open again at the end of that time, if its cause is still there.",
  role: "operator",
  kind: "change",
  input: Type.Object({
    rank: Type.Enum(["1", "2", "3"], {
      description: "Which: what stops the service (1), costs money (2), or waits for somebody (3).",
      words: rankWords,
    }),
    for: formed(quietFor, { description: "How long they stay acknowledged.", placeholder: "time", default: "24h" }),
    note: Type.Optional(
      formed(remark, { description: "What is done about them, for the others.", placeholder: "text" }),
    ),
  }),
  answer: Type.Object({ alarms: Type.Array(Type.Object({ alarm: reference, until: time })) }),
  view: ({ alarms }, { at }) => [
    `${alarms.length === 1 ? "1 alarm is" : `${alarms.length} alarms are`} acknowledged until ${at(alarms[0]!.until)}.`,
  ],
  records: [alarmTrail.acknowledged],
  examples: [{ rank: "3", note: "After the holidays", for: "3d" }],
  effect: async ({ rank }, room: CommandContext) => {
    const alarms = await openOf(room, rank);
    return {
      asks: `Acknowledge ${alarms.length === 1 ? "1 alarm" : `${alarms.length} alarms`}?`,
      says: alarms.map(({ headline }) => [...headline, "."]),
    };
  },
  run: async ({ rank, for: length, note = "" }, room: CommandContext) => {
    const alarms = await openOf(room, rank);
    const at = room.now();
    const until = at + length;
    await room.db.transaction().execute(async (trx) => {
      for (const { name: alarm } of alarms) {
        await upsert(trx, "alarm_acknowledgement", { name: alarm }, { actor: room.actor, at, until, note });
        await room.audit(trx, alarmTrail.acknowledged(room.actor, { alarm, until, note }));
      }
    });
    return { alarms: alarms.map(({ name: alarm }) => ({ alarm, until })) };
  },
});

async function openOf(room: CommandContext, rank: string) {
  const { needsHand, readHealth } = await import("./read-health.ts");
  const open = (await readHealth(room)).alarms.filter((alarm) => `${alarm.rank}` === rank && needsHand(alarm));
  if (open.length === 0) throw new CommandError("No alarm of this rank is open.");
  return open;
}
