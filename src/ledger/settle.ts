import { negativeReasons } from "../declare/check-kind.ts";
import { CommandError } from "../declare/command.ts";
import { redactCredentials, redactNumbers } from "../runtime/redact.ts";
import { type Audited, inTransaction, type WithClock } from "../storage/audited.ts";
import { inTable } from "../storage/queries/follow-ups.ts";
import type { Db } from "../storage/tables.ts";
import type { AttemptReason } from "../vendors/ports/reasons.ts";
import type { PricesByVendor } from "../vendors/vendor-prices.ts";
import { type Attempt, closeAttempt, journaledBill, noBill, unresolvedAttempts, withBill } from "./attempts.ts";
import { holdRow } from "./hold-row.ts";
import { addToJournal, uncharged } from "./journal/journal-entry.ts";
import type { Row } from "./ledger.ts";
import { ledgerTrail } from "./ledger-trail.ts";
import { publicState } from "./public-state.ts";
import { verificationByReference } from "./reports/inspect.ts";
import { transitions } from "./transitions.ts";

/**
 * Outcomes that a person may set for a verification with an unknown outcome. `failed`: the vendor did no work, or its
 * response is lost.
 */
export const settledAs = [...negativeReasons, "failed"] as const;
export type SettledAs = (typeof settledAs)[number];

/**
 * Milliseconds. The vendor may still respond to a younger attempt, and its response is better evidence than a person's
 * statement.
 */
export const settledAfter = 10 * 60_000;

/** The resources of settling. */
export type SettlingRoom = Audited & WithClock & { config: { vendorPrices: PricesByVendor } };

/** A verification of any account. For operators. Throws a `CommandError` if there is none. */
export async function anyVerification(db: Db, reference: string): Promise<Row> {
  const found = await verificationByReference(db, reference);
  if (found) return found;
  const named = redactNumbers(redactCredentials(reference));
  throw new CommandError(`The ledger has no verification with the reference "${named}".`);
}

/**
 * Writes the outcome that a person learned from the vendor, for a verification with an unknown outcome. Charges nobody,
 * because no caller got a record. `billed`, with `failed`: numbers of the attempts that the vendor bills although it
 * sent no response. Throws a `CommandError` if there is no such verification, or if its outcome is known or may still
 * arrive.
 */
export async function settle(
  { db, audit, actor, now, config: { vendorPrices: prices } }: SettlingRoom,
  {
    reference,
    as,
    reason,
    billed = [],
  }: { reference: string; as: SettledAs; reason: string; billed?: readonly number[] },
): Promise<Row> {
  const at = now();
  const state = as === "failed" ? as : "negative";
  const stored = { state, reason: as === "failed" ? "released" : as } as const;
  await inTransaction(db, async (trx) => {
    await holdRow(trx, reference);
    const row = await anyVerification(trx, reference);
    if (row.state !== "unknown")
      throw new CommandError(
        `The verification ${reference} is ${publicState(row)}. Only one with an unknown outcome can be settled.`,
      );
    if (at - row.started_at < settledAfter)
      throw new CommandError(
        `The vendor was asked less than ${settledAfter / 60_000} minutes ago and may still answer. Try again after that.`,
      );
    const changed = await trx
      .updateTable("verification")
      .set({ ...stored, completed_at: at })
      .where("reference", "=", reference)
      .where("state", "in", transitions.settle.from)
      .where("run", "=", row.run)
      .returning("reference")
      .executeTakeFirst();
    if (!changed) throw new CommandError("The verification has changed in the meantime. Look at it again.");
    await closeAttempts(trx, row, stored, billed, { at, prices });
    const facts = { reference, state: as, reason: redactNumbers(redactCredentials(reason)) };
    await audit(trx, ledgerTrail.verificationSettled(actor, facts));
  });
  return anyVerification(db, reference);
}

