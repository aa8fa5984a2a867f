import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const accountAddressColumns = {
  account: {
    /** The address on statements, with "; " between its lines. Null: none. */
    address: "text?",
    tax_number: "text?",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
