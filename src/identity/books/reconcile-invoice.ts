import { sql } from "kysely";
import type { Db } from "../../storage/tables.ts";
import type { AttemptBill } from "../ledger/attempts.ts";
import { erased } from "../ledger/write-outcome.ts";
import type { InvoiceLine } from "./invoice.ts";
import { type Comparison, clockTolerance, matchInvoice, type OwnAttempt } from "./match-invoice.ts";

interface AttemptRow extends AttemptBill {
  reference: string;
  number: number;
  started_at: number;
  vendor_reference: string | null;
  subject_last4: string;
  outcome: string;
}

/**
 * Compares a vendor's invoice with our attempts at that vendor from `from` until before `to`, in milliseconds since
 * 1970.
 */
export async function reconcileInvoice(
  db: Db,
  lines: readonly InvoiceLine[],
  { vendor, from, to }: { vendor: string; from: number; to: number },
): Promise<Comparison> {
  // The vendor's clock may place an attempt in the neighbouring month.
  const { rows } = await sql<AttemptRow>`
    select attempt.reference, number, attempt.started_at, vendor_reference, bill, bill_certain, outcome, subject_last4
      from verification_attempt as attempt join verification on verification.reference = attempt.reference
      where vendor = ${vendor} and attempt.started_at >= ${from - clockTolerance}
        and attempt.started_at < ${to + clockTolerance}
      order by attempt.started_at`.execute(db);
  const attempts = rows.map(
    (row): OwnAttempt => ({
      reference: row.reference,
      number: row.number,
      startedAt: row.started_at,
      vendorReference: row.vendor_reference,
      last4: row.subject_last4 === erased ? null : row.subject_last4,
      price: row.bill,
      isBilled: row.bill_certain === 1,
      hasFailed: row.outcome === "failed",
    }),
  );
  const { differences, ...rest } = await matchInvoice(lines, attempts);
  const isWithin = ({ startedAt }: OwnAttempt) => startedAt >= from && startedAt < to;
  return {
    ...rest,
    differences: { ...differences, only_here: differences.only_here.filter(({ attempt }) => isWithin(attempt!)) },
  };
}
