import { setTimeout as pause } from "node:timers/promises";
import { checks } from "../checks/index.ts";
import { Failure, failures } from "../declare/failures.ts";
import { KeyedHashes } from "../keyring/keyed-hash.ts";
import type { CurrentKeyring } from "../keyring/keyring.ts";
import { Charges } from "../ledger/charges.ts";
import { DeferredOutcomes } from "../ledger/deferred-outcomes.ts";
import { type IdentitySettings, listedRoutes } from "../ledger/identity-settings.ts";
import type { Leases } from "../ledger/leases.ts";
import { Ledger } from "../ledger/ledger.ts";
import { abandonAll } from "../ledger/statements/abandon-rows.ts";
import type { Log } from "../runtime/log.ts";
import { withTimeout } from "../runtime/timeout.ts";
import { codeOf } from "../storage/errors.ts";
import { ConnectionShares } from "../storage/queries/connection-shares.ts";
import type { RetentionTimes } from "../storage/retention/retention-clock.ts";
import type { Db } from "../storage/tables.ts";
import { reservedFor, type SandboxFailure } from "../vendors/sandbox/numbers.ts";
import { AbandonedRows } from "./abandoned-rows.ts";
import { type Flight, InFlight } from "./in-flight.ts";
import { VerificationLimits } from "./limits.ts";
import { RefusedCalls } from "./refused-calls.ts";
import { requestContent, type VerificationRequest, type VerifiedRecord } from "./request.ts";
import { RouteCache } from "./routes/route-cache.ts";
import { Verification, type VerificationParts } from "./verification.ts";
import type { Upstreams } from "./verification-dependencies.ts";
import { verificationFailure } from "./verification-failures.ts";

export interface VerifyingParts {
  db: Db;
  leases: Leases;
  /** The number of connections of this process to the store. */
  connections?: number | undefined;
  keyring: CurrentKeyring;
  upstreams: Upstreams;
  settings: IdentitySettings;
  /** Milliseconds since 1970. */
  now: () => number;
  /** `now` for the expiry of keys and records. */
  retention: RetentionTimes;
  log: Log;
}

/** Milliseconds at the end of a stop that are reserved for abandoning unfinished verifications. */
const stopReserve = 500;
/** Milliseconds until a stop tries again a store that was away. */
const againAfter = 250;

/** The verifications of a process with a lease: accepts requests, and stops. */
export class Verifications {
  readonly parts: VerificationParts;
  readonly #db: Db;
  #stopping = false;

  constructor({ db, leases, connections, keyring, upstreams, settings, now, retention, log }: VerifyingParts) {
    const shares = new ConnectionShares(connections);
    const { routes = listedRoutes, vendorPrices: prices = {} } = settings;
    const ledger = new Ledger(db, shares, prices);
    const keyedHashes = new KeyedHashes(keyring, now);
    const charges = new Charges(db, now, shares, leases.ownerId);
    const inFlight = new InFlight(settings.limits?.inFlight);
    const abandonedRows = new AbandonedRows(ledger, leases, now, (reference) => inFlight.worksOn(reference));
    this.#db = db;
    this.parts = {
      ledger,
      charges,
      abandonedRows,
      inFlight,
      leases,
      keyedHashes,
      keyring,
      upstreams,
      settings,
      log,
      now,
      retentionTimes: retention,
      deferredOutcomes: new DeferredOutcomes(
        ledger,
        charges,
        (reference, wasTold) => abandonedRows.endOf(reference, wasTold),
        log,
      ),
      limits: new VerificationLimits(db, settings, keyedHashes),
      routeCache: new RouteCache(db, now, upstreams.live, routes),
      refusedCalls: new RefusedCalls(settings.timeZone, now),
    };
  }

