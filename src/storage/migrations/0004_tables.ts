import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const stateSumColumns = {
  /** Verifications that were made in that time and have ended for good, by their state. They stand at no vendor. */
  verification_sum: {
    ...{ made_verified: "integer", made_refused: "integer" },
    ...{ made_not_found: "integer", made_phone_mismatch: "integer", made_blocked: "integer" },
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
