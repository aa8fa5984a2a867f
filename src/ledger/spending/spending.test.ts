import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { adjust } from "../../features/books/adjust.ts";
import type { IdentityOutcome } from "../../vendors/ports/identity-upstream.ts";
import {
  type Changes,
  engines,
  failureFrom,
  newRequest,
  suiteStore,
  until,
} from "../../verification/identity.fixture.ts";
import { ledgerRows, onlyRow } from "../../verification/ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "../../verification/played-upstream.fixture.ts";
import type { VerificationRequest } from "../../verification/request.ts";
import { storeAccount, storeSpending } from "../ledger-rows.fixture.ts";

for (const engine of engines) {
  suite(`caps and balances on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const january = Date.UTC(2026, 0, 31, 12);

    /** Opens the service with a vendor that verifies everybody, or has the outcome that a test sets. */
    const openAt = async (t: TestContext, changes: Changes = {}) => {
      const vendor = { outcome: undefined as IdentityOutcome | undefined };
      const clock = { time: january };
      const { upstream, received } = answering((attempt) => vendor.outcome ?? verified(attempt));
      const upstreams = { test: upstream, live: [upstream] };
      const open = () => store.open(t, { upstreams, now: () => clock.time, ...changes });
      return { identity: await open(), open, clock, vendor, received };
    };
    let people = 22_000_002_000;
    const another = (mine: VerificationRequest) => ({ ...mine, number: String(people++) });
    const customer = (terms: VerificationRequest["terms"], changes: Partial<VerificationRequest> = {}) =>
      newRequest({ mode: "live", terms, ...changes });

    /** The stored spending of an account by period, compared with its ledger rows. */
    const spent = async (mine: VerificationRequest) => {
      const rows = await store.db.selectFrom("spending").selectAll().where("account_id", "=", mine.accountId).execute();
      const takers = (await ledgerRows(store.db, mine)).filter((row) => row.state === "started" || row.charged === 1);
      const topUps = await store.db
        .selectFrom("top_up")
        .select("kobo")
        .where("account_id", "=", mine.accountId)
        .execute();
      return Object.fromEntries(
        rows.map(({ period, kobo, verifications, most_kobo }) => {
          const taking = takers.filter(({ spends }) => spends === period);
          const fees = taking.reduce((sum, { fee }) => sum + fee, 0);
          assert.deepEqual({ kobo, verifications }, { kobo: fees, verifications: taking.length }, period);
          const added = topUps.reduce((sum, { kobo }) => sum + kobo, 0);
          if (period === "prepaid") assert.equal(most_kobo, added);
          return [period, [kobo, verifications]];
        }),
      );
    };
    const topUp = async ({ accountId: account_id }: VerificationRequest, kobo: number) => {
      const row = { id: `${account_id}-${kobo}`, account_id, at: january, kobo, reason: "test", actor: "test" };
      await store.db.insertInto("top_up").values(row).execute();
      await storeSpending(store.db, account_id, { most_kobo: kobo });
    };

    const insertAccount = async ({ accountId: id, terms }: VerificationRequest) => {
      await storeAccount(store.db, id, { terms });
    };

    test("a cap of verifications refuses the next one before any vendor is called", async (t) => {
      const { identity, received, clock } = await openAt(t);
      const mine = customer({ capCount: 2 });
      await identity.verify(another(mine));
      await identity.verify({ ...another(mine), idempotencyKey: "k" });
      for (const key of [{}, { idempotencyKey: "l" }]) {
        const { code, status, retryable, message, detail } = await failureFrom(
          identity.verify({ ...another(mine), ...key }),
        );
        assert.deepEqual([code, status, retryable], ["spending_cap_reached", 402, false]);
        assert.match(
          message,
          /^Your account may be charged for 2 verifications in 2026-01, and has reached that number\. /,
        );
        assert.match(message, / It begins anew on 2026-02-01: .*GET \/api\/v2\/me shows what is left\.$/);
        assert.deepEqual(detail.facts, { charged: false, upstream_called: false, request_reference: null });
      }
      assert.equal(received.length, 2);
      assert.equal((await ledgerRows(store.db, mine)).length, 2);
      assert.deepEqual(await spent(mine), { "2026-01": [20_000, 2] });
      // In Lagos the month begins an hour before it begins in London.
      clock.time = Date.UTC(2026, 0, 31, 23, 0);
      await identity.verify(another(mine));
      assert.deepEqual(await spent(mine), { "2026-01": [20_000, 2], "2026-02": [10_000, 1] });
    });

    test("a cap in naira counts each fee, and what is not charged costs nothing", async (t) => {
      const { identity, vendor } = await openAt(t);
      const mine = customer({ capKobo: 25_000 });
      await identity.verify(another(mine));
      for (const outcome of [
        { state: "negative", reason: "not_found" },
        { state: "negative", reason: "phone_mismatch" },
        { state: "failed", reason: "out_of_service" },
        { state: "failed", reason: "strange" },
        { state: "unknown", reason: "unclear" },
      ] as IdentityOutcome[]) {
        vendor.outcome = outcome;
        await failureFrom(identity.verify(another(mine)));
      }
      vendor.outcome = undefined;
      await identity.verify(another(mine));
      const failure = await failureFrom(identity.verify(another(mine)));
      assert.match(
        failure.message,
        /^Your account may spend 250 naira in 2026-01\. It has spent 200 naira, and the fee is 100 naira\. /,
      );
      assert.equal(failure.code, "spending_cap_reached");
      await identity.verify(another({ ...mine, fees: { bvn: 5_000 } }));
      assert.deepEqual(await spent(mine), { "2026-01": [25_000, 3] });
    });

    test("live verifications can use a balance up to the last kobo, and test verifications use nothing", async (t) => {
      const { identity } = await openAt(t);
      const mine = customer({ prepaid: true });
      const empty = await failureFrom(identity.verify(another(mine)));
      assert.deepEqual([empty.code, empty.status, empty.retryable], ["balance_too_low", 402, false]);
      await topUp(mine, 20_000);
      await identity.verify(another(mine));
      await identity.verify({ ...another(mine), mode: "test" });
      await identity.verify(another(mine));
      const { code, message } = await failureFrom(identity.verify(another(mine)));
      assert.equal(code, "balance_too_low");
      assert.equal(
        message,
        "Your balance is 0 naira and the fee is 100 naira. Ask the operator of the service to top up your balance. " +
          "GET /api/v2/me shows what is left.",
      );
      await identity.verify(another({ ...mine, fees: { bvn: 0 } }));
      assert.deepEqual(await spent(mine), { prepaid: [20_000, 3] });
    });

    test("requests with one idempotency key take the fee once, however often they are sent", async (t) => {
      const { identity, open } = await openAt(t);
      const mine = customer({ capCount: 1 }, { idempotencyKey: "k" });
      const beside = engine.name === "postgres" ? await open() : identity;
      const rooms = [identity, beside, identity, beside];
      const answers = await Promise.allSettled(rooms.map((room) => room.verify(mine)));
      assert.ok(answers.some(({ status }) => status === "fulfilled"));
      for (const room of rooms) assert.equal((await room.verify(mine)).replayed, true);
      assert.deepEqual(await spent(mine), { "2026-01": [10_000, 1] });
    });

    test("after a failure, a retry takes the fee from the month in which the retry is made", async (t) => {
      const { identity, vendor, clock, received } = await openAt(t);
      const mine = customer({ capCount: 1 }, { idempotencyKey: "k" });
      clock.time = Date.UTC(2026, 0, 31, 22, 59, 59);
      vendor.outcome = { state: "failed", reason: "out_of_service" };
      await failureFrom(identity.verify(mine));
      clock.time += 1000;
      vendor.outcome = undefined;
      const other = another({ ...mine, idempotencyKey: "other" });
      await identity.verify(other);
      const refused = await failureFrom(identity.verify(mine));
      const [row] = await ledgerRows(store.db, mine);
      assert.deepEqual(
        [refused.code, refused.detail.facts],
        ["spending_cap_reached", { charged: false, upstream_called: true, request_reference: row!.reference }],
      );
      assert.equal(received.length, 2);
      await identity.verify({ ...mine, terms: { capCount: 2 } });
      assert.deepEqual(await spent(mine), { "2026-01": [0, 0], "2026-02": [20_000, 2] });
    });

    test("a late record is returned only to an account that can pay for it", async (t) => {
      const upstream = new PlayedUpstream();
      const settings = { timeLimit: 1_000 };
      const room = await store.open(t, {
        upstreams: { test: upstream, live: [upstream] },
        settings,
        now: () => january,
      });
      const mine = customer({ capCount: 1 }, { idempotencyKey: "k" });
      const call = failureFrom(room.verify(mine));
      await upstream.asked();
      assert.deepEqual(await spent(mine), { "2026-01": [10_000, 1] });
      assert.equal((await call).code, "upstream_timeout");
      assert.deepEqual(await spent(mine), { "2026-01": [0, 0] });
      upstream.answer(await verified(mine));
      await until(async () => (await onlyRow(store.db, mine)).state === "verified");
      assert.deepEqual(await spent(mine), { "2026-01": [0, 0] });

      const other = another({ ...mine, idempotencyKey: "other" });
      const otherCall = room.verify(other);
      await upstream.asked(2);
      upstream.answer(await verified(other), 2);
      await otherCall;
      const { code, detail } = await failureFrom(room.verify(mine));
      assert.deepEqual(
        [code, detail.facts?.charged, detail.facts?.upstream_called],
        ["spending_cap_reached", false, true],
      );
      const given = await room.verify({ ...mine, terms: { capCount: 2 } });
      assert.equal(given.replayed, false);
      assert.deepEqual(await spent(mine), { "2026-01": [20_000, 2] });
    });

    test("a verification that a stopped process left running gives its fee back", async (t) => {
      const upstream = new PlayedUpstream();
      const upstreams = { test: upstream, live: [upstream] };
      const mine = customer({ prepaid: true }, { idempotencyKey: "k" });
      await topUp(mine, 30_000);
      const room = await store.open(t, { upstreams, now: () => january, settings: { timeLimit: 1_000 } });
      const calls = [mine, another({ ...mine, idempotencyKey: "l" })].map((one) => failureFrom(room.verify(one)));
      await upstream.asked(2);
      assert.deepEqual(await spent(mine), { prepaid: [20_000, 2] });
      await store.end(room);
      assert.deepEqual(await spent(mine), { prepaid: [0, 0] });
      await Promise.all(calls);
      assert.deepEqual(await spent(mine), { prepaid: [0, 0] });
    });

    test("a correction by hand changes the balance of a prepaid account, down to nothing", async (t) => {
      await openAt(t);
      const accountOf = async (terms: VerificationRequest["terms"]) => {
        const mine = customer(terms);
        await insertAccount(mine);
        await topUp(mine, 10_000);
        const correct = (kobo: number) => {
          const audited = { db: store.db, audit: async () => {}, actor: "test" };
          return adjust(audited, { accountId: mine.accountId, mode: "live", kobo, reason: "test" }, january);
        };
        const balance = async () => {
          const row = store.db.selectFrom("spending").select("most_kobo").where("account_id", "=", mine.accountId);
          return (await row.executeTakeFirstOrThrow()).most_kobo;
        };
        return { correct, balance };
      };
      const { correct, balance } = await accountOf({ prepaid: true });
      await correct(-2_500);
      assert.equal(await balance(), 12_500);
      await correct(12_500);
      assert.equal(await balance(), 0);
      await assert.rejects(correct(1), /its balance is less than the debit/);
      await correct(-10_000);
      assert.equal(await balance(), 10_000);
      const other = await accountOf({});
      await other.correct(500);
      assert.equal(await other.balance(), 10_000);
    });
  });
}
