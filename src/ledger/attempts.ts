import { type Expression, type SqlBool, sql } from "kysely";
import type { CheckKind } from "../declare/check-kind.ts";
import type { Sealed } from "../keyring/envelope-encryption.ts";
import type { Changed } from "../storage/queries/follow-ups.ts";
import { piecesOf } from "../storage/queries/pieces.ts";
import type { Db, Tables, VerificationRow } from "../storage/tables.ts";
import type { IdentityOutcome, OutcomeFacts } from "../vendors/ports/identity-upstream.ts";
import { negative } from "../vendors/ports/outcomes.ts";
import { type AttemptReason, type Reason, storedReason } from "../vendors/ports/reasons.ts";
import { type BilledAttempt, billOf, type PricesByVendor } from "../vendors/vendor-prices.ts";
import type { OutcomeState } from "./transitions.ts";

/**
 * One attempt at a vendor, or an intent for which no request may have been sent. An attempt is written with the outcome
 * `unknown` before its request is sent, and keeps that outcome if the process dies. The attempt has the number of its
 * run.
 */
export type Attempt = Omit<Tables["verification_attempt"], "kind" | "outcome" | "reason" | "billed"> & {
  kind: CheckKind;
  billed: BilledAttempt["billed"];
  outcome: OutcomeState;
  reason: AttemptReason | null;
};

/** The vendor, time and request of a run's attempt. */
export interface AttemptStart {
  vendor: string;
  at: number;
  requestId: string;
  /** Kobo that the vendor bills. Null: not configured. */
  price: number | null;
  /** A `VendorChoice` as stored. */
  why?: string | null;
}

/**
 * The outcome of a run: the outcome of its attempt, with the charge and the sealed record. Without a reason, the run
 * sent nothing, or learned nothing.
 */
export type RunOutcome<Found extends object = object> = (
  | IdentityOutcome<Found>
  | ({ state: "failed" | "unknown"; reason: null; lasting?: boolean; notSent?: true } & OutcomeFacts)
) & {
  /**
   * Null for a run that made no attempt, or learned nothing about an earlier attempt that it looked up or waited for.
   */
  attempt: number | null;
  at: number;
  /**
   * Another vendor was next, but the store did not confirm that attempt. The verification fails, and a retry goes on
   * with the route.
   */
  interrupted?: true;
  /** The mark of the charge; null if nothing is charged. */
  charge?: string | null;
  sealed?: Sealed | null;
};

/** The journal's facts about a row before its current run. */
export interface Journaled {
  /** Whether callers were told that its outcome is unknown. */
  toldUnknown: boolean;
  /** The number of its last attempt. */
  attempts: number;
}

/** The facts of a new row, about which the journal has no entry yet. */
export const nothing: Journaled = { toldUnknown: false, attempts: 0 };

/** Identifies the run of an outcome. The outcome has no effect if another run or owner has the row. */
export interface Run extends Pick<VerificationRow, "reference" | "account_id" | "owner" | "run" | "spends" | "fee"> {
  attempts: readonly Attempt[];
  /** Undefined if the journal has nothing of the row yet. */
  journaled?: Journaled;
}

/**
 * Returns how a run leaves its verification if that differs from its attempt's outcome; else undefined. While an
 * earlier attempt is unresolved, a failure leaves the verification unknown, because that vendor may have found the
 * person.
 */
export function runEnd(run: Pick<Run, "attempts">, outcome: RunOutcome) {
  if (outcome.state === "verified") return undefined;
  const end = lateEnd(run, outcome);
  const awaited = unresolvedAttempts(run).findLast(({ number }) => number !== outcome.attempt);
  if (!awaited || (end ?? outcome).state !== "failed") return end;
  return { state: "unknown", reason: awaited.reason as Reason<"unknown"> | null } as const;
}

/**
 * Returns how an outcome ends a verification whose other attempts are resolved, if that differs from the outcome; else
 * undefined. The verification fails if "not found" should have led to a second vendor, but none was asked. The
 * verification ends as "not found" if an earlier vendor reported that, and the last vendor failed.
 */
