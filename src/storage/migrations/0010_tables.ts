import type { ColumnKind } from "./columns.ts";

/** The tables that this migration adds. */
export const useSumTables = {
  /**
   * Sums of attempts and charges by API key, and by vendor over all accounts, so that no query adds up all accounts.
   */
  use_sum: {
    /** `key` or `vendor`. */
    about: "text key",
    /** The key's public id, or the vendor; empty for verifications without an attempt. */
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
