import { sql, type Transaction } from "kysely";
import { lastEvent } from "../events/announce.ts";
import { hourly, type RetentionRule } from "../retention/retention-rule.ts";
import { allTables, type Tables } from "../tables.ts";
import { table } from "./declared-table.ts";

const day = 24 * hourly;
/**
 * How long events are kept, in milliseconds: longer than a month, so that no monthly warning is repeated in its month.
 */
const eventsKept = 60 * day;
/** Most events deleted in one transaction. */
const batch = 500;

export const eventTables = {
  event: table({
    columns: allTables.event,
    personal: [
      {
        what: "in events and webhooks",
        columns: ["about", "data"],
        kept: "no",
        how: "ids and states only",
        until: `${eventsKept / day} days`,
        isErased: false,
      },
    ],
    retention: ({ keepsWaiting = false }) => eventRules(keepsWaiting),
    backup: {},
  }),
  event_delivery: table({
    columns: allTables.event_delivery,
    retention: { with: "event" },
    // Otherwise a restored store would resend events that were sent after the backup. Receivers that poll miss nothing.
    backup: "none",
  }),
  event_endpoint: table({ columns: allTables.event_endpoint, retention: "lasts", backup: {} }),
};

/**
 * Deletes the oldest events with their deliveries, up to the first that must stay. The newest event stays, so that its
 * number is not reused. `keepsWaiting`: events that wait for an endpoint must stay.
 */
function eventRules(keepsWaiting: boolean): readonly RetentionRule[] {
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

/** Returns the number of the oldest event that waits for an endpoint, or null. */
async function firstWaiting(trx: Transaction<Tables>): Promise<number | null> {
  const { waiting } = await trx
    .selectFrom("event_delivery")
    .select(({ fn }) => fn.min("number").as("waiting"))
    .where("state", "=", sql.lit("waiting" as const))
    .executeTakeFirstOrThrow();
  return waiting;
}
