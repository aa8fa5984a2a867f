import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const responseStatusColumns = {
  verification_attempt: {
    /** HTTP status of the vendor's response. Null: no HTTP response, or written by an older version. */
    http_status: "integer?",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
