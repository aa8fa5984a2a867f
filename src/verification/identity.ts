import type { CheckSubject } from "../checks/check.ts";
import type { Spendable } from "../declare/account-terms.ts";
import type { CheckKind } from "../declare/check-kind.ts";
import type { Caller, Mode } from "../declare/operation.ts";
import type { WatchedKeyring } from "../keyring/watch.ts";
import { type IdentitySettings, keyEndOf, listedRoutes } from "../ledger/identity-settings.ts";
import { followJournal } from "../ledger/journal/follow-journal.ts";
import { recountAfterOlderVersion } from "../ledger/journal/rebuild-sums.ts";
import { claimSumsZone } from "../ledger/journal/sums-zone.ts";
import { leasesOf } from "../ledger/leases.ts";
import type { Row } from "../ledger/ledger.ts";
import { budgetOf, kindOf } from "../ledger/spending/budget.ts";
import { spendableOf } from "../ledger/spending/spending.ts";
import { type NearlySpent, SpendingWatch } from "../ledger/spending/spending-watch.ts";
import { abandonAll } from "../ledger/statements/abandon-rows.ts";
import { silent } from "../runtime/log.ts";
import { followingFlight } from "../runtime/single-flight.ts";
import { nextMonth } from "../runtime/time-zone.ts";
import type { Audit } from "../storage/audited.ts";
import { changeCount } from "../storage/change-counter.ts";
import type { Job } from "../storage/pulse/job-runner.ts";
import type { Pulse } from "../storage/pulse/pulse.ts";
import { lookUpUnknowns } from "./attempts/look-up-unknowns.ts";
import { type KnownPerson, knownPerson } from "./known-person.ts";
import type { VerificationRequest, VerifiedRecord } from "./request.ts";
import { decideOrder, isDecisionDue } from "./routes/decide-vendor-order.ts";
import { endPauses } from "./routes/paused-vendors.ts";
import { Verifications, type VerifyingParts } from "./verifications.ts";

/** Without `retention`, `now` is also the time for the expiry of keys and records. */
export interface IdentityParts
  extends Omit<VerifyingParts, "leases" | "now" | "retention" | "log">,
    Partial<Pick<VerifyingParts, "now" | "retention" | "log">> {
  /** `look` reads a ring that changed. */
  keyring: VerifyingParts["keyring"] & Partial<Pick<WatchedKeyring, "look">>;
  pulse: Pulse;
  audit: Audit;
}

/** Identifies a verification of one account and mode: by Duba's reference or by the idempotency key. */
export type Sought = { accountId: string; mode: Mode } & ({ reference: string } | { idempotencyKey: string });

/** The interface of verifications for the HTTP operations. */
export interface Identity {
  readonly settings: IdentitySettings;
  nearlySpent(): NearlySpent;
  /**
   * The rest that the caller's account can spend in its mode, and the start of a new month's cap, in milliseconds since
   * 1970.
   */
  spendable(caller: Pick<Caller, "accountId" | "mode" | "terms">): Promise<Spendable & { renewsAt: number | null }>;
  /** Returns the record or throws a `Failure`. */
  verify(request: VerificationRequest): Promise<VerifiedRecord>;
  find(sought: Sought): Promise<Row | undefined>;
  /** The newest successful verification of a person by the caller's account, in its mode. */
  known(account: Pick<Caller, "accountId" | "mode">, person: CheckSubject): Promise<KnownPerson | undefined>;
  /** Whether an operator has paused a live vendor for this kind of check. */
  isPaused(vendor: string, kind: CheckKind): boolean;
  /**
   * Adds the ledger's new journal rows to the sums and the audit trail. Rejects if the store does not take the write; a
   * job tries again.
   */
  follow(): Promise<unknown>;
  /** The recurring jobs of a serving process for the ledger. */
  readonly jobs: readonly Job[];
  /**
   * Refuses new verifications and finishes running ones. Those that still run half a second before `deadlineMs` have
   * passed become `unknown`.
   */
  stop(deadlineMs: number): Promise<void>;
}

/**
 * Opens verifications for serving. On SQLite this makes running verifications of an earlier process `unknown`, so only
 * the serving process may call it.
 */
