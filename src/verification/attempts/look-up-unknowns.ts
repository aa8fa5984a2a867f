import { sql } from "kysely";
import type { Mode } from "../../declare/operation.ts";
import { unresolvedAttempts, vendorReferenceOf, withAttempts } from "../../ledger/attempts.ts";
import type { DeferredOutcomes } from "../../ledger/deferred-outcomes.ts";
import type { Row } from "../../ledger/ledger.ts";
import { notVerified } from "../../ledger/transitions.ts";
import { withLogFields } from "../../runtime/log.ts";
import { keyLifetime } from "../../storage/tables/ledger-tables.ts";
import type { Db } from "../../storage/tables.ts";
import type { IdentityUpstream } from "../../vendors/ports/identity-upstream.ts";
import { didNoWork } from "../../vendors/ports/outcomes.ts";
import type { VerificationDependencies } from "../verification-dependencies.ts";
import { loggableError } from "./asked-vendors.ts";

/**
 * Milliseconds. An attempt younger than `youngest` may still get a response. A vendor may have forgotten an attempt
 * older than `oldest`, just as we forget idempotency keys after 24 h.
 */
const youngest = 60_000;
const oldest = 23 * 60 * 60 * 1000;
const mostInARound = 20;
const patience = 10_000;

type LookUpParts = Pick<VerificationDependencies, "upstreams" | "log" | "now"> & {
  deferredOutcomes: Pick<DeferredOutcomes, "add">;
  /** Whether this process still waits for the row's upstream. */
  isAwaited: (reference: string) => boolean;
};

/**
 * One round: looks up verifications with an unknown outcome one after another, and writes `negative` and `failed`.
 * Ignores records, because only a retry with the key brings the number and phone to compare with the record.
 */
export async function lookUpUnknowns(db: Db, parts: LookUpParts, signal: AbortSignal): Promise<void> {
  const { live, test } = parts.upstreams;
  // Each mode has its own query, so that many rows of one mode do not block the other mode.
  await lookUpOf("live", live, db, parts, signal);
  await lookUpOf("test", [test], db, parts, signal);
}

async function lookUpOf(
  mode: Mode,
  upstreams: readonly IdentityUpstream[],
  db: Db,
  { deferredOutcomes, isAwaited, log, now }: LookUpParts,
  signal: AbortSignal,
): Promise<void> {
  const sources = new Map(upstreams.filter(({ lookUp }) => lookUp).map((upstream) => [upstream.name, upstream]));
  if (sources.size === 0) return;
  const rows = await db
    .selectFrom("verification")
    .selectAll()
    .where("state", "=", "unknown")
    .where(notVerified)
    .where("mode", "=", mode)
    .where("started_at", "<", now() - youngest)
    .where("started_at", ">", now() - oldest)
    // This condition uses the index. A row can start again only while its idempotency key is kept.
    .where("created_at", ">", now() - oldest - keyLifetime)
    .where("reference", "in", (query) =>
      query
        .selectFrom("verification_attempt as attempt")
        .select("attempt.reference")
        .whereRef("attempt.reference", "=", "verification.reference")
        .where("attempt.outcome", "=", "unknown")
        .where("attempt.vendor", "in", [...sources.keys()]),
    )
    // The order is random, so that rows that stay unknown do not block later rows.
    .orderBy(sql`random()`)
    .limit(mostInARound)
    .execute();
  for (const row of (await withAttempts(db, rows)) as Row[]) {
    if (signal.aborted) return;
    if (isAwaited(row.reference)) continue;
    const attempt = unresolvedAttempts(row).findLast(({ vendor }) => sources.has(vendor));
    const source = attempt && sources.get(attempt.vendor);
    if (!source) continue;
    try {
      const ends = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
      const fields = { requestId: row.request_id, account: row.account_id, key: row.key_id, mode };
      const earlier = { reference: row.reference, signal: ends, ...vendorReferenceOf(row, source.name) };
      const outcome = await withLogFields(fields, () => source.lookUp!(earlier));
      const ended = { attempt: attempt.number, at: now() };
      if (didNoWork(outcome)) deferredOutcomes.add(row, { state: "failed", reason: "not_done", ...ended });
      if (outcome.state === "negative") {
        const { state, reason, billed } = outcome;
        deferredOutcomes.add(row, { state, reason, ...(billed && { billed }), ...ended });
      }
    } catch (error) {
      log.warn(
        { vendor: source.name, reference: row.reference, ...loggableError(error) },
        "A look-up broke off with an error",
      );
    }
  }
}
