import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { callOf, engines, newRequest, suiteStore } from "./identity.fixture.ts";
import { verifyBvn } from "./verify-bvn.ts";
import { lookupWaecAmount } from "./waec-lookup.ts";

suite("lookupWaecAmount", () => {
  const store = suiteStore(engines[0]!);

  test("the default fee is the example", async (t) => {
    const { answer } = await callOf(lookupWaecAmount, await store.open(t), {});
    assert.deepEqual(answer, lookupWaecAmount.examples[0]?.answer);
  });

  test("the amount is naira text, and the one that the verification takes when amounts are enforced", async (t) => {
    const identity = await store.open(t, { settings: { feeKobo: 15_050, amountPolicy: "enforce" } });
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
});
