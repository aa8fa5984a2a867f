import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { RateLimiter } from "./rate-limiter.ts";

suite("a rate limiter", () => {
  const limiterAt = (clock: { now: number }) =>
    new RateLimiter("catalogue", { count: 2, seconds: 60 }, () => clock.now);

  test("counts each caller by itself and refuses what is over the limit", () => {
    const limiter = limiterAt({ now: 0 });
    assert.deepEqual(limiter.consume("a"), {
      exceeded: false,
      reset: 60,
      windowEnd: 60_000,
      policy: '"catalogue";q=2;w=60',
      state: '"catalogue";r=1;t=60',
    });
    assert.equal(limiter.consume("a").exceeded, false);
    assert.equal(limiter.consume("a").exceeded, true);
    assert.equal(limiter.consume("b").exceeded, false);
  });

  test("begins a new window when one has ended, and not a millisecond before", () => {
    const clock = { now: 0 };
    const limiter = limiterAt(clock);
    for (let at = 0; at < 3; at += 1) limiter.consume("a");
    clock.now = 59_999;
    assert.deepEqual(limiter.consume("a"), { ...limiter.peek("a"), exceeded: true, reset: 1 });
    clock.now = 60_000;
    assert.equal(limiter.consume("a").exceeded, false);
  });

  test("uncounts one request, and looks without counting", () => {
    const limiter = limiterAt({ now: 0 });
    limiter.consume("a");
    limiter.consume("a");
    assert.equal(limiter.refund("a").state, '"catalogue";r=1;t=60');
    assert.equal(limiter.peek("a").state, '"catalogue";r=1;t=60');
    assert.equal(limiter.consume("a").exceeded, false);
    assert.equal(limiter.consume("a").exceeded, true);
    assert.equal(limiter.refund("never seen").state, '"catalogue";r=2;t=60');
  });
});
