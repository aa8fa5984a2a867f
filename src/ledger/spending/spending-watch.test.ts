import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { changeTerms, topUp } from "../../access/accounts/terms.ts";
import { append } from "../../audit/append.ts";
import type { AccountTerms } from "../../declare/account-terms.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import type { Tables } from "../../storage/tables.ts";
import { engines, suiteStore, usualSettings } from "../../verification/identity.fixture.ts";
import { newRow } from "../ledger-moves.fixture.ts";
import { storeAccount, storeRows, storeSpending } from "../ledger-rows.fixture.ts";
import { nearlySpentAccounts, SpendingWatch } from "./spending-watch.ts";

const january = Date.UTC(2026, 0, 15);

for (const engine of engines)
  suite(`the watch over caps and balances on ${engine.name}`, () => {
    const store = suiteStore(engine);

    const account = async (id: string, terms: AccountTerms, spent: Partial<Tables["spending"]>) => {
      await storeAccount(store.db, id, { terms });
      await storeSpending(store.db, id, { period: "2026-01", ...spent });
    };

    test("an account is warned once at 80 % of its cap or balance, and once more when all is used", async () => {
      await account("a-below", { capCount: 5 }, { kobo: 40_000, verifications: 3 });
      await account("b-count", { capCount: 5 }, { kobo: 40_000, verifications: 4 });
      await account("c-naira", { capKobo: 50_000, capCount: 9 }, { kobo: 40_000, verifications: 4 });
      await account("d-half", { prepaid: true }, { period: "prepaid", kobo: 30_000, most_kobo: 50_000 });
      await account("e-low", { prepaid: true }, { period: "prepaid", kobo: 40_001, most_kobo: 50_000 });
      await account("f-no-more", {}, { period: "prepaid", kobo: 50_000, most_kobo: 50_000 });
      for (const account_id of ["d-half", "e-low", "f-no-more"]) {
        const line = { account_id, at: january, reason: "transfer", actor: "test" };
        await store.db
          .insertInto("top_up")
          .values({ ...line, id: account_id, kobo: 50_000 })
          .execute();
        await store.db
          .insertInto("top_up")
          .values({ ...line, id: `${account_id}-back`, at: january + 1, kobo: -1 })
          .execute();
      }
      const log = new RecordedLog();
      const watch = new SpendingWatch(store.db, usualSettings, log);
      await watch.look(january, false);
      assert.deepEqual([watch.nearlySpent, log.lines], [{ cap: 2, balance: 1 }, []]);
      for (const _ of [1, 2]) await watch.look(january, true);
      const spent = { month: "2026-01", spent_naira: "400", spent_count: 4 };
      assert.deepEqual(
        log.lines.map(({ fields }) => fields),
        [
          { account: "b-count", ...spent, cap_naira: null, cap_count: 5 },
          { account: "c-naira", ...spent, cap_naira: "500", cap_count: 9 },
          { account: "e-low", balance: "99.99" },
        ],
      );
      // Another process finds the same accounts, and writes only to its own log.
      await new SpendingWatch(store.db, usualSettings, new RecordedLog()).look(january, true);
      const told = await store.db.selectFrom("event").selectAll().orderBy("number").execute();
      assert.deepEqual(
        told.map(({ type, audience, mode, data }) => [type, audience, mode, JSON.parse(data)]),
        [
          ["account.cap_warning", "b-count", "live", { terms: "cap", month: "2026-01", used_up: false }],
          ["account.cap_warning", "c-naira", "live", { terms: "cap", month: "2026-01", used_up: false }],
          ["account.cap_warning", "e-low", "live", { terms: "balance", month: null, used_up: true }],
        ],
      );
      await watch.look(Date.UTC(2026, 1, 1), true);
      assert.deepEqual([watch.nearlySpent, log.lines.length], [{ cap: 0, balance: 1 }, 3]);
      await watch.look(january, true);
      assert.equal(log.lines.length, 5);

      // With less left than a verification costs, further verifications are refused, which is reported once more.
      await store.db.updateTable("spending").set({ verifications: 5 }).where("account_id", "=", "b-count").execute();
      for (const _ of [1, 2]) await watch.look(january, true);
      const [last, ...more] = log.lines.slice(5);
      assert.deepEqual(more, []);
      assert.deepEqual(
        [last?.fields.account, last?.message],
        ["b-count", "An account has used its monthly cap, and its verifications are refused"],
      );
      const [event] = await store.db.selectFrom("event").selectAll().orderBy("number", "desc").limit(1).execute();
      assert.deepEqual(JSON.parse(event!.data), { terms: "cap", month: "2026-01", used_up: true });
    });

    test("a refused account is listed with sum and time, unless it is suspended", async () => {
      await account("g-refused", { capKobo: 20_000 }, { kobo: 20_000, verifications: 2 });
      const facts = { account_id: "g-refused", mode: "live", spends: "2026-01", state: "verified" } as const;
      const taken = newRow({ ...facts, charged: 1, created_at: january - 9, started_at: january - 5 });
      const { attempts: _, ...row } = taken;
      await storeRows(store.db, row);
      const found = async () =>
        (await nearlySpentAccounts(store.db, january, usualSettings)).filter(({ account }) => account === "g-refused");
      const [used, refused] = ["₦200.00 of ₦200.00 used", { account: "g-refused", kind: "cap", isExhausted: true }];
      assert.deepEqual(await found(), [{ ...refused, used, refusedSince: january - 5 }]);
      // Since that cap was lowered, no verification came that the account could pay.
      const audited = { db: store.db, audit: append, actor: "terminal" };
      await changeTerms(audited, "g-refused", { capKobo: 9_000 }, usualSettings.timeZone, january);
      const lowered = (await found())[0]!;
      assert.ok(lowered.refusedSince! > january, "a cap that was lowered since");
      await store.db.updateTable("account").set({ suspended_at: 1 }).where("id", "=", "g-refused").execute();
      assert.deepEqual(await found(), []);
    });

    test("a client counts as refused if the rest of the cap pays for no check, even below 80 %", async () => {
      await account("k-rest", { capKobo: 15_000 }, { kobo: 10_000, verifications: 1 });
      const found = await nearlySpentAccounts(store.db, january, usualSettings);
      const own = found.find(({ account }) => account === "k-rest");
      assert.deepEqual([own?.isExhausted, own?.used], [true, "₦100.00 of ₦150.00 used"]);
    });

    test("a prepaid client counts as refused if the balance pays for no check, unless the client is new", async () => {
      const zone = usualSettings.timeZone;
      const audited = { db: store.db, audit: append, actor: "terminal" };
      for (const id of ["h-new", "i-never-topped-up", "j-small-top-up"]) {
        await storeAccount(store.db, id);
        await changeTerms(audited, id, { prepaid: true }, zone, january);
        if (id === "h-new") continue;
        const { attempts: _, ...row } = newRow({ account_id: id, mode: "live", state: "verified", charged: 1 });
        await storeRows(store.db, row);
      }
      // More than a fifth of this top-up is left.
      await topUp(audited, "j-small-top-up", { kobo: 9_999, reason: "transfer" }, january);
      const found = await nearlySpentAccounts(store.db, january, usualSettings);
      assert.deepEqual(
        found
          .filter(({ account }) => /^[hij]-/.test(account))
          .map(({ account, isExhausted, used }) => [account, isExhausted, used]),
        [
          ["i-never-topped-up", true, "₦0.00 left, ₦100.00 for the cheapest check"],
          ["j-small-top-up", true, "₦99.99 left, ₦100.00 for the cheapest check"],
        ],
      );
    });
  });
