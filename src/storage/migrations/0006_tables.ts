import type { ColumnKind } from "./columns.ts";

/** The columns that this migration adds, by table. */
export const unheardChargeColumns = {
  charging_process: {
    /** References of charges before `heard_until` that are not settled, with commas between. */
    unheard: "text",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;
