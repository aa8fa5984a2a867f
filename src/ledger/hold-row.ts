import type { Transaction } from "kysely";
import { isSqlite } from "../storage/engine.ts";
import { piecesOf } from "../storage/queries/pieces.ts";
import type { Tables } from "../storage/tables.ts";

/**
 * Locks a verification's row until the transaction ends, so that the row and its attempts cannot change until then.
 * SQLite needs no lock, because its transactions run one after another.
 */
export async function holdRow(trx: Transaction<Tables>, reference: string): Promise<void> {
  await holdRows(trx, [reference]);
}

/** Like `holdRow`, for many rows, always in one order, so that no two transactions wait for each other. */
export async function holdRows(trx: Transaction<Tables>, references: Iterable<string>): Promise<void> {
  if (isSqlite(trx)) return;
  for (const piece of piecesOf([...new Set(references)].sort()))
    await trx
      .selectFrom("verification")
      .select("reference")
      .where("reference", "in", piece)
      .orderBy("reference")
      .forUpdate()
      .execute();
}
