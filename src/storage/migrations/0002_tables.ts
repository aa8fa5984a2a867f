import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const outcomeSumColumns = {
  verification_sum: {
    /** The part of `negative` without a match for the number. */
    not_found: "integer",
    phone_mismatch: "integer",
    blocked: "integer",
    /** The part of `billed_kobo` that vendors perhaps do not bill. */
    unsure_kobo: "bigint",
    /** Attempts with an unknown bill. */
    unpriced: "integer",
  },
  verification_journal: {
    /** Change of the uncertain part of the attempt's bill, in kobo. Null: written by a version without this column. */
    unsure: "bigint?",
    /** Change of the number of attempts with an unknown bill. Null as above. */
    unpriced: "integer?",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
