import type { Migration } from "./add-to-live-tables.ts";

/** This index alone counts an account's rehearsed events, and finds the oldest. */
export const rehearsedEvents: Migration = {
  indexes: ["index event_rehearsed on event (audience, number) where about = 'rehearsed'"],
};
