import type { KeyedHashes } from "../keyring/keyed-hash.ts";
import type { CurrentKeyring } from "../keyring/keyring.ts";
import type { Charges } from "../ledger/charges.ts";
import type { DeferredOutcomes } from "../ledger/deferred-outcomes.ts";
import type { IdentitySettings } from "../ledger/identity-settings.ts";
import type { Leases } from "../ledger/leases.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../runtime/log.ts";
import type { RetentionTimes } from "../storage/retention/retention-clock.ts";
import type { IdentityUpstream } from "../vendors/ports/identity-upstream.ts";
import type { AbandonedRows } from "./abandoned-rows.ts";
import type { VerificationLimits } from "./limits.ts";
import type { RefusedCalls } from "./refused-calls.ts";
import type { RouteCache } from "./routes/route-cache.ts";

/**
 * Test keys only reach `test`, and live keys only `live`, in the operator's order. If `live` is empty, no live source
 * is set up.
 */
export interface Upstreams {
  test: IdentityUpstream;
  live: readonly IdentityUpstream[];
}

/** The resources of every verification. */
export interface VerificationDependencies {
  ledger: Ledger;
  charges: Charges;
  deferredOutcomes: DeferredOutcomes;
  abandonedRows: AbandonedRows;
  limits: VerificationLimits;
  routeCache: RouteCache;
  refusedCalls: RefusedCalls;
  leases: Leases;
  keyedHashes: KeyedHashes;
  keyring: CurrentKeyring;
  upstreams: Upstreams;
  settings: IdentitySettings;
  log: Log;
  now: () => number;
  /** `now` for the expiry of keys and records. */
  retentionTimes: RetentionTimes;
}
