import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const stateSumColumns = {
  /** Ended verifications by state, counted in the span when they were created, in rows without a vendor. */
  verification_sum: {
    ...{ made_verified: "integer", made_refused: "integer" },
    ...{ made_not_found: "integer", made_phone_mismatch: "integer", made_blocked: "integer" },
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
