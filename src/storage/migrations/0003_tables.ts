import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const foundAgainColumns = {
  verification: {
    /**
     * The original `idempotency_hash`, kept as long as the row. Null without a key, after an erasure, and in rows of an
     * older version.
     */
    lasting_idempotency_hash: "text?",
  },
  api_request: {
    /** Comma-separated names of invalid members and headers. They are our names, never the caller's text. */
    wrong: "text?",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
