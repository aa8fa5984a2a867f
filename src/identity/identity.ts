import type { Kysely } from "kysely";
import type { Mode } from "../contract/operation.ts";
import type { Audit } from "../storage/audit.ts";
import { codeOf } from "../storage/fault.ts";
import type { Tables } from "../storage/tables.ts";
import { Attempts } from "./attempts.ts";
import { Charges } from "./charges.ts";
import { Fingerprints } from "./fingerprint.ts";
import type { HeldKeyring } from "./keyring.ts";
import { LateOutcomes } from "./late-outcomes.ts";
import { Ledger, type Row } from "./ledger.ts";
import { Limits } from "./limits.ts";
import { lookUpUnknowns } from "./look-ups.ts";
import { leasedOwner, soleOwner } from "./owners.ts";
import type { Given } from "./replays.ts";
import type { VerificationRequest } from "./request.ts";
import { type IdentityLog, type IdentitySettings, keyLifetime } from "./settings.ts";
import { SweepTime } from "./sweep-time.ts";
import { startUpkeep } from "./upkeep.ts";
import { type Upstreams, Verifications } from "./verification.ts";
import { within } from "./within.ts";

export interface IdentityParts {
  db: Kysely<Tables>;
  engine: "sqlite" | "postgres";
  keyring: HeldKeyring;
  upstreams: Upstreams;
  settings: IdentitySettings;
  /** Milliseconds since 1970. */
  now?: () => number;
  log?: IdentityLog;
  audit: Audit;
}

/** Which verification: by Duba's reference or by the caller's key, of one account and mode. */
export type Sought = { accountId: string; mode: Mode } & ({ reference: string } | { idempotencyKey: string });

/** The identity room, as its operations see it. */
export interface Identity {
  readonly settings: IdentitySettings;
  /** Gives the record or throws a `Failure` with the facts of the verification. */
  verify(request: VerificationRequest): Promise<Given>;
  find(sought: Sought): Promise<Row | undefined>;
  /** Refuses new verifications and finishes the running ones; what is not done after so many milliseconds is `unknown`. */
  stop(deadlineMs: number): Promise<void>;
}

const silent: IdentityLog = { warn() {}, error() {} };

/** The part of a stop that is kept for giving up what did not finish, in milliseconds. */
const stopReserve = 500;

/**
 * Opens the room for serving. On SQLite every verification that an earlier process left running is `unknown` when this
 * resolves, so call it only in the process that serves.
 */
export async function openIdentity(parts: IdentityParts): Promise<Identity> {
  const { db, engine, keyring, upstreams, settings, now = Date.now, log = silent, audit } = parts;
  const ledger = new Ledger(db);
  const fingerprints = new Fingerprints(keyring, now);
  const sweepTime = new SweepTime(db, now, log);
  await sweepTime.open();
  const limits = new Limits(db, settings, fingerprints);
  const owners = engine === "sqlite" ? soleOwner() : await leasedOwner(db, log);
  await ledger.disownAll(owners);
  const charges = new Charges(db, now);
  const late = new LateOutcomes(ledger, charges, log);
  const attempts = new Attempts({ ledger, late, owners, keyring, settings, log, now });
  const verifications = new Verifications({
    ledger,
    charges,
    attempts,
    late,
    limits,
    owners,
    fingerprints,
    keyring,
    upstreams,
    settings,
    log,
    now,
    keptUntil: sweepTime.now,
  });

  const lookUp = (signal: AbortSignal) =>
    lookUpUnknowns(
      {
        db,
        upstreams: upstreams.live,
        isAwaited: (reference) => attempts.isLeft(reference) || late.has(reference),
        learn: (row, finding) => late.add(row, finding),
        log,
        now,
      },
      signal,
    );
  const endStrays = () => verifications.endStrays();
  const upkeep = startUpkeep({ db, ledger, owners, settings, sweepTime, log, audit, endStrays, lookUp });

  return {
    settings,
    verify: (request) => verifications.verify(request),
    find: async (sought) => {
      const { accountId, mode } = sought;
      if ("reference" in sought) return ledger.byReference(accountId, mode, sought.reference);
      const hashes = fingerprints.all("idempotency key", [accountId, mode, sought.idempotencyKey]);
      const row = await ledger.byKey(hashes);
      return row && row.created_at > sweepTime.now() - keyLifetime ? row : undefined;
    },
    stop: async (deadlineMs) => {
      const finished = verifications
        .stop()
        .then(() => attempts.idle())
        .then(() => late.drained());
      await within(finished, deadlineMs - stopReserve);
      attempts.stop();
      late.stop();
      await upkeep.stop();
      await within(finished, stopReserve / 2);
      try {
        await ledger.disownAll({ owner: owners.own });
        await owners.stop();
      } catch (error) {
        log.warn({ code: codeOf(error) }, "Running verifications could not be handed back at the stop");
      }
    },
  };
}
