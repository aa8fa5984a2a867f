import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { feesOf } from "../../checks/kinds.fixture.ts";
import { summary } from "../../ledger/reports/summary.ts";
import { callOf, engines, newRequest, suiteStore } from "../identity.fixture.ts";
import { ledgerRows } from "../ledger.fixture.ts";
import { findVerification } from "./findVerification.ts";
import { lookupWaecAmount } from "./lookupWaecAmount.ts";
import { verifyBvn } from "./verifyBvn.ts";

suite("lookupWaecAmount", () => {
  const store = suiteStore(engines[0]!);

  test("lookupWaecAmount's example shows the default fee", async (t) => {
    const { answer } = await callOf(lookupWaecAmount, await store.open(t), {});
    assert.deepEqual(answer, lookupWaecAmount.examples[0]?.answer);
  });

  test("lookupWaecAmount answers naira text, which a verification accepts if amounts are enforced", async (t) => {
    const identity = await store.open(t, { settings: { fees: feesOf(1, { bvn: 15_050 }), amountPolicy: "enforce" } });
    const { answer } = await callOf(lookupWaecAmount, identity, {});
    const { amount } = answer.data as { amount: string };
    assert.equal(amount, "150.5");
    const caller = { accountId: newRequest().accountId };
    const verification = await callOf(verifyBvn, identity, {
      input: { bvn: "22000000017", phone: "08000000017", amount },
      caller,
    });
    assert.equal(verification.answer.success, true);
  });

  test("a free verification accepts any amount, and is charged with 0 naira", async (t) => {
    for (const [feeKobo, bvnFee] of [
      [0, null],
      [10_000, 0],
    ] as const) {
      const identity = await store.open(t, {
        settings: { fees: feesOf(1, { bvn: feeKobo }), amountPolicy: "enforce" },
      });
      const { accountId } = newRequest();
      const caller = { accountId, fees: bvnFee === null ? {} : { bvn: bvnFee } };
      const { amount } = (await callOf(lookupWaecAmount, identity, { caller })).answer.data as { amount: string };
      assert.equal(amount, "0.01");
      for (const sent of [amount, "100"]) {
        const input = { bvn: "22000000017", phone: "08000000017", amount: sent };
        const headers = { "idempotency-key": `k-${sent}` };
        assert.equal((await callOf(verifyBvn, identity, { input, headers, caller })).answer.success, true);
        const query = { input: { idempotency_key: `k-${sent}` }, caller };
        const { data } = (await callOf(findVerification, identity, query)).answer;
        const { state, charged, fee } = data as Record<string, unknown>;
        assert.deepEqual([state, charged, fee], ["verified", true, "0"]);
      }
      const rows = await ledgerRows(store.db, { accountId });
      assert.deepEqual(
        rows.map(({ fee, amount_differs }) => [fee, amount_differs]),
        [
          [0, 0],
          [0, 0],
        ],
      );
      const [sums] = await summary(store.db, { from: 0, to: Date.now() + 1, accountId });
      assert.deepEqual([sums?.charged, sums?.feeKobo], [2, 0]);
    }
  });
});
