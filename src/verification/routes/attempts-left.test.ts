import assert from "node:assert/strict";
import { test } from "node:test";
import { attemptsLeft } from "./attempts-left.ts";

test("the attempts left are the balance divided by the last day's mean cost, else by the highest price", () => {
  const today = { span: "24h", attempts: 100, cost: 400_000 } as const;
  const month = { span: "30d", attempts: 10_000, cost: 90_000_000 } as const;
  assert.equal(attemptsLeft(1_000_000, [today, month], { bvn: 5_000 }), 250);
  assert.equal(attemptsLeft(1_000_000, [today, { ...today, attempts: 0, cost: 100_000 }]), 200);
  assert.equal(attemptsLeft(1_000_000, [month], { bvn: 5_000, nin: 4_000, "*.failed": 100 }), 200);
  assert.equal(attemptsLeft(-500, [today]), 0);
  assert.equal(attemptsLeft(1_000_000, [{ ...today, cost: 0 }]), null, "nothing says what an attempt costs");
  assert.equal(attemptsLeft(null, [today]), null, "the vendor tells no balance");
});
