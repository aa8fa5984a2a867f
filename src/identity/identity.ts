import type { Kysely } from "kysely";
import { KeyedHashes } from "../keyring/keyed-hash.ts";
import type { CurrentKeyring } from "../keyring/keyring.ts";
import type { Mode } from "../operation/operation.ts";
import { type Log, silent } from "../runtime/log.ts";
import { withTimeout } from "../runtime/timeout.ts";
import type { Audit } from "../storage/audited.ts";
import { codeOf } from "../storage/errors.ts";
import type { Tables } from "../storage/tables.ts";
import { startBackgroundJobs } from "./background-jobs.ts";
import { Charges } from "./ledger/charges.ts";
import { DeferredOutcomes } from "./ledger/deferred-outcomes.ts";
import { openLeases, singleProcessLeases } from "./ledger/leases.ts";
import { Ledger, type Row } from "./ledger/ledger.ts";
import { RetentionClock } from "./ledger/retention-clock.ts";
import { type IdentitySettings, keyLifetime } from "./settings.ts";
import { Attempts } from "./verification/attempts.ts";
import { VerificationLimits } from "./verification/limits.ts";
import { lookUpUnknowns } from "./verification/look-up-unknowns.ts";
import type { VerifiedRecord } from "./verification/replay.ts";
import type { VerificationRequest } from "./verification/request.ts";
import type { Upstreams } from "./verification/select-upstreams.ts";
import { Verifications } from "./verification/verifications.ts";

export interface IdentityParts {
  db: Kysely<Tables>;
  engine: "sqlite" | "postgres";
  keyring: CurrentKeyring;
  upstreams: Upstreams;
  settings: IdentitySettings;
  /** Milliseconds since 1970. */
  now?: () => number;
  log?: Log;
  audit: Audit;
}

/** Which verification: by Duba's reference or by the caller's key, of one account and mode. */
export type Sought = { accountId: string; mode: Mode } & ({ reference: string } | { idempotencyKey: string });

/** The interface that the operations of this room use. */
export interface Identity {
  readonly settings: IdentitySettings;
  /** Returns the record or throws a `Failure` with the facts of the verification. */
  verify(request: VerificationRequest): Promise<VerifiedRecord>;
  find(sought: Sought): Promise<Row | undefined>;
  /** Refuses new verifications and finishes the running ones; those not finished after `deadlineMs` become `unknown`. */
  stop(deadlineMs: number): Promise<void>;
}

/** Milliseconds of a stop that are reserved for abandoning unfinished verifications. */
const stopReserve = 500;

/**
 * Opens the room for serving. On SQLite this makes every running verification of an earlier process `unknown`, so call it
 * only in the process that serves.
 */
export async function openIdentity(parts: IdentityParts): Promise<Identity> {
  const { db, engine, keyring, upstreams, settings, now = Date.now, log = silent, audit } = parts;
  const ledger = new Ledger(db);
  const keyedHashes = new KeyedHashes(keyring, now);
  const retentionClock = new RetentionClock(db, now, log);
  await retentionClock.open();
  const limits = new VerificationLimits(db, settings, keyedHashes);
  const leases = engine === "sqlite" ? singleProcessLeases() : await openLeases(db, log);
  await ledger.abandonAll(leases);
  const charges = new Charges(db, now);
  const deferred = new DeferredOutcomes(ledger, charges, log);
  const attempts = new Attempts({ ledger, deferred, leases, keyring, settings, log, now });
  const verifications = new Verifications({
    ledger,
    charges,
    attempts,
    deferred,
    limits,
    leases,
    keyedHashes,
    keyring,
    upstreams,
    settings,
    log,
    now,
    retentionNow: retentionClock.now,
  });

  const lookUp = (signal: AbortSignal) =>
    lookUpUnknowns(
      {
        db,
        upstreams: upstreams.live,
        isAwaited: (reference) => attempts.hasOverdueCall(reference) || deferred.has(reference),
        deferOutcome: (row, outcome) => deferred.add(row, outcome),
        log,
        now,
      },
      signal,
    );
  const failOrphanedRows = () => verifications.failOrphanedRows();
  const jobs = startBackgroundJobs({
    db,
    ledger,
    leases,
    settings,
    retentionClock,
    log,
    audit,
    failOrphanedRows,
    lookUp,
  });

  return {
    settings,
    verify: (request) => verifications.verify(request),
    find: async (sought) => {
      const { accountId, mode } = sought;
      if ("reference" in sought) return ledger.byReference(accountId, mode, sought.reference);
      const hashes = keyedHashes.all("idempotency key", [accountId, mode, sought.idempotencyKey]);
      const row = await ledger.byKey(hashes);
      return row && row.created_at > retentionClock.now() - keyLifetime ? row : undefined;
    },
    stop: async (deadlineMs) => {
      const finished = verifications
        .stop()
        .then(() => attempts.idle())
        .then(() => deferred.drained());
      await withTimeout(finished, deadlineMs - stopReserve);
      attempts.stop();
      deferred.stop();
      await jobs.stop();
      await withTimeout(finished, stopReserve / 2);
      try {
        await ledger.abandonAll({ owner: leases.ownerId });
        await leases.stop();
      } catch (error) {
        log.warn({ code: codeOf(error) }, "Running verifications could not be handed back at the stop");
      }
    },
  };
}
