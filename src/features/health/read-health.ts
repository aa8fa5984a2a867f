import type { Alarm, OpenAlarm } from "../../commands/alarm.ts";
import { alarmsOf } from "./alarms.ts";
import { type AlarmRoom, readFacts } from "./health-facts.ts";

/**
 * Returns the facts and the alarms of the service, each problem once. Times are milliseconds since 1970. `covered`:
 * alarms that another alarm reports as well.
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

/** Returns all alarms that are not over, acknowledged ones included. Alarms name accounts by id. */
export async function openAlarms(room: Omit<AlarmRoom, "accounts">): Promise<Alarm[]> {
  const { alarms, covered } = await readHealth({ ...room, accounts: { emails: async () => (id) => id } });
  return [...alarms, ...covered];
}

/** Whether somebody has to act, and nobody has acknowledged the alarm. */
export const needsHand = ({ acknowledged, endsByItself }: Pick<Alarm, "acknowledged" | "endsByItself">): boolean =>
  acknowledged === null && !endsByItself;

async function withAcknowledgements(db: AlarmRoom["db"], alarms: readonly OpenAlarm[], now: number): Promise<Alarm[]> {
  const rows = await db.selectFrom("alarm_acknowledgement").selectAll().where("until", ">", now).execute();
  const byName = new Map(rows.map(({ name, actor, until, note }) => [name, { by: actor, until, note }]));
  return alarms.map((alarm) => ({ ...alarm, acknowledged: byName.get(alarm.name) ?? null }));
}
