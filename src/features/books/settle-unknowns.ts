import { negativeReasons } from "../../declare/check-kind.ts";
import { CommandError } from "../../declare/command.ts";
import { type Attempt, unresolvedAttempts } from "../../ledger/attempts.ts";
import type { Row } from "../../ledger/ledger.ts";
import { endedWithUnknownAttempts, unknownVerifications } from "../../ledger/reports/inspect.ts";
import {
  type AttemptEnd,
  type SettledAs,
  type SettlingRoom,
  settle,
  settleAttempts,
  settledAfter,
} from "../../ledger/settle.ts";
import type { WithClock } from "../../storage/audited.ts";
import type { Db } from "../../storage/tables.ts";
import { outcomeBilledAt, type VendorPrices } from "../../vendors/vendor-prices.ts";
import { type InvoiceLine, timesOf } from "./invoice.ts";
import { clockTolerance } from "./match-invoice.ts";
import { reconcileInvoice } from "./reconcile-invoice.ts";

/**
 * Results for a verification with an unknown outcome or an unresolved attempt: how it is settled, or why it is skipped.
 */
export const unknownEnds = {
  settled: "settled, as its price says",
  billed: "released, the vendor bills it",
  released: "released, not on the invoice",
  attempt_billed: "it has an outcome; an attempt without one is billed",
  attempt_released: "it has an outcome; an attempt without one is not on the invoice",
  ambiguous: "left: a line may be of another verification",
  other_vendor: "left: another vendor was asked too",
  not_covered: "left: the invoice does not cover its time",
  too_young: "left: the vendor may still answer",
  changed: "left: it changed in the meantime",
} as const;
export type UnknownEnd = keyof typeof unknownEnds;

/** The result that an invoice implies for one verification. */
export interface Decision {
  row: Row;
  /** For an ended verification: its unresolved attempts at the vendor, each with its new reason. */
  attempts: readonly AttemptEnd[];
  end: UnknownEnd;
  /** Null if the verification is skipped. */
  as: SettledAs | null;
  /** Attempts that the invoice lists, with their lines. */
  listed: { attempt: Attempt; line: InvoiceLine }[];
}

export interface VendorInvoice {
  vendor: string;
  lines: readonly InvoiceLine[];
  /**
   * The period that the invoice covers completely, in milliseconds since 1970. Default: from its first to its last
   * line.
   */
  whole: { from: number; to: number } | undefined;
  /** The vendor's current prices. */
  prices: VendorPrices | undefined;
}

/**
 * Compares an invoice with live verifications of unknown outcome at its vendor, oldest first, and then with ended
 * verifications that have an unresolved attempt at the vendor. Changes nothing.
 */
export async function decideUnknowns(
  { db, now }: { db: Db } & WithClock,
  { vendor, lines, whole, prices }: VendorInvoice,
): Promise<Decision[]> {
  const at = now();
  const { from, to } = whole ?? timesOf(lines);
  const unknown = [
    ...(await unknownVerifications(db)),
    ...(await endedWithUnknownAttempts(db, { vendor, from: from - clockTolerance, to: to + clockTolerance })),
  ].filter((row) => row.mode === "live" && unresolvedAttempts(row).some((attempt) => attempt.vendor === vendor));
  const covered = whole ?? timesOf(lines).between;
  const { agreed, differences, ambiguous } = await reconcileInvoice(db, lines, { vendor, from, to });
  const nameOf = ({ reference, number }: { reference: string; number: number }) => `${reference} ${number}`;
  const lineOf = new Map(
    [...agreed, ...differences.other_price, ...differences.failed_here, ...differences.no_price].map(
      ({ line, attempt }) => [nameOf(attempt!), line!],
    ),
  );
  return unknown.map((row) => {
    const all = unresolvedAttempts(row);
    const open = all.filter((attempt) => attempt.vendor === vendor);
    const listed = open.flatMap((attempt) => {
      const line = lineOf.get(nameOf(attempt));
      return line ? [{ attempt, line }] : [];
    });
    // Near the start or end of the period, the vendor's clock may have put the attempt on another invoice.
    const isCovered = (attempt: Attempt) =>
      lineOf.has(nameOf(attempt)) ||
      (attempt.started_at >= covered.from + clockTolerance && attempt.started_at < covered.to - clockTolerance);
    const left = (end: UnknownEnd): Decision => ({ row, attempts: [], end, as: null, listed });
    const hasEnded = row.state !== "unknown";
    if (ambiguous.has(row.reference)) return left("ambiguous");
    if (!hasEnded && open.length < all.length) return left("other_vendor");
    if (!open.every(isCovered)) return left("not_covered");
    if (at - row.started_at < settledAfter) return left("too_young");
    const released = (end: UnknownEnd, attempts: readonly AttemptEnd[] = []): Decision => ({
      row,
      attempts,
      end,
      as: "failed",
      listed,
    });
    if (hasEnded)
      return released(
        listed.length === 0 ? "attempt_released" : "attempt_billed",
        open.map((attempt) => ({
          number: attempt.number,
          reason: reasonOf(
            listed.find((each) => each.attempt === attempt),
            prices,
          ),
        })),
      );
    if (listed.length === 0) return released("released");
    const negative = negativeIn(listed, prices);
    const isLast = listed.at(-1)!.attempt === open.at(-1);
    return negative && isLast ? { ...released("settled"), as: negative } : released("billed");
  });
}

/**
 * Returns the reason to write for an attempt without an outcome: the negative one with the price of its line, if there
 * is only one, else `record_lost`. Without a line: `released`.
 */
function reasonOf(
  listed: Decision["listed"][number] | undefined,
  prices: VendorPrices | undefined,
): AttemptEnd["reason"] {
  return listed === undefined ? "released" : (negativeIn([listed], prices) ?? "record_lost");
}

/**
 * Returns the negative outcome that the prices of all lines imply. Without that, a line only proves that the vendor did
 * the work.
 */
function negativeIn(listed: Decision["listed"], prices: VendorPrices | undefined) {
  const named = new Set(listed.map(({ attempt, line }) => outcomeBilledAt(line.price, attempt, prices)));
  return named.size === 1 ? negativeReasons.find((reason) => named.has(reason)) : undefined;
}

/**
 * Applies the decisions, each in its own transaction, and returns the result of each. Skips verifications that have
 * changed meanwhile.
 */
export async function settleUnknowns(
  room: SettlingRoom & { progress: (done: number, all: number) => void },
  decisions: readonly Decision[],
  reason: string,
): Promise<Decision[]> {
  const done: Decision[] = [];
  for (const decision of decisions) {
    done.push(decision.as === null ? decision : await settled(room, decision, decision.as, reason));
    room.progress(done.length, decisions.length);
  }
  return done;
}

async function settled(room: SettlingRoom, decision: Decision, as: SettledAs, why: string): Promise<Decision> {
  const { row, attempts, listed } = decision;
  const { reference } = row;
  const places = listed.map(({ line }) => line.line).join(" and ");
  const reason = `${why} (${places === "" ? "not on the invoice" : `line ${places}`})`;
  const billed = listed.map(({ attempt }) => attempt.number);
  try {
    if (attempts.length > 0) await settleAttempts(room, { reference, attempts, reason });
    else await settle(room, { reference, as, reason, billed });
    return decision;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { ...decision, end: "changed", as: null };
  }
}
