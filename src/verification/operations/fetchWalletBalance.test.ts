import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import type { AccountTerms } from "../../declare/account-terms.ts";
import type { Mode } from "../../declare/operation.ts";
import { storeSpending } from "../../ledger/ledger-rows.fixture.ts";
import { callOf, newRequest, suiteStore, usualEngines } from "../identity.fixture.ts";
import { answering, verified } from "../played-upstream.fixture.ts";
import { fetchWalletBalance } from "./fetchWalletBalance.ts";

const unlimited = { "Duba-Wallet": "unlimited" };

for (const engine of usualEngines)
  suite(`fetchWalletBalance on ${engine.name}`, () => {
    const store = suiteStore(engine);

    /**
     * The balance of an account after a verification for 100 naira, and the headers. `later`: the account's terms then.
     */
    async function balance(
      t: TestContext,
      terms: AccountTerms,
      { mode = "live" as Mode, toppedUp = 0, later = terms } = {},
    ) {
      const upstreams = { test: answering(verified).upstream, live: [answering(verified).upstream] };
      const identity = await store.open(t, { upstreams });
      const request = newRequest({ mode, terms });
      const { accountId } = request;
      if (toppedUp > 0) await storeSpending(store.db, accountId, { most_kobo: toppedUp });
      await identity.verify(request);
      const { answer, headers } = await callOf(fetchWalletBalance, identity, {
        caller: { accountId, mode, terms: later },
      });
      return [(answer as unknown as { general_wallet: { balance: string } }).general_wallet.balance, headers];
    }

    test("fetchWalletBalance gives the prepaid balance, or what a cap in naira leaves", async (t) => {
      assert.deepEqual(await balance(t, { prepaid: true }, { toppedUp: 25_050 }), ["150.50", {}]);
      assert.deepEqual(await balance(t, { capKobo: 10_005 }), ["0.05", {}]);
      assert.deepEqual(await balance(t, { capKobo: 50_000, capCount: 3 }), ["400.00", {}]);
    });

    test("the wallet balance is never negative", async (t) => {
      assert.deepEqual(await balance(t, { capKobo: 10_000 }, { later: { capKobo: 5_000 } }), ["0.00", {}]);
      assert.deepEqual(await balance(t, {}, { later: { prepaid: true } }), ["0.00", {}]);
    });

    test("a test key, and an account without a balance and a cap in naira, get the operator's amount", async (t) => {
      assert.deepEqual(await balance(t, {}), ["1000000.00", unlimited]);
      assert.deepEqual(await balance(t, { capCount: 3 }), ["1000000.00", unlimited]);
      assert.deepEqual(await balance(t, { prepaid: true }, { mode: "test" }), ["1000000.00", unlimited]);
      const identity = await store.open(t, { settings: { walletUnlimited: 5 } });
      const { answer, headers } = await callOf(fetchWalletBalance, identity, {});
      assert.partialDeepStrictEqual(answer, { general_wallet: { balance: "0.05" } });
      assert.deepEqual(headers, unlimited);
    });

    test("fetchWalletBalance has the further members that clients expect", async (t) => {
      const { answer } = await callOf(fetchWalletBalance, await store.open(t), {});
      assert.deepEqual(answer, fetchWalletBalance.examples[0]?.answer);
    });
  });
