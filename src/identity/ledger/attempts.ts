import { type Expression, type Kysely, type SqlBool, sql } from "kysely";
import { type CheckKind, negativeReasons } from "../../operation/check-kind.ts";
import type { Changed } from "../../storage/queries/followed.ts";
import { piecesOf } from "../../storage/queries/pieces.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";
import { type BilledAttempt, billOf, type PricesByVendor } from "../../upstreams/vendor-prices.ts";
import type { OutcomeState } from "./transitions.ts";

/**
 * Why an attempt brought no record. The negative ones, and `no_phone`, a record without any, are about the person.
 * `bad_response`: we could not trust the response. `released`: an operator said that the vendor did no work. `record_lost`: that it
 * bills work of which no answer came. With `timed_out`, `connection_lost`, `server_error` and `unclear` it may have done the work.
 */
export const attemptReasons = [
  ...negativeReasons,
  "no_phone",
  "no_money",
  "bad_credentials",
  "bad_settings",
  "refused",
  "rate_limited",
  "out_of_service",
  "not_done",
  "released",
  "record_lost",
  "bad_response",
  "timed_out",
  "connection_lost",
  "server_error",
  "unclear",
] as const;
export type AttemptReason = (typeof attemptReasons)[number];

export function isAttemptReason(text: string): text is AttemptReason {
  return attemptReasons.some((reason) => reason === text);
}

/**
 * One attempt at a vendor, or what may have become one. It is written before its request is sent, with the outcome `unknown`,
 * and stays so if the process dies. Its number is that of the run that asked.
 */
export type Attempt = Omit<Tables["verification_attempt"], "kind" | "outcome" | "reason" | "billed"> & {
  kind: CheckKind;
  billed: BilledAttempt["billed"];
  outcome: OutcomeState;
  reason: AttemptReason | null;
};

/** Which vendor a run asks, when, and for which request. */
export interface AttemptStart {
  vendor: string;
  at: number;
  requestId: string;
  /** Kobo that the vendor bills. Null: not configured. */
  price: number | null;
  /** A stored `VendorChoice`. */
  why?: string | null;
}

/** What became of an attempt. */
export interface AttemptOutcome {
  /** Null: the run asked nobody, or learned nothing about its attempt. */
  attempt: number | null;
  state: OutcomeState;
  reason: AttemptReason | null;
  vendorReference: string | null;
  /** Whether the vendor says that it bills it. Null: it says nothing. */
  billed: BilledAttempt["billed"];
  /** The vendor certainly did not get the request, so that it was no attempt. */
  notSent: boolean;
  at: number;
}

/**
 * An outcome as the ledger writes it. An attempt that was not put is none, unless the journal names it: then it is in the sums and
 * on the audit trail, and stays as one that did no work.
 */
export function asCounted<Outcome extends AttemptOutcome>(outcome: Outcome, isKnown: boolean): Outcome {
  if (!outcome.notSent || !isKnown) return outcome;
  return { ...outcome, notSent: false, reason: outcome.reason ?? "not_done", billed: "no" };
}

/** The attempts of a row whose outcome is not known, oldest first. */
export function unresolvedAttempts({ attempts }: { attempts: readonly Attempt[] }): Attempt[] {
  return attempts.filter(({ outcome }) => outcome === "unknown");
}

/** Whether the vendor said that nobody has the number. */
export function isNotFound({ outcome, reason }: Pick<Attempt, "outcome" | "reason">): boolean {
  return outcome === "negative" && reason === "not_found";
}

/** The vendor that was asked last; null: none was. */
export function lastVendor({ attempts }: { attempts: readonly Attempt[] }): string | null {
  return attempts.at(-1)?.vendor ?? null;
}

/** The vendor's own reference of its last response that has one. */
export function vendorReferenceOf(
  { attempts }: { attempts: readonly Attempt[] },
  vendor: string,
): { vendorReference?: string } {
  const told = attempts.findLast((attempt) => attempt.vendor === vendor && attempt.vendor_reference !== null);
  return told ? { vendorReference: told.vendor_reference! } : {};
}

/** Adds their attempts to ledger rows, oldest first. */
export async function withAttempts<Row extends { reference: string }>(
  db: Kysely<Tables>,
  rows: readonly Row[],
): Promise<(Row & { attempts: Attempt[] })[]> {
  const attempts: Attempt[] = [];
  for (const references of piecesOf(rows.map(({ reference }) => reference)))
    attempts.push(
      ...((await db
        .selectFrom("verification_attempt")
        .selectAll()
        .where("reference", "in", references)
        .orderBy("number")
        .execute()) as Attempt[]),
    );
  const ofRow = Map.groupBy(attempts, ({ reference }) => reference);
  return rows.map((row) => ({ ...row, attempts: ofRow.get(row.reference) ?? [] }));
}

