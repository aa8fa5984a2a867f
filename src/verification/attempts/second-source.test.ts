import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { plainText } from "../../declare/command/rich-text.ts";
import { explainRoute as explain } from "../../features/ledger-reports/explain-route.ts";
import { type IdentitySettings, listedRoutes } from "../../ledger/identity-settings.ts";
import { StoreAway } from "../../storage/errors.ts";
import type { Db } from "../../storage/tables.ts";
import type { IdentityAttempt, IdentityOutcome, IdentityUpstream } from "../../vendors/ports/identity-upstream.ts";
import { negative, unavailable, unknown } from "../../vendors/ports/outcomes.ts";
import { failureFrom, newRequest, suiteStore, until, usualEngines } from "../identity.fixture.ts";
import { attemptsOf, onlyRow, quiet } from "../ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "../played-upstream.fixture.ts";

const explainRoute = (...asked: Parameters<typeof explain>) => plainText(explain(...asked), { at: String });

type Answer = IdentityOutcome | ((attempt: IdentityAttempt, nth: number) => Promise<IdentityOutcome>);

const notFound = negative("not_found");

for (const engine of usualEngines)
  suite(`a second source after "not found" on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const named = (name: string, answer: Answer, more: Partial<IdentityUpstream> = {}) => {
      const { upstream, received } = answering((attempt, nth) =>
        typeof answer === "function" ? answer(attempt, nth) : answer,
      );
      return { upstream: { ...upstream, name, ...more }, received };
    };
    /** Vendors that all bill ₦50, of which one verification may use two. */
    const open = (
      t: TestContext,
      live: { upstream: IdentityUpstream }[],
      settings: Partial<IdentitySettings> = {},
      db?: Db,
    ) =>
      store.open(t, {
        ...(db && { db }),
        upstreams: { test: live[0]!.upstream, live: live.map(({ upstream }) => upstream) },
        settings: {
          routes: { ...listedRoutes, notFoundMax: 10_000 },
          vendorPrices: Object.fromEntries(live.map(({ upstream: { name } }) => [name, { bvn: 5_000 }])),
          ...settings,
        },
      });
    const mineWith = (changes = {}) => newRequest({ mode: "live", idempotencyKey: "k", ...changes });
    /** Returns the state and charge of the only verification, and each attempt with its outcome. */
    const seen = async (mine: ReturnType<typeof newRequest>) => {
      const { state, charged } = await onlyRow(store.db, mine);
      const attempts = (await attemptsOf(store.db, mine)).map(({ vendor, outcome }) => `${vendor} ${outcome}`);
      return [state, charged, ...attempts];
    };

    test("a second source adds an attempt with its own bill, and the client pays once", async (t) => {
      const [first, second, third] = [named("first", notFound), named("second", verified), named("third", verified)];
      const identity = await open(t, [first, second, third]);
      const mine = mineWith();
      const { record } = await identity.verify(mine);
      assert.deepEqual(await seen(mine), ["verified", 1, "first negative", "second verified"]);
      const again = await identity.verify(mine);
      assert.deepEqual([again.record, again.replayed], [record, true]);
      assert.deepEqual([first.received.length, second.received.length, third.received.length], [1, 1, 0]);
      const attempts = await attemptsOf(store.db, mine);
      assert.deepEqual(
        attempts.map(({ price }) => price),
        [5_000, 5_000],
      );
      assert.equal(
        explainRoute(attempts),
        "first was asked, the first in the order, and knew nobody with the number. " +
          "Then second was asked, and gave the record.",
      );
    });

    test("if the second source finds nobody either, no third vendor is asked, even by a retry", async (t) => {
      const [first, second, third] = [named("first", notFound), named("second", notFound), named("third", verified)];
      const identity = await open(t, [first, second, third], { payTwice: true });
      const mine = mineWith();
      for (const _ of [1, 2]) assert.equal((await failureFrom(identity.verify(mine))).code, "bvn_not_found");
      assert.deepEqual(await seen(mine), ["not_found", 0, "first negative", "second negative"]);
      assert.equal(third.received.length, 0);
    });

    test("if the second source fails, the verification ends as not found", async (t) => {
      const useless: [Answer, string | null][] = [
        [unavailable("no_money"), "second failed"],
        [unavailable("not_reached"), null],
        [{ state: "failed", reason: "strange" }, "second failed"],
        [() => Promise.reject(new Error("played")), "second failed"],
      ];
      for (const [answer, attempt] of useless) {
        const [first, second, third] = [named("first", notFound), named("second", answer), named("third", verified)];
        const identity = await open(t, [first, second, third]);
        const mine = mineWith();
        for (const _ of [1, 2]) {
          const { code, detail } = await failureFrom(identity.verify(mine));
          assert.deepEqual(
            [code, detail.facts?.charged, detail.facts?.upstream_called],
            ["bvn_not_found", false, true],
          );
        }
        assert.deepEqual(await seen(mine), ["not_found", 0, "first negative", ...(attempt ? [attempt] : [])]);
        assert.deepEqual([first.received.length, second.received.length, third.received.length], [1, 1, 0]);
        await store.end(identity);
      }
    });

    test("a retry asks a second source with an unknown outcome again, and no other vendor", async (t) => {
      const outcomes = { record: verified, nobody: notFound, "no work": unavailable("out_of_service") };
      for (const [name, later] of Object.entries(outcomes)) {
        const second = named("second", async (attempt, nth) =>
          nth === 1 ? unknown : typeof later === "function" ? later(attempt) : later,
        );
        const [first, third] = [named("first", notFound), named("third", verified)];
        const identity = await open(t, [first, second, third], { payTwice: true });
        const mine = mineWith();
        assert.equal((await failureFrom(identity.verify(mine))).code, "upstream_timeout", name);
        assert.deepEqual(await seen(mine), ["unknown", 0, "first negative", "second unknown"]);
        const told = await identity.verify(mine).then(
          () => "verified",
          ({ code }) => code,
        );
        assert.equal(told, { record: "verified", nobody: "bvn_not_found", "no work": "upstream_timeout" }[name]);
        assert.deepEqual([first.received.length, second.received.length, third.received.length], [1, 2, 0], name);
        await store.end(identity);
      }
    });

    test("a late answer that the second source did no work leaves the first answer, not found", async (t) => {
      const second = named("second", async () => ({ ...unknown, later: Promise.resolve(unavailable("not_done")) }));
      const identity = await open(t, [named("first", notFound), second]);
      const mine = mineWith();
      await failureFrom(identity.verify(mine));
      await until(async () => (await onlyRow(store.db, mine)).state !== "unknown");
      await quiet(store.usage);
      assert.equal((await failureFrom(identity.verify(mine))).code, "bvn_not_found");
      assert.deepEqual(await seen(mine), ["not_found", 0, "first negative", "second failed"]);
      assert.equal(second.received.length, 1);
    });

    test("a retry asks the second source if the process died while asking it", async (t) => {
      const second = new PlayedUpstream();
      const [first, third] = [named("first", notFound), named("third", verified)];
      const vendors = [first, { upstream: second }, third];
      const dies = await open(t, vendors);
      const mine = mineWith();
      void dies.verify(mine).catch(() => undefined);
      await second.asked();
      assert.deepEqual(await seen(mine), ["started", 0, "first negative", "played unknown"]);
      await store.end(dies);

      const identity = await open(t, vendors, { payTwice: true });
      const retry = identity.verify(mine);
      second.answer(await verified(await second.asked(2)), 2);
      await retry;
      assert.deepEqual(await seen(mine), ["verified", 1, "first negative", "played unknown", "played verified"]);
      assert.deepEqual([first.received.length, third.received.length], [1, 0]);
    });

    test("if the store cannot write a failover, a retry fails over, and no caller gets not_found before", async (t) => {
      let isAway = true;
      const db = store.db.withPlugin({
        transformQuery({ node }) {
          if (isAway && JSON.stringify(node).includes('"failover"')) throw new StoreAway("AWAY", "it is away", true);
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      const [first, second, third] = [named("first", notFound), named("second", verified), named("third", verified)];
      const identity = await open(t, [first, second, third], {}, db);
      const mine = mineWith();
      const { code, detail } = await failureFrom(identity.verify(mine));
      assert.deepEqual([code, detail.retryable, detail.facts?.charged], ["upstream_unavailable", undefined, false]);
      assert.deepEqual(await seen(mine), ["failed", 0, "first negative"]);
      isAway = false;
      assert.equal((await identity.verify(mine)).replayed, false);
      assert.deepEqual(await seen(mine), ["verified", 1, "first negative", "second verified"]);
      assert.deepEqual([first.received.length, second.received.length, third.received.length], [1, 1, 0]);
    });

    test("a second source is asked only if all bills together stay within the bound", async (t) => {
      const told = async (notFoundMax: number, vendorPrices: IdentitySettings["vendorPrices"]) => {
        const live = [named("first", notFound), named("second", notFound), named("third", verified)];
        const identity = await open(t, live, { routes: { ...listedRoutes, notFoundMax }, vendorPrices: vendorPrices! });
        const mine = mineWith();
        await identity.verify(mine).catch(() => undefined);
        await store.end(identity);
        const attempts = await attemptsOf(store.db, mine);
        return [...attempts.map(({ vendor }) => vendor), attempts.at(-1)?.why];
      };
      const prices = { first: { bvn: 4_000, "bvn.not_found": 1_000 }, second: { bvn: 3_000, "*.failed": 5_000 } };
      assert.deepEqual(await told(6_000, prices), ["first", "second", null]);
      assert.deepEqual(await told(5_999, prices), ["first", null], "third has no price");
      assert.deepEqual(await told(5_999, { ...prices, third: { bvn: 4_999 } }), ["first", "third", "second=too_dear"]);
      assert.deepEqual(
        await told(9_999, { ...prices, first: {} }),
        ["first", null],
        "nobody knows what the first bills",
      );
    });

    test("a second source is asked only after not found, and only for live keys", async (t) => {
      for (const outcome of [
        negative("phone_mismatch"),
        negative("blocked"),
        { state: "failed", reason: "strange" },
        unknown,
      ] as const) {
        const second = named("second", verified);
        const identity = await open(t, [named("first", outcome), second]);
        await failureFrom(identity.verify(mineWith()));
        assert.equal(second.received.length, 0, outcome.state);
        await store.end(identity);
      }
      const second = named("second", verified);
      const identity = await open(t, [named("first", notFound), second]);
      assert.equal((await failureFrom(identity.verify(mineWith({ mode: "test" })))).code, "bvn_not_found");
      assert.equal(second.received.length, 0);
    });

    test("no second source is asked once the caller has waited for half of the time limit", async (t) => {
      const second = named("second", verified);
      const first = named("first", async () => {
        await new Promise((resolve) => setTimeout(resolve, 600));
        return notFound;
      });
      const identity = await open(t, [first, second], { timeLimit: 1_000 });
      const mine = mineWith();
      await failureFrom(identity.verify(mine));
      assert.equal(second.received.length, 0);
    });

    test("no second source is asked while an earlier attempt may still be billed", async (t) => {
      const [second, third] = [named("second", notFound), named("third", verified)];
      const identity = await open(t, [named("first", unknown), second, third], { payTwice: true });
      const mine = mineWith();
      assert.equal((await failureFrom(identity.verify(mine))).code, "bvn_not_found");
      assert.deepEqual([second.received.length, third.received.length], [1, 0]);
    });
  });
