import { account, orNull, reference, sentence, state, time } from "../operation/command/answer-schema.ts";
import { remark } from "../operation/command/forms.ts";
import { formed } from "../operation/command/read-texts.ts";
import { CommandError, command } from "../operation/command.ts";
import Type, { type Static } from "../operation/schema/type.ts";
import { duration } from "../operation/setting.ts";
import { put } from "../storage/queries/put.ts";
import type { CommandContext } from "./context.ts";
import { type Alarm, type Rank, ranks } from "./health/alarms.ts";

const longest = 30 * 86_400_000;

const quietFor = {
  form: "a length of time up to 30d, such as 4h",
  read: (text: string) => {
    const length = duration.read(text);
    return length !== undefined && length > 0 && length <= longest ? length : undefined;
  },
};

export const AlarmFacts = Type.Object({
  alarm: reference,
  rank: Type.Unsafe<Rank>({ type: "integer", shows: "text", words: ranks }),
  state: state(["open", "acknowledged"]),
  what: sentence,
  count: orNull(Type.Integer()),
  since: orNull(time),
  acknowledged_by: orNull(account),
  until: orNull(time),
  note: orNull(Type.String()),
});

export type AlarmFacts = Static<typeof AlarmFacts>;

export function alarmFacts({ name, rank, what, count, since, acknowledged }: Alarm): AlarmFacts {
  return {
    alarm: name,
    rank,
    state: acknowledged ? "acknowledged" : "open",
    what,
    count,
    since,
    acknowledged_by: acknowledged?.by ?? null,
    until: acknowledged?.until ?? null,
    note: acknowledged?.note || null,
  };
}

const listAlarms = command({
  id: "alarms.list",
  title: "All alarms",
  summary: "List what needs a hand, and what somebody has acknowledged.",
  onTerminal: "The exit code is 1 if an alarm is open.",
  role: "viewer",
  kind: "read",
  answer: Type.Array(AlarmFacts),
  page: [
    ...(["what", "rank", "state", { name: "count", spare: true }, "since"] as const),
    ...(["acknowledged_by", "until", "note", { name: "alarm", spare: true }] as const),
  ],
  none: "Nothing needs a hand.",
  isWell: (alarms) => alarms.every(({ state }) => state === "acknowledged"),
  run: async (_, room: Pick<CommandContext, "db" | "now" | "config" | "accounts">) =>
    (await (await import("./health/read-health.ts")).readHealth(room)).alarms.map(alarmFacts),
});

const acknowledgeAlarm = command({
  id: "alarms.acknowledge",
  title: "Acknowledge…",
  summary: "Acknowledge an alarm: somebody works on it, so nobody else needs to.",
  description: "It is open again at the end of that time, if its cause is still there.",
  role: "operator",
  kind: "change",
  target: ["alarm"],
  fits: ({ state }) => state === "open",
  input: Type.Object({
    alarm: Type.String({ description: "Name of the alarm, such as vendor:dojah. `duba alarms list` shows it." }),
    for: formed(quietFor, { description: "How long it stays acknowledged.", placeholder: "time", default: "24h" }),
    note: Type.Optional(formed(remark, { description: "What is done about it, for the others.", placeholder: "text" })),
  }),
  answer: Type.Object({ alarm: Type.String(), until: time }),
  view: ({ alarm, until }, { at }) => [`${alarm} is acknowledged until ${at(until)}.`],
  records: ["alarm.acknowledged"],
  examples: [
    { alarm: "vendor:dojah", note: "Called their support" },
    { alarm: "backup", for: "7d" },
  ],
  run: async ({ alarm, for: length, note = "" }, room: CommandContext) => {
    const { alarms } = await (await import("./health/read-health.ts")).readHealth(room);
    if (!alarms.some(({ name }) => name === alarm)) {
      const names = alarms.map(({ name }) => name).join(", ");
      throw new CommandError(`There is no such alarm. ${names === "" ? "Nothing needs a hand" : `There is ${names}`}.`);
    }
    const at = room.now();
    const row = { actor: room.actor, at, until: at + length, note };
    await room.db.transaction().execute(async (trx) => {
      await put(trx, "alarm_acknowledgement", { name: alarm }, row);
      const facts = { alarm, until: row.until, note: row.note };
      await room.audit(trx, { kind: "alarm.acknowledged", actor: room.actor, facts });
    });
    return { alarm, until: row.until };
  },
});

export const alarmCommands = [listAlarms, acknowledgeAlarm];
