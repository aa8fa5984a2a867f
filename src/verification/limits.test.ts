import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import type { Failure } from "../declare/failures.ts";
import type { IdentitySettings } from "../ledger/identity-settings.ts";
import { openStore } from "../storage/store.ts";
import type { IdentityOutcome } from "../vendors/ports/identity-upstream.ts";
import { engines, failureFrom, newRequest, suiteStore, usualLimits } from "./identity.fixture.ts";
import type { Identity } from "./identity.ts";
import { ledgerRows } from "./ledger.fixture.ts";
import { answering, verified } from "./played-upstream.fixture.ts";
import type { VerificationRequest } from "./request.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

for (const engine of engines) {
  suite(`limits on ${engine.name}`, () => {
    const store = suiteStore(engine);

    const openAt = async (t: TestContext, settings: Partial<IdentitySettings> = {}, outcome?: IdentityOutcome) => {
      const clock = { time: Date.UTC(2026, 0, 15) };
      const { upstream, received } = answering((attempt) => outcome ?? verified(attempt));
      const open = () =>
        store.open(t, { upstreams: { test: upstream, live: [upstream] }, now: () => clock.time, settings });
      return { identity: await open(), open, clock, received };
    };
    let people = 22_000_001_000;
    const another = (mine: VerificationRequest) => ({ ...mine, number: String(people++) });

    test("an account may start 60 verifications a minute in each mode, over all processes", async (t) => {
      const { identity, open, clock } = await openAt(t);
      const mine = newRequest();
      for (let n = 0; n < 60; n += 1) {
        await identity.verify(another(mine));
        if (n === 0) clock.time += 10 * second;
      }
      const next = await open();
      const failure = await failureFrom(next.verify({ ...another(mine), idempotencyKey: "k" }));
      assert.deepEqual([failure.code, failure.detail.retryAfter], ["rate_limited", 50]);
      assert.match(failure.message, /Send it again in 50 s\. The same Idempotency-Key will do\.$/);
      // A caller that waits for the stated time gets a place: parts of a second count as a whole one.
      clock.time += 500;
      assert.equal((await failureFrom(next.verify(another(mine)))).detail.retryAfter, 50);
      clock.time -= 500;
      assert.equal((await ledgerRows(store.db, mine)).length, 60);
      assert.ok(await next.verify({ ...another(mine), mode: "live" }));
      assert.ok(await next.verify(newRequest()));
      clock.time += 50 * second;
      assert.equal((await next.verify({ ...another(mine), idempotencyKey: "k" })).replayed, false);
      assert.equal((await failureFrom(next.verify(another(mine)))).detail.retryAfter, 10);
    });

    test("replays are not counted and not limited", async (t) => {
      const { identity } = await openAt(t, { limits: { ...usualLimits, account: { count: 1, seconds: 60 } } });
      const mine = newRequest({ idempotencyKey: "k" });
      await identity.verify(mine);
      for (const _ of [1, 2, 3]) assert.equal((await identity.verify(mine)).replayed, true);
      assert.equal((await failureFrom(identity.verify(another(mine)))).code, "idempotency_key_reused");
      assert.equal(
        (await failureFrom(identity.verify({ ...another(mine), idempotencyKey: "l" }))).code,
        "rate_limited",
      );
    });

    test("after concurrent calls a limit is reached, and on SQLite not exceeded", async (t) => {
      const { identity, received } = await openAt(t, {
        limits: { ...usualLimits, account: { count: 5, seconds: 60 } },
      });
      const mine = newRequest();
      const calls = Array.from({ length: 20 }, () => identity.verify(another(mine)).catch((failure) => failure.code));
      const refused = (await Promise.all(calls)).filter((answer) => answer === "rate_limited");
      // PostgreSQL does not see uncommitted rows of other connections, so calls exceed the limit by the number of
      // concurrent ones at most.
      if (engine.name === "sqlite") assert.equal(refused.length, 15);
      assert.equal(received.length, 20 - refused.length);
      assert.equal((await failureFrom(identity.verify(another(mine)))).code, "rate_limited");
    });

    test("after concurrent retries a limit is reached, and on SQLite not exceeded", async (t) => {
      const { identity, received } = await openAt(
        t,
        { limits: { ...usualLimits, inFlight: 10 }, vendorAttemptsPerDay: 12 },
        { state: "failed", reason: "out_of_service" },
      );
      const mine = another(newRequest({ mode: "live" }));
      const calls = Array.from({ length: 10 }, (_, n) => ({ ...another(mine), idempotencyKey: `k${n}` }));
      const verifyAll = () => Promise.all(calls.map(async (call) => (await failureFrom(identity.verify(call))).code));
      assert.deepEqual(new Set(await verifyAll()), new Set(["upstream_unavailable"]));
      const refused = (await verifyAll()).filter((code) => code === "rate_limited");
      if (engine.name === "sqlite") assert.equal(refused.length, 8);
      assert.equal(received.length, 20 - refused.length);
      assert.deepEqual(new Set(await verifyAll()), new Set(["rate_limited"]));
    });

    test("two processes exceed a limit by at most the calls in flight", async (t) => {
      const inFlight = 3;
      const limits = { ...usualLimits, inFlight, account: { count: 5, seconds: 60 } };
      const { identity, received } = await openAt(t, { limits });
      const { upstream } = answering((attempt) => {
        received.push(attempt);
        return verified(attempt);
      });
      const beside = await openStore({ ...store.settings, serving: false });
      t.after(() => beside.close());
      // SQLite has one serving process, so the second service opens another handle on the file.
      const upstreams = { test: upstream, live: [] };
      const now = () => Date.UTC(2026, 0, 15);
      const rooms = [identity, await store.open(t, { db: beside.db, upstreams, now, settings: { limits } })];
      for (let round = 0; round < 5; round += 1) {
        received.length = 0;
        const mine = newRequest();
        const untilRefused = async (room: Identity) => {
          for (;;)
            try {
              await room.verify(another(mine));
            } catch (failure) {
              if ((failure as Failure).code === "rate_limited") return;
              throw failure;
            }
        };
        await Promise.all(rooms.flatMap((room) => Array.from({ length: inFlight }, () => untilRefused(room))));
        const most = engine.name === "sqlite" ? 5 : 5 + rooms.length * inFlight - 1;
        assert.ok(received.length >= 5 && received.length <= most, String(received.length));
      }
    });

    test("verifications dated in the future by a wrong clock do not count", async (t) => {
      let time = Date.UTC(2026, 0, 2);
      const limits = { ...usualLimits, account: { count: 1, seconds: 60 } };
      const room = await store.open(t, { now: () => time, settings: { limits } });
      const mine = newRequest();
      await room.verify(mine);
      time -= 24 * 60 * 60_000;
      await room.verify(mine);
      const { code, detail } = await failureFrom(room.verify(mine));
      assert.deepEqual([code, detail.retryAfter], ["rate_limited", 60]);
    });

    test("verifications with a refused amount count towards the limit", async (t) => {
      const { identity } = await openAt(t, {
        amountPolicy: "enforce",
        limits: { ...usualLimits, account: { count: 2, seconds: 60 } },
      });
      const mine = newRequest({ amount: 1 });
      const codes = [];
      for (const _ of [1, 2, 3]) codes.push((await failureFrom(identity.verify(mine))).code);
      assert.deepEqual(codes, ["amount_mismatch", "amount_mismatch", "rate_limited"]);
    });

    test("an account may get 100 negative answers an hour", async (t) => {
      const changes = { limits: { ...usualLimits, account: { count: 1000, seconds: 60 } } };
      const { identity, clock } = await openAt(t, changes, { state: "negative", reason: "not_found" });
      const mine = newRequest();
      for (let n = 0; n < 100; n += 1) await failureFrom(identity.verify(another(mine)));
      const failure = await failureFrom(identity.verify(another(mine)));
      assert.deepEqual([failure.code, failure.detail.retryAfter], ["rate_limited", 3600]);
      clock.time += hour;
      assert.equal((await failureFrom(identity.verify(another(mine)))).code, "bvn_not_found");
    });

    test("an account may verify one BVN 5 times an hour in live mode", async (t) => {
      const { identity, clock } = await openAt(t);
      const live = newRequest({ mode: "live" });
      for (let n = 0; n < 5; n += 1) await identity.verify(live);
      const failure = await failureFrom(identity.verify(live));
      assert.deepEqual([failure.code, failure.detail.retryAfter], ["subject_rate_limited", 3600]);
      assert.match(failure.message, /Send it again in 3600 s\./);
      assert.ok(await identity.verify(another(live)));
      assert.ok(await identity.verify(newRequest({ mode: "live" })));
      const test = newRequest();
      for (let n = 0; n < 10; n += 1) await identity.verify(test);
      clock.time += hour;
      assert.ok(await identity.verify(live));
    });

    test("an account may get 10 negative answers a day for one BVN in live mode", async (t) => {
      const { identity, clock } = await openAt(t, {}, { state: "negative", reason: "phone_mismatch" });
      const live = newRequest({ mode: "live" });
      for (let n = 0; n < 10; n += 1) {
        assert.equal((await failureFrom(identity.verify(live))).code, "phone_mismatch");
        clock.time += hour;
      }
      const failure = await failureFrom(identity.verify(live));
      assert.deepEqual([failure.code, failure.detail.retryAfter], ["subject_rate_limited", 14 * 3600]);
    });

    test("the cap on vendor calls counts every live attempt, including retries", async (t) => {
      const settings = { vendorAttemptsPerDay: 3 };
      const { identity, clock, received } = await openAt(t, settings, { state: "failed", reason: "out_of_service" });
      const live = newRequest({ mode: "live", idempotencyKey: "k" });
      for (const _ of [1, 2, 3]) assert.equal((await failureFrom(identity.verify(live))).code, "upstream_unavailable");
      const retry = await failureFrom(identity.verify(live));
      const fresh = await failureFrom(identity.verify({ ...another(live), idempotencyKey: "l" }));
      assert.deepEqual([retry.code, fresh.code, received.length], ["rate_limited", "rate_limited", 3]);
      assert.equal((await failureFrom(identity.verify({ ...live, mode: "test" }))).code, "upstream_unavailable");
      clock.time += fresh.detail.retryAfter! * second;
      assert.equal((await failureFrom(identity.verify(live))).code, "upstream_unavailable");
    });

    test("with limits off no caller is limited, but the cap on vendor calls stays", async (t) => {
      const { identity, open } = await openAt(t, { limits: null, vendorAttemptsPerDay: 8 });
      const live = newRequest({ mode: "live" });
      for (let n = 0; n < 8; n += 1) await identity.verify(live);
      assert.equal((await failureFrom(identity.verify(live))).code, "rate_limited");
      assert.ok(await identity.verify({ ...live, mode: "test" }));
      assert.equal((await failureFrom((await open()).verify(live))).code, "rate_limited");
    });
  });
}
