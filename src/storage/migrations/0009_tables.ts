import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const responseStatusColumns = {
  verification_attempt: {
    /** HTTP status of the vendor's response. Null: none came, or it was no HTTP, or a version before this wrote it. */
    http_status: "integer?",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
