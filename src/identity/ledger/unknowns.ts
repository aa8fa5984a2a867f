import type { Kysely } from "kysely";
import type { Mode } from "../../operation/operation.ts";
import type { Tables } from "../../storage/tables.ts";

/** A verification whose outcome is unknown. */
export interface UnknownVerification {
  reference: string;
  accountId: string;
  mode: Mode;
  /** The upstream that may have done the work; null if none was called. */
  upstream: string | null;
  attempts: number;
  /** When it was tried last, in milliseconds since 1970. */
  since: number;
}

/** All verifications in state `unknown`, oldest first. */
export async function unknownVerifications(db: Kysely<Tables>): Promise<UnknownVerification[]> {
  const rows = await db
    .selectFrom("verification")
    .select(["reference", "account_id", "mode", "upstream", "attempts", "started_at"])
    .where("state", "=", "unknown")
    .orderBy("started_at")
    .orderBy("reference")
    .execute();
  return rows.map(({ reference, account_id, mode, upstream, attempts, started_at }) => ({
    reference,
    accountId: account_id,
    mode: mode as Mode,
    upstream,
    attempts,
    since: started_at,
  }));
}
