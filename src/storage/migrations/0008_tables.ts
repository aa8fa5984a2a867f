import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const accountAddressColumns = {
  account: {
    /** For its statements: lines with "; " between them. Null: none. */
    address: "text?",
    tax_number: "text?",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