  /** Returns the record or throws a `Failure`. A started verification is finished even if its caller disconnects. */
  readonly verify = async (request: VerificationRequest): Promise<VerifiedRecord> => {
    if (this.#stopping) throw new Failure("shutting_down");
    const { settings, refusedCalls } = this.parts;
    if (settings.consentRequired && request.mode === "live" && request.consentReference === undefined)
      throw new Failure("consent_required");
    // For some numbers of the sandbox Duba itself invents a failure. A refusal uses no upstream, limit or cap.
    const reserved = request.mode === "test" ? reservedFor(request) : undefined;
    if (reserved?.refusal) refuseAs(reserved.refusal, request);
    try {
      const verified = await this.#flightOf(request).answer;
      if (reserved?.isForgotten && verified.replayed) throw forgotten(verified);
      return request.answers === "full" ? verified : masked(verified, request);
    } catch (error) {
      refusedCalls.note(request, error);
      throw error;
    }
  };

  /** Whether an upstream's late response or a deferred write may still end this verification. */
  isAwaited(reference: string): boolean {
    return this.parts.inFlight.hasOverdue(reference) || this.parts.deferredOutcomes.has(reference);
  }

  /**
   * Refuses new verifications and finishes running ones. Those that still run half a second before `deadlineMs` have
   * passed become `unknown`.
   */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopping = true;
    const { deferredOutcomes, inFlight, refusedCalls } = this.parts;
    const until = performance.now() + deadlineMs;
    const finished = inFlight.idle().then(() => deferredOutcomes.drained());
    await withTimeout(finished, deadlineMs - stopReserve);
    inFlight.endVendors();
    deferredOutcomes.stop();
    await withTimeout(finished, stopReserve / 2);
    await refusedCalls.write(this.#db).catch(() => undefined);
    await this.#leave(until);
  }

  /**
   * Writes the last note of charges, and abandons running verifications. After a failure, repeats both until this time,
   * by `performance.now()`. Without the note, keyless charges of delivered records would be reversed.
   */
  async #leave(until: number): Promise<void> {
    const { charges, leases, now, log } = this.parts;
    try {
      await charges.close();
      await abandonAll(this.#db, { owner: leases.ownerId }, now);
    } catch (error) {
      if (performance.now() + againAfter < until) {
        await pause(againAfter);
        return this.#leave(until);
      }
      log.warn({ code: codeOf(error) }, "At the stop, Duba could not mark running verifications as unknown");
    }
  }

  /** Equal requests without an idempotency key share one running verification. */
  #flightOf(request: VerificationRequest): Flight {
    const { inFlight } = this.parts;
    const { accountId, mode, idempotencyKey } = request;
    const key = idempotencyKey === undefined ? undefined : JSON.stringify([accountId, mode, idempotencyKey]);
    const content = key === undefined ? JSON.stringify(requestContent(request)) : undefined;
    const equal = content === undefined ? undefined : inFlight.withContent(content);
    return equal ?? inFlight.add(new Verification(this.parts, request, key, content));
  }
}

/** Throws the failure that a test key requests by its number. */
function refuseAs(
  { code, retryAfter, unlessConsent }: SandboxFailure,
  { consentReference }: VerificationRequest,
): void {
  if (unlessConsent && consentReference !== undefined) return;
  const message = `${failures[code].cause} Rehearsed: this number of the sandbox gets this answer each time.`;
  throw new Failure(code, message, { rehearsed: true, ...(retryAfter === undefined ? {} : { retryAfter }) });
}

/** The `Failure` for a replay whose record is no longer held. A number of the sandbox requests this failure. */
function forgotten({ record }: VerifiedRecord): Failure {
  const facts = { charged: true, upstream_called: true, request_reference: record.request_reference };
  return verificationFailure("record_no_longer_held", undefined, facts);
}

/**
 * The record for an account whose current setting requires it masked. The setting may have changed since the record was
 * sealed.
 */
function masked(verified: VerifiedRecord, { kind }: VerificationRequest): VerifiedRecord {
  const { request_reference, ...record } = verified.record;
  return { ...verified, record: { request_reference, ...checks[kind].mask(record) } };
}
