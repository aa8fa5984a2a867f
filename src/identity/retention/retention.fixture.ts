import { removeBatches } from "../../storage/retention/retention-rule.ts";
import type { Db } from "../../storage/tables.ts";
import { ledgerRules } from "./retention.ts";

/** Applies all rules of the ledger as of `now`, and says how much each removed. */
export async function applyRetention(
  db: Db,
  { now, recordRetention }: { now: number; recordRetention: number },
): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const rule of ledgerRules({ recordRetention })) await removeBatches(db, rule, await rule.kept(now, db), sums);
  return sums;
}
