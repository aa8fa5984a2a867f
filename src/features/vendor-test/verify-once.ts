import { Failure } from "../../declare/failures.ts";
import { listedRoutes } from "../../ledger/identity-settings.ts";
import { commandLease } from "../../ledger/leases.ts";
import type { Row } from "../../ledger/ledger.ts";
import type { IdentityUpstream } from "../../vendors/ports/identity-upstream.ts";
import type { VerificationRequest } from "../../verification/request.ts";
import { Verifications, type VerifyingParts } from "../../verification/verifications.ts";

/** Milliseconds beyond the time limit of a verification for writing its outcome. */
const writing = 5_000;

/** A verification made by a command. */
export interface VerifiedOnce {
  row: Row;
  /** Why the vendor failed, if no attempt of the row says so. */
  because: string | null;
}

/**
 * Verifies once, at this vendor and no other, even if a person has paused it. All else is as in a client's
 * verification. Throws the `Failure` of a verification that was refused before a row was written.
 */
export async function verifyOnce(
  upstream: IdentityUpstream,
  parts: Omit<VerifyingParts, "leases" | "upstreams" | "retention">,
  request: VerificationRequest,
): Promise<VerifiedOnce> {
  const { db, now, settings } = parts;
  const leases = await commandLease(db, settings.timeLimit + writing);
  const verifications = new Verifications({
    ...parts,
    leases,
    settings: { ...settings, routes: listedRoutes },
    upstreams: { test: upstream, live: [upstream] },
    retention: { now, recordsNow: now },
  });
  try {
    const ended = await verifications.verify(request).then(
      ({ record }) => ({ reference: record.request_reference, because: null }),
      (error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        const { facts, logged } = error.detail;
        if (typeof facts?.request_reference !== "string") throw error;
        return { reference: facts.request_reference, because: (logged?.reason as string | undefined) ?? null };
      },
    );
    const row = await verifications.parts.ledger.byReference(request.accountId, request.mode, ended.reference);
    return { row: row!, because: ended.because };
  } finally {
    await verifications.stop(writing);
    await leases.end();
  }
}
