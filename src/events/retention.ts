import { sql } from "kysely";
import { lastEvent } from "../storage/events/announce.ts";
import { hourly, type RetentionRule } from "../storage/retention/retention-rule.ts";

const batch = 500;

/**
 * Events are kept for `retention` milliseconds, with their deliveries. The oldest go, up to the first that is young or still waits for an
 * endpoint. The newest event stays, so that no later one gets its number.
 */
export function eventRules(retention: number): readonly RetentionRule[] {
  return [
    {
      ...{ name: "events", tables: ["event", "event_delivery"], every: hourly },
      kept: (now) => now - retention,
      async remove(trx, before) {
        const { waiting } = await trx
          .selectFrom("event_delivery")
          .select(({ fn }) => fn.min("number").as("waiting"))
          .where("state", "=", sql.lit("waiting" as const))
          .executeTakeFirstOrThrow();
        const end = waiting ?? (await lastEvent(trx));
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
