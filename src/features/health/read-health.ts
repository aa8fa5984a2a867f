import type { Alarm, OpenAlarm } from "../../commands/alarm.ts";
import { alarmsOf } from "./alarms.ts";
import { type AlarmRoom, readFacts } from "./health-facts.ts";

/** How the service is, and what needs a hand. Times are milliseconds since 1970. */
export async function readHealth(room: AlarmRoom) {
  const facts = await readFacts(room);
  const now = room.now();
  return {
    ...facts,
    alarms: await withAcknowledgements(room.db, alarmsOf(facts, now), now),
  };
}

/** The open alarms, acknowledged or not. They name accounts by their ids. */
export async function openAlarms(room: Omit<AlarmRoom, "accounts">): Promise<Alarm[]> {
  return (await readHealth({ ...room, accounts: { emails: async () => (id) => id } })).alarms;
}

async function withAcknowledgements(db: AlarmRoom["db"], alarms: readonly OpenAlarm[], now: number): Promise<Alarm[]> {
  const rows = await db.selectFrom("alarm_acknowledgement").selectAll().where("until", ">", now).execute();
  const byName = new Map(rows.map(({ name, actor, until, note }) => [name, { by: actor, until, note }]));
  return alarms.map((alarm) => ({ ...alarm, acknowledged: byName.get(alarm.name) ?? null }));
}
