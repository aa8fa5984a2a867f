import { silent } from "../src/runtime/log.ts";
import { changeCount } from "../src/storage/change-counter.ts";
import { Pulse } from "../src/storage/pulse/pulse.ts";
import { openStore } from "../src/storage/store.ts";
import type { IdentityUpstream } from "../src/vendors/ports/identity-upstream.ts";
import { negative, unavailable } from "../src/vendors/ports/outcomes.ts";
import { usualSettings } from "../src/verification/identity.fixture.ts";
import { openIdentity } from "../src/verification/identity.ts";
import { sandboxRecord } from "../src/verification/played-upstream.fixture.ts";
import {
  emptyFor,
  playedVendors,
  ring,
  type Spent,
  shares,
  type Week,
  weekBegins,
  weekBounds,
} from "../src/verification/routes/played-week.fixture.ts";
import { engines } from "../test/support/engines.ts";

/** The spending of a service. A service does not report the reasons for a changed order. */
type Served = Omit<Spent, "changes"> & { changes: Omit<Spent["changes"][number], "byBound">[] };

/** Runs the same week through a service on SQLite whose clock the vendors move. */
export async function serveWeek(week: Week): Promise<Served> {
  const fresh = await engines.find(({ name }) => name === "sqlite")!.ready();
  const clock = { now: weekBegins };
  const now = () => clock.now;
  const store = await openStore({ ...fresh.settings, serving: true, starting: true });
  const pulse = await Pulse.open({ store, log: silent });
  const changes: Served["changes"] = [];
  const spent = { failed: 0, late: 0 };
  const live = playedVendors.map(({ name }) => vendorOf(week, name, clock, spent));
  const identity = await openIdentity({
    ...{ db: store.db, pulse, now, keyring: { current: ring }, upstreams: { test: live[0]!, live } },
    audit: async (_, ...events) =>
      void changes.push(
        ...events
          .filter(({ kind }) => kind === "route.ordered")
          .map(({ facts }) => ({ at: clock.now, order: String(facts.order) })),
      ),
    settings: {
      ...{ ...usualSettings, limits: null, recordRetention: 0 },
      routes: { policy: "cheapest", bounds: weekBounds, shares, notFoundMax: null },
      vendorPrices: Object.fromEntries(playedVendors.map(({ name, price }) => [name, { bvn: price }])),
    },
  });
  const jobOf = (name: string) => identity.jobs.find((job) => job.name === name)!;
  const { signal } = new AbortController();
  const beat = async () => ({
    ...{ askedAt: clock.now, access: 0, catalogue: 0, routes: await changeCount(store.db, "routes") },
    ...{ journal: true, unsealed: false, deliveries: false, started: false },
  });
  try {
    for (let n = 0; n < week.size; n += 1) {
      clock.now = week.timeOf(n);
      const decide = jobOf("decide the order of vendors");
      if (decide.when!(undefined)) {
        // Repeats until the journal is empty, because one run may leave later rows of a verification.
        while ((await jobOf("follow the journal").run(await beat(), signal)) !== 0);
        await decide.run(undefined, signal);
        await jobOf("follow pauses and order of vendors").run(await beat(), signal);
      }
      const number = String(22_000_000_000 + n);
      const about = {
        mode: "live",
        kind: "bvn",
        number,
        claims: { phone: number.slice(-10) },
        amount: 10_000,
      } as const;
      const who = { accountId: "acc", keyId: "key", fees: {}, answers: "full", terms: {}, requestId: "r" } as const;
      await identity.verify({ ...about, ...who, idempotencyKey: week.keyOf(n) }).catch(() => undefined);
    }
    const attempts = await store.db.selectFrom("verification_attempt").select(["outcome", "price"]).execute();
    const found = attempts.filter(({ outcome }) => outcome === "verified");
    const billed = attempts.filter(({ outcome }) => outcome !== "failed");
    const kobo = billed.reduce((sum, { price }) => sum + price!, 0);
    return { kobo, found: found.length, attempts: attempts.length, ...spent, changes };
  } finally {
    await identity.stop(0);
    await pulse.stop();
    await store.close();
    await fresh.dispose();
  }
}

function vendorOf(
  week: Week,
  name: string,
  clock: { now: number },
  spent: Pick<Spent, "failed" | "late">,
): IdentityUpstream {
  let closedUntil = 0;
  return {
    ...{ name, kinds: ["bvn"] },
    isReady: () => closedUntil <= clock.now,
    async verify(attempt) {
      const asked = clock.now;
      const { outcome, took } = week.responseOf(Number(attempt.number) - 22_000_000_000, name, asked);
      clock.now += took;
      if (outcome === "failed") {
        spent.failed += 1;
        if (week.hasTrouble(name, "empty", asked)) closedUntil = clock.now + emptyFor;
        return unavailable("out_of_service");
      }
      spent.late += took > weekBounds.p95 ? 1 : 0;
      return outcome === "negative"
        ? negative("not_found")
        : { state: "verified", record: await sandboxRecord(attempt) };
    },
  };
}
