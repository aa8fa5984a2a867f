import { AlarmFacts } from "../../commands/alarm.ts";
import type { CommandContext } from "../../commands/context.ts";
import { list, sentence, state, time } from "../../declare/command/answer-schema.ts";
import { remark } from "../../declare/command/forms.ts";
import { mend } from "../../declare/command/mend.ts";
import { formed } from "../../declare/command/read-texts.ts";
import { CommandError, command } from "../../declare/command.ts";
import { duration } from "../../declare/duration.ts";
import Type from "../../declare/schema/type.ts";
import { upsert } from "../../storage/queries/upsert.ts";
import { alarmTrail } from "./alarm-trail.ts";
import type { WrittenAlarm } from "./written-alarms.ts";

const longest = 30 * 86_400_000;

export const quietFor = {
  form: "a length of time up to 30d, such as 4h",
  read: (text: string) => {
    const length = duration.read(text);
    return length !== undefined && length > 0 && length <= longest ? length : undefined;
  },
};

export function alarmFacts(alarm: WrittenAlarm): AlarmFacts {
  const { name, rank, what, count, since, acknowledged, headline, detail, mends, covers } = alarm;
  return {
    alarm: name,
    rank,
    state: acknowledged ? "acknowledged" : alarm.endsByItself ? "ends_by_itself" : "open",
    what,
    count,
    since,
    acknowledged_by: acknowledged?.by ?? null,
    until: acknowledged?.until ?? null,
    note: acknowledged?.note || null,
    headline,
    detail,
    mends,
    vendor: alarm.vendor ?? null,
    account: alarm.email,
    account_id: alarm.account ?? null,
    key_id: alarm.key ?? null,
    actor: alarm.actor ?? null,
    ends: alarm.until ?? null,
    covers: [...covers],
    runbook: alarm.runbook,
  };
}

const columns = ["alarm", "rank", "state", "what", "count", "since", "acknowledged_by", "until", "note"] as const;

const listAlarms = command({
  id: "alarms.list",
  title: "All alarms",
  summary: "List what needs a hand, and what somebody has acknowledged.",
  onTerminal: "The exit code is 1 if an alarm is open.",
  role: "viewer",
  kind: "read",
  answer: Type.Array(AlarmFacts),
  columns,
  // A search reads these columns. The list itself has the form of the page Now.
  page: [
    { name: "what", of: ({ headline }) => headline, as: sentence },
    ...(["detail", "alarm", "covers", "state", "acknowledged_by", "note"] as const),
  ],
  none: "Nothing needs a hand.",
  onPage: () => [
    { ...list, title: "Needs a hand:", areAlarms: true },
    { note: "", mends: [mend("Test the receivers", "alarms.test")] },
  ],
  isWell: (alarms) => alarms.every(({ state }) => state !== "open"),
  run: async (_, room: Pick<CommandContext, "db" | "now" | "config" | "health" | "accounts" | "commands">) => {
    const [{ readHealth }, { writtenAlarms }] = await Promise.all([
      import("./read-health.ts"),
      import("./written-alarms.ts"),
    ]);
    return (await writtenAlarms((await readHealth(room)).alarms, room)).map(alarmFacts);
  },
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
  records: [alarmTrail.acknowledged],
  examples: [
    { alarm: "vendor:dojah", note: "Called their support" },
    { alarm: "backup", for: "7d" },
  ],
  run: async ({ alarm, for: length, note = "" }, room: CommandContext) => {
    const { alarms } = await (await import("./read-health.ts")).readHealth(room);
    if (!alarms.some(({ name }) => name === alarm)) {
      const names = alarms.map(({ name }) => name).join(", ");
      throw new CommandError(`There is no such alarm. ${names === "" ? "Nothing needs a hand" : `There is ${names}`}.`);
    }
    const at = room.now();
    const row = { actor: room.actor, at, until: at + length, note };
    await room.db.transaction().execute(async (trx) => {
      await upsert(trx, "alarm_acknowledgement", { name: alarm }, row);
      const facts = { alarm, until: row.until, note: row.note };
      await room.audit(trx, alarmTrail.acknowledged(room.actor, facts));
    });
    return { alarm, until: row.until };
  },
});

const testAlarms = command({
  id: "alarms.test",
  title: "Test the receivers",
  summary: "Send a message of a test to each receiver of alarms, and show whether it took it.",
  onTerminal: "DUBA_ALARM_URL names the receivers. The exit code is 1 if one did not.",
  role: "operator",
  kind: "read",
  calls: true,
  answer: Type.Array(
    Type.Object({
      receiver: Type.String(),
      ranks: Type.Array(Type.Integer()),
      state: state(["delivered", "failed"]),
      outcome: Type.String(),
    }),
  ),
  none: "Nobody is told of alarms: the settings name no receiver.",
  isWell: (receivers) => receivers.length > 0 && receivers.every(({ state }) => state === "delivered"),
  run: async (_, { config }: Pick<CommandContext, "config">) => {
    const [{ alarmReceivers }, { sendAlarm }] = await Promise.all([
      import("./alarm-receivers.ts"),
      import("./tell-alarms.ts"),
    ]);
    const text = "Duba: this is a test of the receivers of alarms. Nothing needs a hand.";
    return Promise.all(
      alarmReceivers(config).map(async ({ url, ranks }) => {
        const { delivered, outcome } = await sendAlarm(url, { text, rank: ranks.at(-1)!, since: null }, config);
        // Only the host: the path of a chat service's URL is a secret.
        const told = delivered ? ("delivered" as const) : ("failed" as const);
        return { receiver: new URL(url).host, ranks: [...ranks], state: told, outcome };
      }),
    );
  },
});

export const alarmCommands = [listAlarms, acknowledgeAlarm, testAlarms];
