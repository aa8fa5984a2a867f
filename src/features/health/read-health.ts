import type { Alarm, OpenAlarm } from "../../commands/alarm.ts";
import { alarmsOf } from "./alarms.ts";
import { type AlarmRoom, readFacts } from "./health-facts.ts";

/**
 * How the service is, and what needs a hand, each fact once. Times are milliseconds since 1970. `covered`: alarms whose
 * facts another one says.
 */
export async function readHealth(room: AlarmRoom) {
  const facts = await readFacts(room);
  const now = room.now();
  const all = await withAcknowledgements(room.db, alarmsOf(facts, now), now);
  const covers = new Set(all.flatMap((alarm) => alarm.covers));
  return {
    ...facts,
    alarms: all.filter(({ name }) => !covers.has(name)),
    covered: all.filter(({ name }) => covers.has(name)),
  };
}

/** The alarms that are not over, acknowledged or not. They name accounts by their ids. */
export async function openAlarms(room: Omit<AlarmRoom, "accounts">): Promise<Alarm[]> {
  const { alarms, covered } = await readHealth({ ...room, accounts: { emails: async () => (id) => id } });
  return [...alarms, ...covered];
}

/** Whether somebody must act, and nobody does. */
export const needsHand = ({ acknowledged, endsByItself }: Pick<Alarm, "acknowledged" | "endsByItself">): boolean =>
  acknowledged === null && !endsByItself;

async function withAcknowledgements(db: AlarmRoom["db"], alarms: readonly OpenAlarm[], now: number): Promise<Alarm[]> {
  const rows = await db.selectFrom("alarm_acknowledgement").selectAll().where("until", ">", now).execute();
  const byName = new Map(rows.map(({ name, actor, until, note }) => [name, { by: actor, until, note }]));
  return alarms.map((alarm) => ({ ...alarm, acknowledged: byName.get(alarm.name) ?? null }));
}
