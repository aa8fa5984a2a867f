import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const outcomeSumColumns = {
  verification_sum: {
    /** The part of `negative` for which the vendor found nobody. */
    not_found: "integer",
    phone_mismatch: "integer",
    blocked: "integer",
    /** The part of `billed_kobo` that the vendors may not bill. */
    unsure_kobo: "bigint",
    /** Attempts whose bill is not known. */
    unpriced: "integer",
  },
  verification_journal: {
    /** Kobo by which the uncertain part of the attempt's bill changed. Null: a version without this column wrote the row. */
    unsure: "bigint?",
    /** By how much the number of attempts without a known bill changed; null as above. */
    unpriced: "integer?",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
