import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const endpointMakerColumns = {
  event_endpoint: {
    /**
     * The actor that added the endpoint, named as in the audit trail. Null if an operator added it before this column
     * existed.
     */
    made_by: "text?",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
