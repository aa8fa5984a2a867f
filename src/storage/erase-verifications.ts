import type { Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/** Replaces the values that identify a person once the person is erased. */
export const erased = "erased";

/** A row that was erased, with the sealed record that it had before. */
export type ErasedRow = Pick<Tables["verification"], "reference" | "account_id" | "mode" | "sealed_record">;

/**
 * Removes the person with these hashes from at most `most` rows of the ledger, and returns these rows. Charges stay.
 */
export async function eraseVerifications(
  trx: Transaction<Tables>,
  hashes: readonly string[],
  most: number,
): Promise<ErasedRow[]> {
  // We lock the rows first, so that outcomes written from now on store no record.
  const rows = await trx
    .updateTable("verification")
    .set({
      subject_hash: erased,
      subject_last4: erased,
      consent_reference: null,
      body_hash: null,
      lasting_idempotency_hash: null,
    })
    .where("reference", "in", (query) =>
      query.selectFrom("verification").select("reference").where("subject_hash", "in", hashes).limit(most),
    )
    .returning(["reference", "account_id", "mode", "sealed_record"])
    .execute();
  const references = rows.map(({ reference }) => reference);
  if (references.length > 0)
    await trx.updateTable("verification").set({ sealed_record: null }).where("reference", "in", references).execute();
  return rows;
}
