import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const foundAgainColumns = {
  verification: {
    /** What `idempotency_hash` was at first, kept as long as the row. Null without a key, after an erasure, and in rows of an older version. */
    lasting_idempotency_hash: "text?",
  },
  api_request: {
    /** Names of the members and headers that were wrong, with commas between: ours, never what a caller wrote. */
    wrong: "text?",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
