import { setTimeout as pause } from "node:timers/promises";
import { KeyedHashes } from "../keyring/keyed-hash.ts";
import type { CurrentKeyring } from "../keyring/keyring.ts";
import { Charges } from "../ledger/charges.ts";
import { DeferredOutcomes } from "../ledger/deferred-outcomes.ts";
import { type IdentitySettings, listedRoutes } from "../ledger/identity-settings.ts";
import { abandonAll, type Leases } from "../ledger/leases.ts";
import { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../runtime/log.ts";
import { withTimeout } from "../runtime/timeout.ts";
import { codeOf } from "../storage/errors.ts";
import { ConnectionShares } from "../storage/queries/connection-shares.ts";
import type { RetentionTimes } from "../storage/retention/retention-clock.ts";
import type { Db } from "../storage/tables.ts";
import { AbandonedRows } from "./abandoned-rows.ts";
import { InFlight } from "./in-flight.ts";
import { VerificationLimits } from "./limits.ts";
import { RefusedCalls } from "./refused-calls.ts";
import { RouteCache } from "./routes/route-cache.ts";
import { Runs } from "./runs.ts";
import type { Upstreams, VerificationDependencies } from "./verification-dependencies.ts";
import { Verifications } from "./verifications.ts";

export interface LeasedParts {
  db: Db;
  leases: Leases;
  /** How many connections to the store this process has. */
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
/** Milliseconds until a stop asks the store again that was away. */
const againAfter = 250;

/** Everything that a process with a lease needs to verify. */
export class LeasedVerifications {
  readonly parts: VerificationDependencies;
  readonly verifications: Verifications;
  readonly #db: Db;
  readonly #runs: Runs;

  constructor({ db, leases, connections, keyring, upstreams, settings, now, retention, log }: LeasedParts) {
    const shares = new ConnectionShares(connections);
    const { routes = listedRoutes, vendorPrices: prices = {} } = settings;
    const ledger = new Ledger(db, shares, prices);
    const keyedHashes = new KeyedHashes(keyring, now);
    const charges = new Charges(db, now, shares, leases.ownerId);
    const inFlight = new InFlight(settings.limits?.inFlight);
    const abandonedRows = new AbandonedRows(ledger, leases, now, (reference) => inFlight.worksOn(reference));
    this.parts = {
      ledger,
      charges,
      abandonedRows,
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
    this.#db = db;
    this.#runs = new Runs(this.parts);
    this.verifications = new Verifications(this.parts, this.#runs, inFlight);
  }

  /** Whether an upstream's late response or a deferred write may still end this verification. */
  isAwaited(reference: string): boolean {
    return this.#runs.hasOverdue(reference) || this.parts.deferredOutcomes.has(reference);
  }

  /** Refuses new verifications and finishes running ones. Those that run longer than `deadlineMs` become `unknown`. */
  async stop(deadlineMs: number): Promise<void> {
    const { deferredOutcomes, refusedCalls } = this.parts;
    const until = performance.now() + deadlineMs;
    const finished = this.verifications
      .stop()
      .then(() => this.#runs.idle())
      .then(() => deferredOutcomes.drained());
    await withTimeout(finished, deadlineMs - stopReserve);
    this.#runs.stop();
    deferredOutcomes.stop();
    await withTimeout(finished, stopReserve / 2);
    await refusedCalls.write(this.#db).catch(() => undefined);
    await this.#leave(until);
  }

  /** Tries until this time, by `performance.now()`: without the last note, given records would cost nothing. */
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
}
