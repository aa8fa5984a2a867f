import { removeBatches } from "../retention/retention-rule.ts";
import type { Db } from "../tables.ts";
import { rulesIn } from "./declared-table.ts";
import { ledgerTables } from "./ledger-tables.ts";

/** Retention rules of the ledger's tables. */
export const ledgerRules = (recordRetention: number) =>
  rulesIn(ledgerTables, { recordRetention, audit: async () => {}, trimTrail: async () => 0 });

/** Applies the ledger's rules as of `now`, and returns the number of deleted items by name. */
export async function applyRetention(
  db: Db,
  { now, recordRetention }: { now: number; recordRetention: number },
): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const rule of ledgerRules(recordRetention)) await removeBatches(db, rule, await rule.kept(now, db), sums);
  return sums;
}
