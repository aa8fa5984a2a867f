import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const unheardChargeColumns = {
  charging_process: {
    /** Comma-separated references of unsettled charges before `heard_until`. */
    unheard: "text",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
