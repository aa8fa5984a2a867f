import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { withSuiteStore } from "../../../test/support/fresh-store.ts";
import { accessTrail } from "../../declare/access-trail.ts";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { rebuildSums } from "../../ledger/journal/rebuild-sums.ts";
import { type Count, counts } from "../../ledger/journal/verification-sums.ts";
import { storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { changeCount } from "../../storage/change-counter.ts";
import type { Store } from "../../storage/store.ts";
import { recorded } from "../access.fixture.ts";
import { AccessError } from "../access-error.ts";
import { type Account, createAccount, findAccount } from "./accounts.ts";
import { moneyMovesOf } from "./money-moves.ts";
import { changeTerms, chargedThisMonth, spendingOf, topUp } from "./terms.ts";

const zone = new TimeZone("Africa/Lagos");
const january = Date.UTC(2026, 0, 15);

for (const engine of usualEngines)
  suite(`terms of accounts on ${engine.name}`, () => {
    let store: Store;
    const events: AuditEvent[] = [];
    withSuiteStore(engine, (its) => {
      store = its;
    });

    let accounts = 0;
    const newAccount = () => {
      accounts += 1;
      return createAccount(recorded(store.db), { name: "Shop", email: `shop${accounts}@example.com` });
    };
    const change = (account: Account, terms: Parameters<typeof changeTerms>[2], now = january) =>
      changeTerms(recorded(store.db, events), account.email, terms, zone, now);
    const pay = (account: Account, kobo: number, reason = "transfer") =>
      topUp(recorded(store.db, events), account.email, { kobo, reason }, january);
    const spent = async ({ id }: Account, now = january) => {
      const account = await findAccount(store.db, id);
      return (await spendingOf(store.db, [account], zone, now))(account);
    };

    test("a change of a term keeps an account's other terms, null removes it, and other processes notice", async () => {
      const account = await newAccount();
      const count = await changeCount(store.db, "access");
      await change(account, { capKobo: 5_000_000, verification: { count: 9, seconds: 60 } });
      const { terms } = await change(account, { capCount: 7, inFlight: 3 });
      assert.deepEqual(terms, {
        capKobo: 5_000_000,
        verification: { count: 9, seconds: 60 },
        capCount: 7,
        inFlight: 3,
      });
      assert.equal(await changeCount(store.db, "access"), count + 2);
      await change(account, { capKobo: null, capCount: null, verification: null, inFlight: null });
      assert.deepEqual((await findAccount(store.db, account.id)).terms, {});
      assert.deepEqual(
        events.at(-2),
        accessTrail.accountTermsChanged("test", {
          account: account.id,
          limit_verification: "9/min",
          limit_in_flight: 3,
          limit_negatives: null,
          cap_naira: "50000",
          cap_count: 7,
          prepaid: false,
        }),
      );
    });

    test("an account has a cap or a balance, not both", async () => {
      const account = await newAccount();
      await change(account, { capCount: 7 });
      await assert.rejects(change(account, { prepaid: true }), AccessError);
      assert.deepEqual((await findAccount(store.db, account.id)).terms, { capCount: 7 });
      await change(account, { prepaid: true, capCount: null });
      await assert.rejects(change(account, { capKobo: 1 }), /not both/);
    });

    test("a new cap counts the charges that an account already has in the month", async () => {
      const account = await newAccount();
      const row = (changes: Parameters<typeof verifiedRow>[2]) => verifiedRow(account.id, january, changes);
      const december = Date.UTC(2025, 11, 31, 22, 59);
      await storeRows(
        store.db,
        row({}),
        row({ created_at: december, charged_at: december + 60_000 }),
        row({ created_at: december, charged_at: december }),
        row({ charged: 0 }),
        row({ state: "started", charged: 0, charged_at: null, spends: "2026-01" }),
        row({ mode: "test" }),
      );
      assert.deepEqual(await spent(account), { month: null, balance: null });
      await change(account, { capCount: 1 });
      assert.deepEqual(await spent(account), { month: { kobo: 30_000, verifications: 3 }, balance: null });
      await change(account, { capCount: 9 });
      assert.deepEqual(await spent(account), { month: { kobo: 30_000, verifications: 3 }, balance: null });
      assert.deepEqual(await spent(account, Date.UTC(2026, 1, 1)), {
        month: { kobo: 0, verifications: 0 },
        balance: null,
      });
    });

    test("a top-up changes only its account's balance, and a new cap only its account's present month", async () => {
      const [one, other] = [await newAccount(), await newAccount()];
      const used = { kobo: 20_000, verifications: 2, most_kobo: 50_000, most_verifications: null };
      const periods = ["prepaid", "2026-01"];
      const row = (account_id: string, period: string) => ({ account_id, period, ...used });
      const rows = [one, other].flatMap(({ id }) => periods.map((period) => row(id, period)));
      await store.db.insertInto("spending").values(rows).execute();
      const spendingRows = async () =>
        store.db
          .selectFrom("spending")
          .selectAll()
          .where("account_id", "in", [one.id, other.id])
          .orderBy("account_id")
          .orderBy("period", "desc")
          .execute();
      const expected = (balance: object, month: object) =>
        [
          { ...row(one.id, "prepaid"), ...balance },
          { ...row(one.id, "2026-01"), ...month },
          ...periods.map((period) => row(other.id, period)),
        ].toSorted((a, b) => (a.account_id < b.account_id ? -1 : Number(a.account_id > b.account_id)));
      await pay(one, 1_000);
      assert.deepEqual(await spendingRows(), expected({ most_kobo: 51_000 }, {}));
      await change(one, { capCount: 9 });
      assert.deepEqual(
        await spendingRows(),
        expected({ most_kobo: 51_000 }, { kobo: 0, verifications: 0, most_kobo: null }),
      );
    });

    test("a balance is the sum of its top-ups, each a line with reason and author", async () => {
      const account = await newAccount();
      await pay(account, 30_050, "transfer 12345678901 of 3 November");
      assert.deepEqual(await spent(account), { month: null, balance: null });
      await change(account, { prepaid: true });
      await pay(account, -10_000, "one zero too many");
      assert.deepEqual(await spent(account), { month: null, balance: 20_050 });
      await assert.rejects(pay(account, -20_051), /less than the amount that you take back/);
      assert.deepEqual(await spent(account), { month: null, balance: 20_050 });
      const lines = await store.db.selectFrom("top_up").selectAll().where("account_id", "=", account.id).execute();
      assert.deepEqual(lines.map(({ kobo, reason, actor, at }) => [kobo, reason, actor, at]).sort(), [
        [-10_000, "one zero too many", "test", january],
        [30_050, "transfer … of 3 November", "test", january],
      ]);
      const { kind, facts } = events.at(-1)!;
      assert.deepEqual(
        [kind, facts.account, facts.amount, facts.reason],
        ["account.topped_up", account.id, "-100", "one zero too many"],
      );
      await pay(account, -20_050);
      assert.equal((await spent(account)).balance, 0);
    });

    test("an account's money moves are its top-ups and live corrections, newest first", async () => {
      const [{ id }, other] = [await newAccount(), await newAccount()];
      await topUp(recorded(store.db), id, { kobo: 30_050, reason: "transfer" }, january);
      const none = { reference: null, kind: null, reason: "by hand" };
      const corrected = (account_id: string, mode: "live" | "test", kobo: number, at: number, charges = 0) =>
        store.db
          .insertInto("adjustment")
          .values({ ...none, id: randomUUID(), account_id, mode, kobo, at, charges })
          .execute();
      await corrected(id, "live", -500, january + 1);
      await corrected(id, "live", 200, january + 2);
      await corrected(id, "test", -7, january + 3);
      await corrected(other.id, "live", -9, january + 4);
      // Duba itself took a charge back, and charged again.
      await corrected(id, "live", -100, january + 5, -1);
      await corrected(id, "live", 100, january + 6, 1);
      const moves = await moneyMovesOf(store.db, id, january + 7);
      assert.deepEqual(
        moves.map(({ what, amount }) => [what, amount]),
        [
          ["charged_by_hand", -200],
          ["given_back", 500],
          ["top_up", 30_050],
        ],
      );
    });

    test("an account's charges of the month are live ones, from the first day on", async () => {
      const { id } = await newAccount();
      const none = Object.fromEntries(counts.map((count) => [count, 0])) as Record<Count, number>;
      const about = { ...none, span: "day", account_id: id, kind: "bvn", vendor: "", charges: 1 } as const;
      const first = zone.startOfMonth(zone.monthOf(january));
      for (const [at, mode, charged_kobo] of [
        [january, "live", 100],
        [january, "test", 20],
        [first, "live", 3],
        [first - 1, "live", 4_000],
      ] as const) {
        const begins_at = zone.startOfDay(zone.dayOf(at));
        await store.db
          .insertInto("verification_sum")
          .values({ ...about, begins_at, mode, charged_kobo })
          .execute();
      }
      assert.equal((await chargedThisMonth(store.db, zone, january)).get(id), 103);
      assert.deepEqual([...(await chargedThisMonth(store.db, zone, january, id))], [[id, 103]]);
    });

    test("today's charges are read each time, and those of past days again after a rebuild of the sums", async () => {
      const { id } = await newAccount();
      const none = Object.fromEntries(counts.map((count) => [count, 0])) as Record<Count, number>;
      const about = { ...none, span: "day", account_id: id, mode: "live", kind: "bvn", vendor: "", charges: 1 };
      const first = zone.startOfMonth(zone.monthOf(january));
      const tenth = first + 9 * 24 * 60 * 60_000;
      const charge = (begins_at: number, charged_kobo: number) =>
        store.db
          .insertInto("verification_sum")
          .values({ ...about, begins_at, charged_kobo })
          .execute();
      const charged = async () => (await chargedThisMonth(store.db, zone, tenth + 12 * 60 * 60_000)).get(id);
      await charge(first, 5);
      assert.equal(await charged(), 5);
      await charge(tenth, 20);
      assert.equal(await charged(), 25);
      const room = { db: store.db, audit: async () => {}, actor: "test", now: () => tenth, progress: () => {} };
      await charge(first - 1, 300);
      await charge(first + 24 * 60 * 60_000, 4_000);
      await rebuildSums(room, zone);
      assert.equal(await charged(), undefined);
    });
  });
