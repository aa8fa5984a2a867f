/** The columns of the tables of caps and balances, as in `0001_tables.ts`. */
export const spendingTables = {
  /** What the live verifications of an account take from a cap or a balance. The store refuses more than the maxima. */
  spending: {
    account_id: "text key",
    /** A month such as `2026-11`, or `prepaid`. */
    period: "text key",
    kobo: "bigint",
    verifications: "bigint",
    /** Of `prepaid`: all that was topped up. Of a month: the cap at the last verification. Null: none. */
    most_kobo: "bigint?",
    most_verifications: "bigint?",
  },

  /** Money that was added to an account's balance, or taken back if the amount is negative. Rows are never changed. */
  top_up: { id: "text key", account_id: "text", at: "bigint", kobo: "bigint", reason: "text", actor: "text" },
} as const;
