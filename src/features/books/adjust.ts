import { randomUUID } from "node:crypto";
import type { AccountTerms } from "../../declare/account-terms.ts";
import type { CheckKind } from "../../declare/check-kind.ts";
import { InputError } from "../../declare/command/read-texts.ts";
import { CommandError } from "../../declare/command.ts";
import { nairaOf, nairaText } from "../../declare/money.ts";
import type { Mode } from "../../declare/operation.ts";
import { adjustmentsOf } from "../../ledger/reports/inspect.ts";
import { lowerBalance } from "../../ledger/spending/spending.ts";
import { redactNumbers } from "../../runtime/redact.ts";
import { type Audited, inTransaction } from "../../storage/audited.ts";
import { isSqlite } from "../../storage/engine.ts";
import { announce } from "../../storage/events/announce.ts";
import type { Db, VerificationRow } from "../../storage/tables.ts";
import { booksTrail } from "./books-trail.ts";

/** A correction of an account's charges. */
export interface Correction {
  accountId: string;
  mode: Mode;
  /** Kobo added to the fees. Negative: the account pays less. */
  kobo: number;
  reason: string;
  /** The corrected verification. Undefined: the correction concerns none. */
  reference?: string | undefined;
  /** Whether a second correction of the same verification is allowed. */
  sure?: boolean;
}

/**
 * Adds a correction to the books. It counts in the current month, so statements of past months do not change. Throws a
 * `CommandError` for an unknown reference, a credit above what is left of the charge, and a debit above a prepaid
 * balance; an `InputError` for a second correction without `sure`.
 */
export async function adjust(
  { db, audit, actor }: Audited,
  { accountId, mode, kobo, reference, sure = false, ...given }: Correction,
  now: number = Date.now(),
): Promise<{ id: string; at: number; kind: CheckKind | null }> {
  const reason = redactNumbers(given.reason);
  return inTransaction(db, async (trx) => {
    const corrected = await correctedBy(trx, { accountId, mode, kobo, reference, sure });
    const row = {
      id: randomUUID(),
      reference: reference ?? null,
      account_id: accountId,
      mode,
      kind: corrected?.kind ?? null,
      at: now,
      charges: 0,
      kobo,
      reason,
    };
    await trx.insertInto("adjustment").values(row).execute();
    if (mode === "live") await adjustBalance(trx, accountId, kobo);
    const facts = {
      adjustment: row.id,
      account: accountId,
      mode,
      reference: row.reference,
      fees: nairaOf(kobo),
      reason,
    };
    await audit(trx, booksTrail.adjusted(actor, facts));
    const change = {
      request_reference: row.reference,
      kind: row.kind as CheckKind | null,
      fee: nairaOf(Math.abs(kobo)),
      charged_at: new Date(now).toISOString(),
    };
    const type = kobo < 0 ? "verification.reversed" : "verification.charged";
    await announce(trx, { type, audience: accountId, mode, about: reference ?? row.id, at: now, data: change });
    return { id: row.id, at: now, kind: row.kind as CheckKind | null };
  });
}

/**
 * Returns the kind of the corrected verification, and the kobo left of its charge; null without a reference. Throws as
 * `adjust` does, except for the balance.
 */
export async function correctedBy(
  trx: Db,
  { accountId, mode, kobo, reference, sure = false }: Omit<Correction, "reason">,
): Promise<{ kind: CheckKind; left: number } | null> {
  if (reference === undefined) return null;
  const row = await trx
    .selectFrom("verification")
    .select(["reference", "kind", "fee", "charged_at", "created_at"])
    .where("reference", "=", reference)
    .where("account_id", "=", accountId)
    .where("mode", "=", mode)
    .$if(!isSqlite(trx), (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) throw new CommandError(`The account has no ${mode} verification with the reference "${reference}".`);
  return { kind: row.kind as CheckKind, left: await checkCorrections(trx, row, kobo, sure) };
}

/**
 * Returns the kobo left of a row's charge. Throws a `CommandError` if its corrections would exceed the charge, and an
 * `InputError` for a second correction without `sure`.
 */
async function checkCorrections(
  trx: Db,
  row: Pick<VerificationRow, "reference" | "fee" | "charged_at" | "created_at">,
  kobo: number,
  sure: boolean,
): Promise<number> {
  const made = await adjustmentsOf(trx, row);
  const total = made.reduce((sum, line) => sum + line.kobo, row.charged_at === null ? 0 : row.fee);
  if (kobo < 0 && total + kobo < 0)
    throw new CommandError(
      `The charge and the corrections of ${row.reference} come to ${nairaText(total)}. No more than that goes back.`,
    );
  const byHand = made.filter(({ charges }) => charges === 0);
  if (sure || byHand.length === 0) return total;
  const lines = byHand.map((line) => `${nairaText(line.kobo)} (${line.reason})`).join(", ");
  const before = `${row.reference} was corrected by hand before: ${lines}`;
  throw new InputError([{ field: "sure", message: `is required for one more correction. ${before}` }]);
}

/** Takes a correction from the balance of a prepaid account. Throws a `CommandError` if the balance is too low. */
async function adjustBalance(trx: Db, accountId: string, kobo: number): Promise<void> {
  const account = await trx.selectFrom("account").select("terms").where("id", "=", accountId).executeTakeFirst();
  if (!account || !(JSON.parse(account.terms) as AccountTerms).prepaid) return;
  if (!(await lowerBalance(trx, accountId, kobo)))
    throw new CommandError("The account is prepaid, and its balance is less than the debit.");
}
