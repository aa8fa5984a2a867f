import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const endpointMakerColumns = {
  event_endpoint: {
    /** The actor that added the endpoint, named as in the audit trail. Null: an operator, with an older version. */
    made_by: "text?",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