/** The attempt of a row's present run. */
export function newAttempt(
  {
    reference,
    run,
    account_id,
    mode,
    kind,
  }: Pick<VerificationRow, "reference" | "run" | "account_id" | "mode"> & { kind: string },
  { vendor, at, requestId, price, why = null }: AttemptStart,
): Attempt {
  const start = {
    reference,
    number: run,
    account_id,
    mode,
    kind: kind as CheckKind,
    vendor,
    asked_at: at,
    request_id: requestId,
    price,
  };
  return {
    ...start,
    bill: price,
    bill_certain: 0,
    answered_at: null,
    outcome: "unknown",
    reason: null,
    vendor_reference: null,
    billed: null,
    why,
  };
}

/** What a vendor bills for an attempt, as the attempt's row has it. */
export type AttemptBill = Pick<Attempt, "bill" | "bill_certain">;

/** An outcome with the bill that its attempt has by it, at these prices. */
export function withBill<Outcome extends Pick<AttemptOutcome, "attempt" | "state" | "reason" | "billed">>(
  attempts: readonly Attempt[],
  outcome: Outcome,
  prices: PricesByVendor,
): Outcome & AttemptBill {
  const asked = attempts.find(({ number }) => number === outcome.attempt);
  if (!asked) return { ...outcome, bill: null, bill_certain: 0 };
  const { state, reason, billed } = outcome;
  const { kobo, isCertain } = billOf({ ...asked, outcome: state, reason, billed }, prices[asked.vendor]);
  return { ...outcome, bill: kobo, bill_certain: isCertain ? 1 : 0 };
}

/** The attempts once one of them has its response. */
export function withOutcome(attempts: readonly Attempt[], answer: AttemptOutcome & AttemptBill): Attempt[] {
  const { attempt, state, reason, vendorReference, billed, bill, bill_certain, notSent, at } = answer;
  const answered_at = state === "unknown" ? null : at;
  const change = { outcome: state, reason, vendor_reference: vendorReference, billed, bill, bill_certain, answered_at };
  return attempts
    .filter(({ number }) => !(notSent && number === attempt))
    .map((one) => (one.number === attempt ? { ...one, ...change } : one));
}

const startColumns = [
  "reference",
  "number",
  "account_id",
  "mode",
  "kind",
  "vendor",
  "asked_at",
  "outcome",
  "price",
  "bill",
  "bill_certain",
  "why",
  "request_id",
] as const satisfies (keyof Attempt)[];

/** The statement that writes an attempt before its request is sent, if the row `changed`. */
export function openAttempt(db: Kysely<Tables>, changed: Changed, attempt: Attempt) {
  return db
    .insertInto("verification_attempt")
    .columns(startColumns)
    .expression((insert) =>
      insert
        .selectFrom(changed)
        .select((row) => startColumns.map((column) => row.val(attempt[column]).as(column)))
        .where("verification.reference", "=", attempt.reference),
    );
}

/** The statement that writes what became of an attempt, if the row `changed` and `holds` of it. One that was not put is deleted. */
export function closeAttempt(
  db: Kysely<Tables>,
  changed: Changed,
  {
    reference,
    attempt,
    reason,
    vendorReference,
    billed,
    bill,
    bill_certain,
    at,
  }: Omit<AttemptOutcome, "state" | "notSent"> & AttemptBill & { reference: string },
  { state, notSent }: Pick<AttemptOutcome, "state" | "notSent">,
  holds = sql<SqlBool>`1 = 1`,
) {
  const isOpen = openAttemptOf(reference, attempt);
  const isOfRow = sql<SqlBool>`verification.reference = ${reference} and ${holds}`;
  if (notSent)
    return db
      .deleteFrom("verification_attempt")
      .where(isOpen)
      .where(({ exists, selectFrom }) => exists(selectFrom(changed).select("verification.reference").where(isOfRow)));
  const answered = state === "unknown" ? {} : { answered_at: at };
  const change = {
    ...{ outcome: state, reason, vendor_reference: vendorReference, billed },
    ...{ bill, bill_certain, ...answered },
  };
  return db.updateTable("verification_attempt").from(changed).set(change).where(isOpen).where(isOfRow);
}

/** Whether it is this attempt, and its outcome may still change: it is unknown, or an operator's word that the vendor's answer outweighs. */
export function openAttemptOf(reference: string, attempt: number | null): Expression<SqlBool> {
  return sql<SqlBool>`verification_attempt.reference = ${reference} and verification_attempt.number = ${attempt}
    and (verification_attempt.outcome = 'unknown' or verification_attempt.reason in ('released', 'record_lost'))`;
}

/** Whether this attempt, and no other of its row, has an unknown outcome. */
export function isOnlyUnresolved(reference: string, attempt: number | null): Expression<SqlBool> {
  return sql<SqlBool>`(select case count(*) when 1 then max(number) end from verification_attempt
    where reference = ${reference} and outcome = 'unknown') = ${attempt}`;
}