export function lateEnd({ attempts }: Pick<Run, "attempts">, outcome: RunOutcome) {
  if (outcome.interrupted)
    return outcome.state === "negative" ? ({ state: "failed", reason: null } as const) : undefined;
  const wasAsked = outcome.state === "failed" && outcome.reason !== null;
  if (!wasAsked || !attempts.some(isNotFound)) return undefined;
  const isAwaited = unresolvedAttempts({ attempts }).some(({ number }) => number !== outcome.attempt);
  return isAwaited ? undefined : negative("not_found");
}

/**
 * The outcome of a run that sent nothing. `attempt`: the number of an intent that the run may have written. Null for a
 * run that only looked up or waited for an earlier attempt, which stays unknown.
 */
export function unsentOutcome(attempt: number | null, at: number) {
  if (attempt === null) return { state: "unknown", reason: null, attempt, at } as const satisfies RunOutcome;
  return { state: "failed", reason: null, notSent: true, attempt, at } as const satisfies RunOutcome;
}

/** The attempts of a row with an unknown outcome, oldest first. */
export function unresolvedAttempts({ attempts }: { attempts: readonly Attempt[] }): Attempt[] {
  return attempts.filter(({ outcome }) => outcome === "unknown");
}

/** Whether the vendor found nobody with the number. */
export function isNotFound({ outcome, reason }: Pick<Attempt, "outcome" | "reason">): boolean {
  return outcome === "negative" && reason === "not_found";
}

/** The vendor of the last attempt; null if there was none. */
export function lastVendor({ attempts }: { attempts: readonly Attempt[] }): string | null {
  return attempts.at(-1)?.vendor ?? null;
}

/** The newest reference that the vendor returned for the verification. */
export function vendorReferenceOf(
  { attempts }: { attempts: readonly Attempt[] },
  vendor: string,
): { vendorReference?: string } {
  let told: { vendorReference?: string } = {};
  for (const { vendor: asked, vendor_reference } of attempts)
    if (asked === vendor && vendor_reference !== null) told = { vendorReference: vendor_reference };
  return told;
}

/** Adds the attempts to ledger rows, oldest first. */
export async function withAttempts<Row extends { reference: string }>(
  db: Db,
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

/** The attempt of a row's current run. */
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
    started_at: at,
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
    http_status: null,
    billed: null,
    why,
  };
}

/** The vendor's bill for an attempt, as the ledger stores it. */
export type AttemptBill = Pick<Attempt, "bill" | "bill_certain">;

/** The vendor's bill as the journal stores it: the uncertain part, and whether the bill is unknown. */
export type JournaledBill = Pick<Tables["verification_journal"], "bill"> & { unsure: number; unpriced: number };

/** The bill of an entry that ends no attempt. */
export const noBill: JournaledBill = { bill: null, unsure: 0, unpriced: 0 };

export function journaledBill({ bill, bill_certain }: AttemptBill): JournaledBill {
  return { bill, unsure: bill_certain === 0 ? (bill ?? 0) : 0, unpriced: bill === null ? 1 : 0 };
}

/** Adds the bill for an outcome at these prices. */
export function withBill<
  Outcome extends { attempt: number | null; state: OutcomeState } & Pick<Attempt, "reason" | "billed">,
>(attempts: readonly Attempt[], outcome: Outcome, prices: PricesByVendor): Outcome & AttemptBill {
  const { state, reason, billed } = outcome;
  for (const attempt of attempts) {
    if (attempt.number !== outcome.attempt) continue;
    const { kobo, isCertain } = billOf({ ...attempt, outcome: state, reason, billed }, prices[attempt.vendor]);
    return { ...outcome, bill: kobo, bill_certain: isCertain ? 1 : 0 };
  }
  return { ...outcome, bill: null, bill_certain: 0 };
}

/**
 * Returns an outcome in its stored form. An attempt that was not sent is deleted. But an attempt that the journal
 * already names counts in the sums and the audit trail, so it stays, as an attempt for which the vendor did no work.
 */
