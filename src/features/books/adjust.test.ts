import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { append } from "../../audit/append.ts";
import { Charges } from "../../ledger/charges.ts";
import { storeRows, storeSpending, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { balanceOf } from "../../ledger/spending/spending.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { openStore, type Store } from "../../storage/store.ts";
import { suiteShop } from "../../verification/commands/ledger-commands.fixture.ts";
import { engines } from "../../verification/identity.fixture.ts";
import { adjust } from "./adjust.ts";

const zone = new TimeZone("Africa/Lagos");
const now = Date.now();
const lastMonth = zone.startOfMonth(zone.monthOf(now)) - 5 * 86_400_000;

for (const engine of engines)
  suite(`corrections by hand on ${engine.name}`, () => {
    let accountId = "";
    let nth = 0;
    const shop = suiteShop(engine, async (_, id) => {
      accountId = id;
    });
    const withStore = async <Result>(use: (store: Store) => Promise<Result>) => {
      const store = await openStore({ ...shop.settings, serving: false });
      try {
        return await use(store);
      } finally {
        await store.close();
      }
    };
    /** Stores a verification charged with 90 naira, and returns its reference. */
    const charged = (changes: Parameters<typeof verifiedRow>[2] = {}) =>
      withStore(async ({ db }) => {
        nth += 1;
        const reference = `adjust${String(nth).padStart(9, "0")}`;
        await storeRows(db, verifiedRow(accountId, now - 60_000, { reference, fee: 9_000, ...changes }));
        return reference;
      });
    const correct = (...options: string[]) =>
      shop.duba("books", "adjust", "--account", "shop@example.com", "--reason", "Charged twice", ...options);
    const totalOf = (reference: string) =>
      withStore(async ({ db }) => {
        const lines = await db.selectFrom("adjustment").select("kobo").where("reference", "=", reference).execute();
        return lines.reduce((sum, { kobo }) => sum + kobo, 9_000);
      });

    test("a correction gives back the charge of a verification and no kobo more", async () => {
      const reference = await charged();
      const tooMuch = await correct("--credit", "90.01", "--reference", reference);
      assert.equal(tooMuch.exitCode, 1);
      assert.match(tooMuch.err, /the corrections of \S+ come to ₦90\.00\. No more than that goes back/);
      assert.equal((await correct("--credit", "90", "--reference", reference)).exitCode, 0);
      const more = await correct("--credit", "0.01", "--reference", reference, "--sure");
      assert.match(more.err, /come to ₦0\.00/);
      assert.equal(await totalOf(reference), 0);
    });

    test("a correction counts as no charge, and changes the balance only of a prepaid account", async () => {
      const reference = await charged();
      const written = await withStore(async ({ db }) => {
        await storeSpending(db, accountId, { most_kobo: 5_000 });
        const terms = (prepaid: boolean) =>
          db
            .updateTable("account")
            .set({ terms: JSON.stringify({ prepaid }) })
            .where("id", "=", accountId)
            .execute();
        const correction = { accountId, mode: "live", kobo: -1_000, reason: "Half", sure: true } as const;
        const room = { db, audit: append, actor: "operator:ada" };
        const left: number[] = [];
        await adjust(room, { ...correction, reference }, now);
        left.push(await balanceOf(db, accountId));
        await terms(true);
        await adjust(room, { ...correction, reference }, now);
        left.push(await balanceOf(db, accountId));
        await terms(false);
        await db.deleteFrom("spending").where("account_id", "=", accountId).execute();
        const lines = await db.selectFrom("adjustment").selectAll().where("reference", "=", reference).execute();
        return { left, lines: lines.map(({ id: _, ...line }) => line) };
      });
      const line = { reference, account_id: accountId, mode: "live", kind: "bvn", at: now, charges: 0, kobo: -1_000 };
      assert.deepEqual(written, {
        left: [5_000, 6_000],
        lines: [1, 2].map(() => ({ ...line, reason: "Half" })),
      });
    });

    test("a correction gives back nothing for a verification that has no charge or a reversed charge", async () => {
      const notFound = await charged({ state: "not_found", charged: 0, charged_at: null });
      assert.match((await correct("--credit", "80", "--reference", notFound)).err, /come to ₦0\.00/);
      const returned = await charged({ charge_mark: "mark" });
      await withStore(({ db }) => new Charges(db, () => now).withdraw(returned, { mark: "mark", replaces: "" }));
      assert.match((await correct("--credit", "80", "--reference", returned)).err, /come to ₦0\.00/);
      assert.equal(await totalOf(returned), 0);
    });

    test("a second correction of a verification needs --sure", async () => {
      const reference = await charged();
      assert.equal((await correct("--credit", "40", "--reference", reference)).exitCode, 0);
      const again = await correct("--credit", "40", "--reference", reference);
      assert.equal(again.exitCode, 2);
      const sentences = `--sure is required for one more correction. ${reference} was corrected by hand before: `;
      assert.ok(again.err.startsWith(`${sentences}-₦40.00 (Charged twice).\n`), again.err);
      assert.equal((await correct("--credit", "40", "--reference", reference, "--sure")).exitCode, 0);
      assert.equal(await totalOf(reference), 1_000);
    });

    test("concurrent corrections by two processes give back no more than the charge", async () => {
      const reference = await charged();
      const attempts = await withStore((one) =>
        withStore((other) =>
          Promise.allSettled(
            Array.from({ length: 12 }, (_, each) => {
              const { db } = each % 2 === 0 ? one : other;
              const audited = { db, audit: append, actor: "terminal:ada" };
              const correction = { accountId, mode: "live", kobo: -3_000, reason: "Twice", reference } as const;
              return adjust(audited, { ...correction, sure: true }, now);
            }),
          ),
        ),
      );
      assert.equal(attempts.filter(({ status }) => status === "fulfilled").length, 3);
      assert.equal(await totalOf(reference), 0);
    });

    test("a reversal after a correction gives back only the rest of the charge, also to a balance", async () => {
      const reference = await charged({ charge_mark: "mark", spends: "prepaid" });
      await withStore(async ({ db }) => {
        const terms = JSON.stringify({ prepaid: true });
        await db.updateTable("account").set({ terms }).where("id", "=", accountId).execute();
        await storeSpending(db, accountId, { kobo: 9_000, verifications: 1, most_kobo: 20_000 });
      });
      assert.equal((await correct("--credit", "50", "--reference", reference)).exitCode, 0);
      await withStore(({ db }) => new Charges(db, () => now).withdraw(reference, { mark: "mark", replaces: "" }));
      assert.equal(await totalOf(reference), 0);
      await withStore(async ({ db }) => {
        assert.equal(await balanceOf(db, accountId), 20_000);
      });
      const ofTest = await charged({ mode: "test" });
      assert.equal((await correct("--mode", "test", "--credit", "50", "--reference", ofTest)).exitCode, 0);
      await withStore(async ({ db }) => {
        assert.equal(await balanceOf(db, accountId), 20_000, "test gives no money back");
        const terms = JSON.stringify({});
        await db.updateTable("account").set({ terms }).where("id", "=", accountId).execute();
      });
    });

    test("corrections without a reference need --sure once their sum exceeds last month's charges", async () => {
      await withStore(({ db }) =>
        storeRows(
          db,
          verifiedRow(accountId, lastMonth, { fee: 30_000 }),
          verifiedRow(accountId, lastMonth, { fee: 90_000, mode: "test" }),
        ),
      );
      assert.equal((await correct("--credit", "200")).exitCode, 0);
      const more = await correct("--credit", "100.01");
      assert.equal(more.exitCode, 2);
      assert.match(
        more.err,
        /^--sure is required, or a reference\. .+ ₦300\.00 last month\. .+ come to -₦300\.01 .+ this month\.\n/,
      );
      assert.equal((await correct("--credit", "100")).exitCode, 0);
      assert.equal((await correct("--credit", "0.01")).exitCode, 2);
      assert.equal((await correct("--credit", "0.01", "--sure")).exitCode, 0);
    });
  });