export async function openIdentity(opened: IdentityParts): Promise<Identity> {
  const { db, pulse, upstreams, settings, now = Date.now, log = silent, audit } = opened;
  const retention = opened.retention ?? { now, recordsNow: now };
  const leases = leasesOf(pulse);
  await claimSumsZone(db, settings.timeZone, pulse.id);
  await abandonAll(db, leases, now);
  const verifications = new Verifications({ ...opened, leases, now, retention, log });
  const { ledger, charges, keyedHashes, abandonedRows, deferredOutcomes, routeCache, refusedCalls } =
    verifications.parts;
  await charges.takeBackUnheard(leases.isLongGone);
  await charges.note();
  // While this process's lease was expired, other processes may have stored idempotency keys under a new key of the
  // ring, and removed this process's notes about its charges.
  pulse.whenTakenAgain(async () => {
    await opened.keyring.look?.();
    await charges.note();
  });
  const { routes: routeSettings = listedRoutes, vendorPrices: prices = {} } = settings;
  await routeCache.follow(await changeCount(db, "routes"));
  const isAwaited = (reference: string) => verifications.isAwaited(reference);
  const spending = new SpendingWatch(db, settings, log);

  const { timeZone: zone, negativeDetail } = settings;
  const follow = followingFlight(() => followJournal({ db, audit, zone, negativeDetail }));

  return {
    settings,
    follow,
    nearlySpent: () => spending.nearlySpent,
    isPaused: (vendor, kind) => routeCache.isPaused(vendor, kind),
    spendable: async (caller) => {
      const budget = budgetOf(caller, now(), settings.timeZone);
      if (!budget) return { kobo: null, verifications: null, renewsAt: null };
      const renewsAt = kindOf(budget) === "cap" ? settings.timeZone.startOfMonth(nextMonth(budget.period)) : null;
      return { ...(await spendableOf(db, caller.accountId, budget)), renewsAt };
    },
    jobs: [
      {
        name: "follow pauses and order of vendors",
        when: (beat) => beat !== undefined,
        run: (beat) => routeCache.follow(beat!.routes),
      },
      { name: "end pauses of vendors", every: 60_000, leader: true, run: () => endPauses({ db, audit, now }) },
      { name: "count refused calls", every: 60_000, run: () => refusedCalls.write(db) },
      {
        name: "decide the order of vendors",
        every: 60_000,
        leader: true,
        when: () => routeSettings.policy === "cheapest" && isDecisionDue(routeCache.decided, now()),
        run: () => decideOrder({ db, audit, now }, upstreams.live, routeSettings, prices),
      },
      {
        name: "follow the journal",
        when: (beat) => beat?.journal,
        run: follow,
      },
      {
        name: "count sums anew after an older version",
        every: 60_000,
        leader: true,
        run: (_, signal) => recountAfterOlderVersion({ db, now }, settings.timeZone, signal),
      },
      { name: "note which charges were heard of", when: () => charges.hasNews, run: () => charges.note() },
      {
        name: "take back charges of processes that are gone",
        every: 60_000,
        leader: true,
        // On SQLite each start takes these charges back.
        when: () => pulse.hasPeers,
        run: () => charges.takeBackUnheard(leases.isLongGone),
      },
      {
        name: "end verifications that nobody works on",
        every: 5_000,
        when: (beat) => beat?.started,
        run: () => abandonedRows.endAll((reference) => deferredOutcomes.has(reference)),
      },
      {
        name: "end verifications of processes that are gone",
        every: 5_000,
        leader: true,
        when: (beat) => beat?.started,
        run: () => abandonAll(db, leases, now),
      },
      {
        name: "ask vendors for unknown outcomes",
        every: 60_000,
        leader: true,
        run: (_, signal) => lookUpUnknowns(db, { ...verifications.parts, isAwaited }, signal),
      },
      { name: "watch caps and balances", every: 60_000, run: () => spending.look(now(), pulse.isLeader()) },
    ],
    verify: verifications.verify,
    find: async (sought) => {
      const { accountId, mode } = sought;
      if ("reference" in sought) return ledger.byReference(accountId, mode, sought.reference);
      const hashes = keyedHashes.all("idempotency key", [accountId, mode, sought.idempotencyKey]);
      const row = await ledger.byKey(hashes);
      return row && keyEndOf(row) > retention.now() ? row : undefined;
    },
    known: (account, person) => knownPerson(verifications.parts, account, person),
    stop: (deadlineMs) => verifications.stop(deadlineMs),
  };
}
