import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { recorded } from "../../access/access.fixture.ts";
import { changeTerms } from "../../access/accounts/terms.ts";
import { adjust } from "../../features/books/adjust.ts";
import { engines, failureFrom, newRequest, suiteStore, usualSettings } from "../../verification/identity.fixture.ts";
import { rowOf } from "../../verification/ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "../../verification/played-upstream.fixture.ts";
import { Charges } from "../charges.ts";
import { Ledger } from "../ledger.ts";
import { newRow } from "../ledger-moves.fixture.ts";
import { storeAccount, storeRows, storeSpending } from "../ledger-rows.fixture.ts";
import { lowerBalance } from "./spending.ts";

const january = Date.UTC(2026, 0, 31, 12);
const february = Date.UTC(2026, 1, 1, 12);
const zone = usualSettings.timeZone;

for (const engine of engines)
  suite(`what an account may spend, to the kobo, on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const spentOf = async (accountId: string) => {
      const rows = store.db.selectFrom("spending").selectAll().where("account_id", "=", accountId).orderBy("period");
      return (await rows.execute()).map(({ period, kobo, verifications, most_kobo }) => [
        period,
        kobo,
        verifications,
        most_kobo,
      ]);
    };
    const accountOf = async (id: string, terms: object) => {
      await storeAccount(store.db, id, { terms });
    };
    const numbered = (mine: ReturnType<typeof newRequest>, n: number) => ({
      ...mine,
      number: String(22_000_007_000 + n),
    });

    test("a cap of twice the fee allows two verifications, and a cap one kobo lower allows only one", async (t) => {
      const { upstream } = answering(verified);
      const identity = await store.open(t, { upstreams: { test: upstream, live: [upstream] }, now: () => january });
      for (const [capKobo, passes] of [
        [20_000, 2],
        [19_999, 1],
      ] as const) {
        const mine = newRequest({ mode: "live", terms: { capKobo } });
        for (let n = 0; n < passes; n += 1) await identity.verify(numbered(mine, n));
        assert.equal((await failureFrom(identity.verify(numbered(mine, 9)))).code, "spending_cap_reached");
        assert.deepEqual(await spentOf(mine.accountId), [["2026-01", passes * 10_000, passes, capKobo]]);
      }
    });

    test("reversing a charge leaves nothing spent, and changes its own account only", async (t) => {
      const { upstream } = answering(verified);
      const identity = await store.open(t, { upstreams: { test: upstream, live: [upstream] }, now: () => january });
      const [mine, other] = [1, 2].map(() => newRequest({ mode: "live", terms: { capCount: 5 }, idempotencyKey: "k" }));
      for (const one of [mine!, other!]) await identity.verify(one);
      const { reference, charge_mark: mark } = (await rowOf(store.db, mine!))!;
      await new Charges(store.db, () => january).withdraw(reference, { mark, replaces: "" });
      assert.deepEqual(await spentOf(mine!.accountId), [["2026-01", 0, 0, null]]);
      assert.deepEqual(await spentOf(other!.accountId), [["2026-01", 10_000, 1, null]]);
    });

    test("reversing a prepaid charge restores the balance, less what a correction gave back already", async (t) => {
      const { upstream } = answering(verified);
      const identity = await store.open(t, { upstreams: { test: upstream, live: [upstream] }, now: () => january });
      const mine = newRequest({ mode: "live", terms: { prepaid: true }, idempotencyKey: "k" });
      await accountOf(mine.accountId, mine.terms);
      await storeSpending(store.db, mine.accountId, { most_kobo: 50_000 });
      const takeBack = async (mine: ReturnType<typeof newRequest>, corrected: number) => {
        await identity.verify(mine);
        const { reference, charge_mark: mark } = (await identity.find({
          ...mine,
          idempotencyKey: mine.idempotencyKey!,
        }))!;
        const correction = {
          accountId: mine.accountId,
          mode: "live",
          kobo: -corrected,
          reason: "Half",
          reference,
        } as const;
        if (corrected > 0) await adjust(recorded(store.db), correction, january + 1);
        await new Charges(store.db, () => january + 2).withdraw(reference, { mark, replaces: "" });
        return spentOf(mine.accountId);
      };
      assert.deepEqual(await takeBack(mine, 0), [["prepaid", 0, 0, 50_000]]);
      assert.deepEqual(await takeBack({ ...numbered(mine, 2), idempotencyKey: "l" }, 4_000), [
        ["prepaid", 0, 0, 50_000],
      ]);
    });

    test("a reversal or a debit of a balance changes neither the month nor another account's balance", async () => {
      const rows = [
        { account_id: "acc_one", period: "prepaid" },
        { account_id: "acc_one", period: "2026-01" },
        { account_id: "acc_two", period: "prepaid" },
      ].map((row) => ({ ...row, kobo: 20_000, verifications: 2, most_kobo: 50_000, most_verifications: null }));
      await store.db.insertInto("spending").values(rows).execute();
      const unchanged = ["2026-01", 20_000, 2, 50_000];
      assert.equal(await lowerBalance(store.db, "acc_one", 1_000), true);
      assert.deepEqual(await spentOf("acc_one"), [unchanged, ["prepaid", 20_000, 2, 49_000]]);
      const row = newRow({ account_id: "acc_one", state: "verified", charged: 1, charged_at: 2, charge_mark: "mark" });
      const { attempts: _, ...columns } = { ...row, spends: "prepaid" };
      await storeRows(store.db, columns);
      await new Charges(store.db, () => january).withdraw(row.reference, { mark: "mark", replaces: "" });
      assert.deepEqual(await spentOf("acc_one"), [unchanged, ["prepaid", 10_000, 1, 49_000]]);
      assert.deepEqual(await spentOf("acc_two"), [["prepaid", 20_000, 2, 50_000]]);
    });

    test("each verification stores the caps that its account has at that time", async (t) => {
      const { upstream } = answering(verified);
      const identity = await store.open(t, { upstreams: { test: upstream, live: [upstream] }, now: () => january });
      const mine = newRequest({ mode: "live" });
      const caps = async () => {
        const rows = store.db.selectFrom("spending").select(["most_kobo", "most_verifications"]);
        return rows.where("account_id", "=", mine.accountId).execute();
      };
      for (const [n, capKobo, capCount] of [
        [0, 50_000, 5],
        [1, 30_000, 3],
      ] as const) {
        await identity.verify({ ...numbered(mine, n), terms: { capKobo, capCount } });
        assert.deepEqual(await caps(), [{ most_kobo: capKobo, most_verifications: capCount }]);
      }
    });

    test("a January record that is returned in February counts in February's cap", async (t) => {
      const clock = { now: january };
      const { upstream } = answering(async () => ({ state: "unknown", reason: "unclear" }));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [upstream] }, now: () => clock.now });
      const mine = newRequest({ mode: "live", terms: { capCount: 5 }, idempotencyKey: "k" });
      await failureFrom(identity.verify(mine));
      const row = (await rowOf(store.db, mine))!;
      await new Ledger(store.db).resolve(row, { state: "verified", attempt: 1, at: january });
      clock.now = february;
      const charges = new Charges(store.db, () => clock.now);
      const budget = { period: "2026-02", most_kobo: null, most_verifications: 5 };
      assert.equal(await charges.charge((await rowOf(store.db, mine))!, "mark", budget), true);
      assert.deepEqual(await spentOf(mine.accountId), [
        ["2026-01", 0, 0, null],
        ["2026-02", 10_000, 1, null],
      ]);
      await charges.withdraw(row.reference, { mark: "mark", replaces: "" });
      assert.deepEqual((await spentOf(mine.accountId))[1], ["2026-02", 0, 0, null]);
    });

    test("a new cap includes verifications that are already running", async (t) => {
      const upstream = new PlayedUpstream();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [upstream] }, now: () => january });
      const mine = newRequest({ mode: "live", terms: { capCount: 9 } });
      await accountOf(mine.accountId, { capCount: 9 });
      const running = [1, 2].map((n) => identity.verify(numbered(mine, n)));
      await upstream.asked(2);
      await changeTerms(recorded(store.db), mine.accountId, { capCount: 2 }, zone, january);
      const third = { ...numbered(mine, 3), terms: { capCount: 2 } };
      assert.equal((await failureFrom(identity.verify(third))).code, "spending_cap_reached");
      for (const nth of [1, 2]) upstream.answer(await verified(upstream.received[nth - 1]!), nth);
      await Promise.all(running);
      assert.deepEqual(await spentOf(mine.accountId), [["2026-01", 20_000, 2, null]]);
    });

    test("a correction of test verifications leaves the live balance as it is", async () => {
      await accountOf("acc_corrected", { prepaid: true });
      await storeSpending(store.db, "acc_corrected", { most_kobo: 5_000 });
      const correct = (mode: "test" | "live", kobo: number) =>
        adjust(recorded(store.db), { accountId: "acc_corrected", mode, kobo, reason: "Setup" }, january);
      for (const kobo of [3_000, -3_000, 9_000]) await correct("test", kobo);
      assert.deepEqual(await spentOf("acc_corrected"), [["prepaid", 0, 0, 5_000]]);
      await correct("live", 3_000);
      assert.deepEqual(await spentOf("acc_corrected"), [["prepaid", 0, 0, 2_000]]);
    });

    test("live and test verifications of an account count separately in its limit of running ones", async (t) => {
      const upstream = new PlayedUpstream();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [upstream] } });
      const mine = newRequest({ terms: { inFlight: 1 } });
      const running = identity.verify(mine);
      await upstream.asked(1);
      const { code, message } = await failureFrom(identity.verify(numbered(mine, 1)));
      assert.deepEqual([code, message.slice(0, 36)], ["too_many_in_flight", "Your account has 1 verifications run"]);
      const live = identity.verify({ ...mine, mode: "live" });
      await upstream.asked(2);
      for (const nth of [1, 2]) upstream.answer(await verified(upstream.received[nth - 1]!), nth);
      await Promise.all([running, live]);
    });
  });
