import { sql, type Transaction } from "kysely";
import { lastEvent } from "../events/announce.ts";
import type { Tables } from "../tables.ts";
import { hourly, type RetentionRule } from "./retention-rule.ts";

const batch = 500;

/** `eventsKept`: milliseconds. `keepsWaiting`: whether events stay that wait for an endpoint. */
interface EventTimes {
  eventsKept: number;
  keepsWaiting: boolean;
}

/**
 * Events go with their deliveries, the oldest first, up to the first that stays. The newest event stays, so that no
 * later one gets its number.
 */
export function eventRules({ eventsKept, keepsWaiting }: EventTimes): readonly RetentionRule[] {
  return [
    {
      name: "events",
      tables: ["event", "event_delivery"],
      every: hourly,
      kept: (now) => now - eventsKept,
      async remove(trx, before) {
        const end = (keepsWaiting ? await firstWaiting(trx) : null) ?? (await lastEvent(trx));
        const oldest = await trx
          .selectFrom("event")
          .select(["number", "at"])
          .where("number", "<", end)
          .orderBy("number")
          .limit(batch)
          .execute();
        const young = oldest.findIndex(({ at }) => at >= before);
        const last = oldest.at(young < 0 ? -1 : young - 1);
        if (young === 0 || !last) return { events: 0 };
        await trx.deleteFrom("event_delivery").where("number", "<=", last.number).execute();
        await trx.deleteFrom("event").where("number", "<=", last.number).execute();
        return { events: young < 0 ? oldest.length : young };
      },
    },
  ];
}

/** The number of the oldest event that waits for an endpoint; null if none does. */
async function firstWaiting(trx: Transaction<Tables>): Promise<number | null> {
  const { waiting } = await trx
    .selectFrom("event_delivery")
    .select(({ fn }) => fn.min("number").as("waiting"))
    .where("state", "=", sql.lit("waiting" as const))
    .executeTakeFirstOrThrow();
  return waiting;
}