export function storedOutcome(
  attempts: readonly Attempt[],
  outcome: RunOutcome,
  isKnown: boolean,
  prices: PricesByVendor,
) {
  const { state, attempt, at, reference: vendor_reference = null, billed = null } = outcome;
  const { httpStatus: http_status = null } = outcome;
  const reason = "reason" in outcome && outcome.reason ? storedReason(outcome.reason) : null;
  const notSent = isNotSent(outcome);
  const told: Pick<Attempt, "reason" | "billed"> =
    notSent && isKnown ? { reason: reason ?? "not_done", billed: "no" } : { reason, billed };
  const ended = { attempt, state, at, vendor_reference, http_status, notSent: notSent && !isKnown, ...told };
  return withBill(attempts, ended, prices);
}
export type StoredOutcome = ReturnType<typeof storedOutcome>;

/**
 * Whether the vendor certainly did not get the request. Such an attempt does not count and is removed, unless the
 * journal already names it.
 */
export function isNotSent(outcome: RunOutcome): boolean {
  return outcome.state === "failed" && outcome.notSent === true;
}

/** The attempts after one of them got this outcome. */
export function withOutcome(attempts: readonly Attempt[], ended: StoredOutcome): Attempt[] {
  const { attempt, notSent } = ended;
  return attempts
    .filter(({ number }) => !(notSent && number === attempt))
    .map((one) => (one.number === attempt ? { ...one, ...endColumns(ended) } : one));
}

function endColumns({
  state,
  at,
  reason,
  vendor_reference,
  http_status,
  billed,
  bill,
  bill_certain,
}: Omit<StoredOutcome, "notSent">) {
  const answered = state === "unknown" ? {} : { answered_at: at };
  return { outcome: state, reason, vendor_reference, http_status, billed, bill, bill_certain, ...answered };
}

const startColumns = [
  "reference",
  "number",
  "account_id",
  "mode",
  "kind",
  "vendor",
  "started_at",
  "outcome",
  "price",
  "bill",
  "bill_certain",
  "why",
  "request_id",
] as const satisfies (keyof Attempt)[];

/** The statement that writes an attempt before its request is sent, if the row is in `changed`. */
export function openAttempt(db: Db, changed: Changed, attempt: Attempt) {
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

/**
 * The statement that writes the outcome of an attempt, if the row is in `changed` and meets `holds`. It deletes an
 * attempt that was not sent.
 */
export function closeAttempt(
  db: Db,
  changed: Changed,
  { reference, ...ended }: Omit<StoredOutcome, "state" | "notSent"> & { reference: string },
  { state, notSent }: Pick<StoredOutcome, "state" | "notSent">,
  holds = sql<SqlBool>`1 = 1`,
) {
  const isOpen = openAttemptOf(reference, ended.attempt);
  const isOfRow = sql<SqlBool>`verification.reference = ${reference} and ${holds}`;
  if (notSent)
    return db
      .deleteFrom("verification_attempt")
      .where(isOpen)
      .where(({ exists, selectFrom }) => exists(selectFrom(changed).select("verification.reference").where(isOfRow)));
  const change = endColumns({ ...ended, state });
  return db.updateTable("verification_attempt").from(changed).set(change).where(isOpen).where(isOfRow);
}

/**
 * Whether a row of `verification_attempt` is this attempt and its outcome may still change. An unknown outcome may
 * change, and so may an operator's statement, which the vendor's response overrides.
 */
export function openAttemptOf(reference: string, attempt: number | null): Expression<SqlBool> {
  return sql<SqlBool>`verification_attempt.reference = ${reference} and verification_attempt.number = ${attempt}
    and (verification_attempt.outcome = 'unknown' or verification_attempt.reason in ('released', 'record_lost'))`;
}

/** Whether this is the row's only attempt with an unknown outcome. */
export function isOnlyUnresolved(reference: string, attempt: number | null): Expression<SqlBool> {
  return sql<SqlBool>`(select case count(*) when 1 then max(number) end from verification_attempt
    where reference = ${reference} and outcome = 'unknown') = ${attempt}`;
}
