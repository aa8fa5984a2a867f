import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { AddressRateLimiter, ownLimiter } from "./rate-limit.ts";

test("an accepted request counts in the short and the daily window, and a refused request in neither", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 0 });
  const limiter = ownLimiter({ name: "known", count: 2, seconds: 60, perDay: 3 });
  const exceeded = () => limiter.consume("acc test").exceeded;
  assert.deepEqual([exceeded(), exceeded(), exceeded()], [false, false, true]);
  t.mock.timers.setTime(60_000);
  assert.deepEqual([exceeded(), exceeded()], [false, true]);
  assert.match(limiter.peek("acc test").state, /^"known_day";r=0;t=86340$/);
  limiter.refund("acc test");
  assert.match(limiter.peek("acc test").state, /^"known";r=2;t=60$/);
  assert.deepEqual([exceeded(), exceeded()], [false, true]);
  assert.equal(limiter.consume("other test").exceeded, false);
  t.mock.timers.setTime(86_400_000);
  assert.equal(exceeded(), false);
});

suite("the limit of addresses", () => {
  test("a request that its site's limit refuses does not count towards its subscriber's limit", (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: 0 });
    const limiter = new AddressRateLimiter("anonymous", { count: 2, seconds: 60 });
    for (let network = 1; network <= 20; network += 1)
      assert.equal(limiter.consume(`2001:db8:1:${network}::1`).exceeded, false);
    t.mock.timers.setTime(30_000);
    const mine = "2001:db8:1:ffff::1";
    for (const _ of [1, 2, 3]) {
      const { exceeded, reset, state } = limiter.consume(mine);
      assert.deepEqual([exceeded, reset, state], [true, 30, '"network";r=0;t=30']);
    }
    t.mock.timers.setTime(60_000);
    assert.deepEqual(
      [1, 2, 3].map(() => limiter.consume(mine).exceeded),
      [false, false, true],
    );
  });

  test("a request that its subscriber's limit refuses does not count towards its site's limit", () => {
    const limiter = new AddressRateLimiter("anonymous", { count: 2, seconds: 60 });
    for (let nth = 0; nth < 40; nth += 1) assert.equal(limiter.consume("2001:db8:1:1::1").exceeded, nth >= 2);
    for (let network = 2; network <= 10; network += 1)
      for (const _ of [1, 2]) assert.equal(limiter.consume(`2001:db8:1:${network}::1`).exceeded, false);
    assert.equal(limiter.consume("2001:db8:1:11::1").exceeded, true);
  });
});
