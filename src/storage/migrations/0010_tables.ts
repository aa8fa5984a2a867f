import type { ColumnKind } from "./columns.ts";

/** The tables that this migration adds. */
export const useSumTables = {
  /**
   * Attempts and charges by API key, and by vendor for all accounts together, so that nobody adds up the sums of all
   * accounts.
   */
  use_sum: {
    /** `key` or `vendor`. */
    about: "text key",
    /** Public id of the key, or the vendor; empty if no attempt was made. */
    name: "text key",
    mode: "text key",
    /** `hour`, or `day` in the configured time zone. */
    span: "text key",
    begins_at: "bigint key",
    attempts: "integer",
    verified: "integer",
    negative: "integer",
    failed: "integer",
    unknown: "integer",
    refused: "integer",
    billed_kobo: "bigint",
    charges: "integer",
    charged_kobo: "bigint",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
