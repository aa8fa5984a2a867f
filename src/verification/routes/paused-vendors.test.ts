import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { suite, type TestContext, test } from "node:test";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { followJournal } from "../../ledger/journal/follow-journal.ts";
import { comparedSums } from "../../ledger/journal/recounted-sums.ts";
import { trendOf } from "../../ledger/reports/trend.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { changeCount } from "../../storage/change-counter.ts";
import type { Db } from "../../storage/tables.ts";
import { unknown } from "../../vendors/ports/outcomes.ts";
import { failureFrom, newRequest, suiteStore, usualEngines } from "../identity.fixture.ts";
import { ledgerRows, onlyRow } from "../ledger.fixture.ts";
import { answering, verified } from "../played-upstream.fixture.ts";
import { endPauses, type PausedRoute, pausedRoutes, pauseRoute, resumeRoute } from "./paused-vendors.ts";

const zone = new TimeZone("Africa/Lagos");

for (const engine of usualEngines)
  suite(`pauses of vendors on ${engine.name}`, () => {
    const store = suiteStore(engine);

    const opened = async (t: TestContext, first = answering(verified)) => {
      const clock = { now: Date.now() };
      const second = answering(verified);
      const live = [
        { ...first.upstream, name: "first" },
        { ...second.upstream, name: "second" },
      ];
      const identity = await store.open(t, { upstreams: { test: first.upstream, live }, now: () => clock.now });
      const events: AuditEvent[] = [];
      const room = {
        db: store.db,
        actor: "terminal:ada",
        now: () => clock.now,
        audit: async (_: unknown, ...made: AuditEvent[]) => void events.push(...made),
      };
      /** Reads the pauses, as the next beat does in every process. */
      const follow = async () => {
        const job = identity.jobs.find(({ name }) => name === "follow pauses and order of vendors")!;
        const beat = { askedAt: clock.now, access: 0, catalogue: 0, routes: await changeCount(store.db, "routes") };
        const nothing = { journal: false, unsealed: false, deliveries: false, started: false };
        await job.run({ ...beat, ...nothing }, new AbortController().signal);
      };
      const pause = async (changes: Partial<PausedRoute> = {}) => {
        await pauseRoute(room, { vendor: "first", kind: null, why: "answers", until: null, ...changes });
        await follow();
      };
      const resume = async (changes: Partial<PausedRoute> = {}) => {
        const ended = await resumeRoute(room, { vendor: "first", kind: null, ...changes });
        await follow();
        return ended;
      };
      t.after(async () => {
        for (const route of await pausedRoutes(store.db, 0)) await resumeRoute(room, route);
      });
      const vendorOf = async (changes = {}) => {
        const mine = newRequest({ mode: "live", ...changes });
        await identity.verify(mine);
        return (await onlyRow(store.db, mine)).upstream;
      };
      return { identity, clock, events, pause, resume, vendorOf, first, second };
    };

    test("a paused vendor is passed over until it is resumed, and a pause does not affect test keys", async (t) => {
      const { pause, resume, vendorOf, events } = await opened(t);
      assert.equal(await vendorOf(), "first");
      await pause();
      assert.equal(await vendorOf(), "second");
      assert.equal(await vendorOf({ mode: "test" }), "answering");
      assert.equal(await resume(), true);
      assert.equal(await vendorOf(), "first");
      assert.equal(await resume(), false);
      assert.deepEqual(
        events.map(({ kind, facts }) => [kind, facts.vendor]),
        [
          ["route.paused", "first"],
          ["route.resumed", "first"],
        ],
      );
    });

    test("a pause may be for one kind of check, and may end by itself", async (t) => {
      const { pause, vendorOf, clock } = await opened(t);
      await pause({ kind: "nin", until: clock.now + 60_000 });
      assert.equal(await vendorOf({ kind: "bvn" }), "first");
      assert.equal(await vendorOf({ kind: "nin" }), "second");
      clock.now += 60_000;
      assert.equal(await vendorOf({ kind: "nin" }), "first");
    });

    test("a pause that is renewed while it ends goes on", async (t) => {
      const { pause, clock } = await opened(t);
      for (const vendor of ["first", "second"]) await pause({ vendor, until: clock.now + 60_000 });
      clock.now += 60_000;
      // While the first pause ends, another process sets the second pause anew.
      const value = JSON.stringify({ why: "key", by: "terminal:ada", until: null });
      const audit = async (trx: Db) => {
        const second = trx.updateTable("fact").where("name", "=", "route-paused:second:all");
        await second.set({ value, created_at: clock.now }).execute();
      };
      await endPauses({ db: store.db, audit, now: () => clock.now });
      assert.deepEqual(
        (await pausedRoutes(store.db, clock.now)).map(({ vendor, why }) => [vendor, why]),
        [["second", "key"]],
      );
    });

    test("resuming a vendor ends its pauses for all kinds of check, or only for the given kind", async (t) => {
      const { pause, resume, vendorOf } = await opened(t);
      await pause({ kind: "nin" });
      await pause({ kind: "bvn" });
      assert.equal(await resume({ kind: "bvn" }), true);
      assert.deepEqual([await vendorOf({ kind: "bvn" }), await vendorOf({ kind: "nin" })], ["first", "second"]);
      assert.equal(await resume(), true);
      assert.equal(await vendorOf({ kind: "nin" }), "first");
      await pause();
      assert.equal(await resume({ kind: "bvn" }), true);
      assert.deepEqual([await vendorOf({ kind: "bvn" }), await vendorOf({ kind: "nin" })], ["first", "second"]);
      assert.equal(await resume({ kind: "bvn" }), false);
    });

    test("with all vendors paused, calls fail without a charge, and no vendor is called", async (t) => {
      const { identity, pause, first, second } = await opened(t);
      await pause();
      await pause({ vendor: "second" });
      const mine = newRequest({ mode: "live" });
      const failure = await failureFrom(identity.verify(mine));
      assert.deepEqual([failure.code, failure.status, failure.retryable], ["upstream_unavailable", 503, true]);
      assert.equal(failure.detail.facts?.charged, false);
      assert.deepEqual(await ledgerRows(store.db, mine), []);
      assert.deepEqual([first.received.length, second.received.length], [0, 0]);
    });

    test("calls without a vendor lower the share of answers, and the ledger still matches the trail", async (t) => {
      const { identity, clock, pause } = await opened(t);
      const accountId = `acc_${randomUUID()}`;
      const count = () =>
        identity.jobs.find(({ name }) => name === "count refused calls")!.run(undefined, new AbortController().signal);
      const share = async () => {
        const [{ last }] = (await trendOf(store.db, clock.now, { accountId })) as [
          Awaited<ReturnType<typeof trendOf>>[number],
        ];
        return [last.attempts, last.refused, last.answered];
      };
      await identity.verify(newRequest({ mode: "live", accountId }));
      await followJournal({ db: store.db, audit: async () => {}, zone });
      await pause();
      await pause({ vendor: "second" });
      for (let calls = 0; calls < 8; calls += 1) {
        const mine = newRequest({ mode: calls < 7 ? "live" : "test", accountId });
        await identity.verify(mine).catch(() => undefined);
      }
      await count();
      assert.deepEqual(await share(), [1, 7, 1]);
      await count();
      assert.deepEqual(await share(), [1, 7, 1]);
      for await (const { differences } of comparedSums(store.db, clock.now, zone))
        assert.deepEqual(
          differences.filter((text) => text.includes(accountId)),
          [],
        );
    });

    test("an unknown outcome waits for its vendor, even if the vendor now needs what the request lacks", async (t) => {
      const slow = answering(() => unknown);
      const second = answering(verified);
      const needy = { ...slow.upstream, name: "first", needs: ["consent"] as const };
      const live = [needy, { ...second.upstream, name: "second" }];
      const openWith = (consentAttested: boolean) =>
        store.open(t, { upstreams: { test: slow.upstream, live }, settings: { consentAttested } });
      const mine = newRequest({ mode: "live", idempotencyKey: "k" });
      assert.equal((await failureFrom((await openWith(true)).verify(mine))).code, "upstream_timeout");
      assert.equal((await failureFrom((await openWith(false)).verify(mine))).code, "upstream_timeout");
      assert.deepEqual([slow.received.length, second.received.length], [1, 0]);
      assert.equal((await onlyRow(store.db, mine)).state, "unknown");
    });

    test("an unknown outcome at a paused vendor waits for that vendor, and no other vendor is paid", async (t) => {
      const slow = answering(async (attempt, nth) => (nth === 1 ? unknown : verified(attempt)));
      const { identity, pause, resume, second } = await opened(t, slow);
      const mine = newRequest({ mode: "live", idempotencyKey: "k" });
      assert.equal((await failureFrom(identity.verify(mine))).code, "upstream_timeout");
      await pause();
      const { code, message } = await failureFrom(identity.verify(mine));
      assert.equal(code, "upstream_timeout");
      assert.match(message, /^The outcome of this verification is not known yet\. /);
      assert.equal((await onlyRow(store.db, mine)).state, "unknown");
      await resume();
      await identity.verify(mine);
      assert.deepEqual([slow.received.length, second.received.length], [2, 0]);
      assert.equal((await onlyRow(store.db, mine)).charged, 1);
    });
  });
