import { sql } from "kysely";
import type { Attempt } from "../../ledger/attempts.ts";
import { erased } from "../../storage/erase-verifications.ts";
import type { Db } from "../../storage/tables.ts";
import type { InvoiceLine } from "./invoice.ts";
import { type Comparison, clockTolerance, matchInvoice, type OwnAttempt } from "./match-invoice.ts";

type AttemptRow = Omit<OwnAttempt, "isBilled" | "hasFailed"> & Pick<Attempt, "bill_certain" | "outcome">;

/**
 * Compares a vendor's invoice with our attempts at that vendor. `from` and `to` (exclusive): milliseconds since 1970.
 */
export async function reconcileInvoice(
  db: Db,
  lines: readonly InvoiceLine[],
  { vendor, from, to }: { vendor: string; from: number; to: number },
): Promise<Comparison> {
  // By the vendor's clock, an attempt may lie in the neighbouring month.
  const { rows } = await sql<AttemptRow>`
    select attempt.reference, number, attempt.started_at, vendor_reference, bill as price, bill_certain, outcome, subject_last4 as last4
      from verification_attempt as attempt join verification on verification.reference = attempt.reference
      where vendor = ${vendor} and attempt.started_at >= ${from - clockTolerance}
        and attempt.started_at < ${to + clockTolerance}
      order by attempt.started_at`.execute(db);
  const attempts = rows.map(
    ({ bill_certain, outcome, ...row }): OwnAttempt => ({
      ...row,
      last4: row.last4 === erased ? null : row.last4,
      isBilled: bill_certain === 1,
      hasFailed: outcome === "failed",
    }),
  );
  const { differences, ...rest } = await matchInvoice(lines, attempts);
  const isWithin = ({ started_at }: OwnAttempt) => started_at >= from && started_at < to;
  return {
    ...rest,
    differences: { ...differences, only_here: differences.only_here.filter(({ attempt }) => isWithin(attempt!)) },
  };
}
