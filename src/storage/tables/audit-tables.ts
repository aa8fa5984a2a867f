import { hourly, ledgerStart } from "../retention/retention-rule.ts";
import { allTables } from "../tables.ts";
import { table } from "./declared-table.ts";

export const auditTables = {
  audit_entry: table({
    columns: allTables.audit_entry,
    retention: ({ trimTrail }) => [
      {
        name: "audit entries",
        tables: ["audit_entry", "audit_seal"],
        every: hourly,
        kept: ledgerStart,
        remove: async (trx, before) => ({ batches: await trimTrail(trx, before) }),
      },
    ],
    backup: {},
  }),
  // Seals stay, without the list of their entries, so that the chain can still be verified.
  audit_seal: table({ columns: allTables.audit_seal, retention: { with: "audit_entry" }, backup: {} }),
  audit_head: table({ columns: allTables.audit_head, retention: "lasts", backup: {} }),
};
