import type { Db } from "../../storage/tables.ts";
import {
  accountSums,
  addSumRows,
  type Count,
  counts,
  type SumRow,
  type UseSumRow,
  useSums,
} from "./verification-sums.ts";

/** The counts of a sum in which nothing happened. */
export const noCounts = Object.fromEntries(counts.map((count) => [count, 0])) as Record<Count, number>;

/** Adds to a sum of an account, and to that of its vendor. */
export async function addSum(db: Db, key: Omit<SumRow, Count>, changes: Partial<Record<Count, number>>): Promise<void> {
  const row: SumRow = { ...key, ...noCounts, ...changes };
  await addSumRows(db, accountSums, [row]);
  const { span, begins_at, mode, vendor } = key;
  const ofVendor = Object.fromEntries(useSums.counts.map((count) => [count, row[count]]));
  await addSumRows(db, useSums, [{ about: "vendor", name: vendor, span, begins_at, mode, ...ofVendor } as UseSumRow]);
}
