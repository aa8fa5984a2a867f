import { eventRules } from "../retention/event-rules.ts";
import { hourly } from "../retention/retention-rule.ts";
import { allTables } from "../tables.ts";
import { table } from "./declared-table.ts";

const day = 24 * hourly;
/** A warning about a month must not be given twice in that month. Milliseconds. */
const eventsKept = 60 * day;

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
    retention: ({ keepsWaiting = false }) => eventRules({ eventsKept, keepsWaiting }),
    backup: {},
  }),
  event_delivery: table({
    columns: allTables.event_delivery,
    retention: { with: "event" },
    // A restored store would otherwise send events again that were sent after the backup. Receivers that poll miss
    // nothing.
    backup: "none",
  }),
  event_endpoint: table({ columns: allTables.event_endpoint, retention: "lasts", backup: {} }),
};
