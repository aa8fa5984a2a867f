import { eventTables } from "./0002_event_tables.ts";
import { requestTables } from "./0002_request_tables.ts";
import type { ColumnKind } from "./columns.ts";

/** The tables that the second migration adds, as in `0001_tables.ts`. */
export const secondTables = {
  ...eventTables,
  ...requestTables,

  /** Answers in one minute, by operation and outcome: `ok`, `not_modified` or the code of a failure. */
  minute_outcome: {
    minute: "bigint key",
    /** The process that counted. */
    instance: "text key",
    operation: "text key",
    outcome: "text key",
    answers: "integer",
  },

  /** How long the answers of one minute took. */
  minute_duration: {
    minute: "bigint key",
    instance: "text key",
    /** `look-ups` or `verifications`. */
    about: "text key",
    /** JSON: how many took so long, for each bucket of `Durations`. */
    buckets: "text",
  },

  /** Somebody works on an alarm, so that it need not be shown as open. */
  alarm_acknowledgement: {
    name: "text key",
    actor: "text",
    at: "bigint",
    /** When it is open again. */
    until: "bigint",
    note: "text",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;

/** What it adds to `verification`. */
export const secondColumns = {
  /** 1: its outcome is or was unknown, and no event has told another one. */
  was_unknown: "flag",
} as const satisfies Record<string, ColumnKind>;