/** The end of an attempt that had no outcome: its number, and why the attempt brought no record. */
export interface AttemptEnd {
  number: number;
  reason: (typeof negativeReasons)[number] | "released" | "record_lost";
}

/**
 * Writes the ends of unresolved attempts as an invoice shows them. The verification has another outcome, which does not
 * change. Throws a `CommandError` if one of the attempts has an outcome by now, or if the verification has none.
 */
export async function settleAttempts(
  { db, audit, actor, now, config: { vendorPrices: prices } }: SettlingRoom,
  { reference, attempts, reason: given }: { reference: string; attempts: readonly AttemptEnd[]; reason: string },
): Promise<void> {
  const at = now();
  const why = redactNumbers(redactCredentials(given));
  await inTransaction(db, async (trx) => {
    await holdRow(trx, reference);
    const row = await anyVerification(trx, reference);
    for (const { number, reason } of attempts) {
      const attempt = unresolvedAttempts(row).find((open) => open.number === number);
      if (!attempt || row.state === "started" || row.state === "unknown")
        throw new CommandError("The verification has changed in the meantime. Look at it again.");
      await endAttempt(trx, row, attempt, reason, { at, prices });
      const facts = { reference, attempt: number, state: reason, reason: why };
      await audit(trx, ledgerTrail.attemptSettled(actor, facts));
    }
  });
}

/**
 * `failed` closes all unresolved attempts. Any other outcome is that of the last unresolved attempt, and the earlier
 * ones stay unknown. `lost`: numbers of failed attempts that the vendor bills.
 */
async function closeAttempts(
  trx: Db,
  row: Row,
  { state, reason }: { state: "negative" | "failed"; reason: AttemptReason },
  lost: readonly number[],
  when: When,
): Promise<void> {
  const { reference, run } = row;
  const open = unresolvedAttempts(row);
  const closed = state === "failed" ? open : open.slice(-1);
  const reasonOf = ({ number }: Attempt) => (state === "failed" && lost.includes(number) ? "record_lost" : reason);
  for (const attempt of closed.slice(0, -1)) await endAttempt(trx, row, attempt, reasonOf(attempt), when);
  const last = closed.at(-1);
  const answer = last && answerOf(last, { state, reason: reasonOf(last) }, when);
  const what = state === "failed" ? "release" : "settling";
  const ended = {
    reason: answer?.reason ?? reason,
    attempt: answer?.attempt ?? null,
    ...(answer ? journaledBill(answer) : noBill),
  };
  const entry = { ...uncharged, reference, run, at: when.at, what, state, ...ended, told_unknown: 1 } as const;
  await addToJournal(trx, inTable, entry, last !== undefined).execute();
  if (answer) await closeAttempt(trx, inTable, answer, { state, notSent: false }).execute();
}

/** Ends an attempt without changing its verification. */
async function endAttempt(
  trx: Db,
  { reference, run }: Row,
  attempt: Attempt,
  reason: AttemptReason,
  when: When,
): Promise<void> {
  const state = negativeReasons.some((negative) => negative === reason) ? "negative" : "failed";
  const answer = answerOf(attempt, { state, reason }, when);
  const ended = { state, reason, attempt: attempt.number, ...journaledBill(answer) } as const;
  const entry = { ...uncharged, reference, run, at: when.at, what: "late_answer", ...ended } as const;
  await addToJournal(trx, inTable, entry, true).execute();
  await closeAttempt(trx, inTable, answer, { state, notSent: false }).execute();
}

/** When an attempt is ended, and the prices for its bill. */
interface When {
  at: number;
  prices: PricesByVendor;
}

function answerOf(
  attempt: Attempt,
  end: { state: "negative" | "failed"; reason: AttemptReason },
  { at, prices }: When,
) {
  const { reference, number, vendor_reference, http_status, billed } = attempt;
  const answer = { reference, attempt: number, ...end, vendor_reference, http_status, billed, at };
  return withBill([attempt], answer, prices);
}
