import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { type AccountTerms, balancePeriod } from "../../operation/account-terms.ts";
import type { CheckKind } from "../../operation/check-kind.ts";
import { CommandError } from "../../operation/command.ts";
import { nairaOf } from "../../operation/money.ts";
import type { Mode } from "../../operation/operation.ts";
import { redactNumbers } from "../../runtime/redact.ts";
import type { Audited } from "../../storage/audited.ts";
import { announce } from "../../storage/events/announce.ts";
import type { Tables } from "../../storage/tables.ts";

/** A correction of what an account was charged. */
export interface Correction {
  accountId: string;
  mode: Mode;
  /** What it adds to the fees, in kobo. Negative: the account pays less. */
  kobo: number;
  reason: string;
  /** The verification that it concerns, if it concerns one. */
  reference?: string | undefined;
}

/**
 * Adds a line to the books. It counts in the month in which it is made, so that the statements of past months stay as they are.
 * Throws a `CommandError` if no verification of the account and mode has the reference.
 */
export async function adjust(
  { db, audit, actor }: Audited,
  { accountId, mode, kobo, reference, ...given }: Correction,
  now: number = Date.now(),
): Promise<{ id: string; at: number; kind: CheckKind | null }> {
  const reason = redactNumbers(given.reason);
  return db.transaction().execute(async (trx) => {
    const corrected =
      reference === undefined
        ? null
        : await trx
            .selectFrom("verification")
            .select("kind")
            .where("reference", "=", reference)
            .where("account_id", "=", accountId)
            .where("mode", "=", mode)
            .executeTakeFirst();
    if (corrected === undefined)
      throw new CommandError(`The account has no ${mode} verification with the reference "${reference}".`);
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
    await audit(trx, { kind: "books.adjusted", actor, facts });
    const change = {
      ...{ request_reference: row.reference, kind: row.kind as CheckKind | null },
      ...{ fee: nairaOf(Math.abs(kobo)), charged_at: new Date(now).toISOString() },
    };
    const type = kobo < 0 ? "verification.reversed" : "verification.charged";
    await announce(trx, { type, audience: accountId, mode, about: reference ?? row.id, at: now, data: change });
    return { id: row.id, at: now, kind: row.kind as CheckKind | null };
  });
}

/** A prepaid account pays a correction from its balance. Throws a `CommandError` if that is too low. */
async function adjustBalance(trx: Kysely<Tables>, accountId: string, kobo: number): Promise<void> {
  const account = await trx.selectFrom("account").select("terms").where("id", "=", accountId).executeTakeFirst();
  if (!account || !(JSON.parse(account.terms) as AccountTerms).prepaid) return;
  const adjusted = await trx
    .updateTable("spending")
    .set((row) => ({ most_kobo: row("most_kobo", "-", kobo) }))
    .where("account_id", "=", accountId)
    .where("period", "=", balancePeriod)
    .where((row) => row(row("most_kobo", "-", kobo), ">=", row.ref("kobo")))
    .returning("period")
    .executeTakeFirst();
  if (!adjusted) throw new CommandError("The account is prepaid, and its balance is less than the debit.");
}
