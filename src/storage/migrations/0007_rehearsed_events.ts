import type { Migration } from "./add-to-live-tables.ts";

/** The rehearsed events of an account are counted, and its oldest found, from this index alone. */
export const rehearsedEvents: Migration = {
  indexes: ["index event_rehearsed on event (audience, number) where about = 'rehearsed'"],
};
