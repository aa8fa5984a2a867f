import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, suite, test } from "node:test";
import { RateLimiter } from "./rate-limiter.ts";

suite("a rate limiter", () => {
  beforeEach(() => mock.timers.enable({ apis: ["Date"], now: 0 }));
  afterEach(() => mock.timers.reset());
  const newLimiter = () => new RateLimiter("catalogue", { count: 2, seconds: 60 });

  test("a rate limiter counts each caller separately, and refuses requests over the limit", () => {
    const limiter = newLimiter();
    assert.deepEqual(limiter.consume("a"), {
      exceeded: false,
      reset: 60,
      windowEnd: 60_000,
      left: 1,
      limit: { count: 2, seconds: 60 },
      policy: '"catalogue";q=2;w=60',
      state: '"catalogue";r=1;t=60',
    });
    assert.equal(limiter.consume("a").exceeded, false);
    assert.equal(limiter.consume("a").exceeded, true);
    assert.equal(limiter.consume("b").exceeded, false);
  });

  test("a new rate-limit window begins exactly when the last one ends", () => {
    const limiter = newLimiter();
    for (let at = 0; at < 3; at += 1) limiter.consume("a");
    mock.timers.setTime(59_999);
    assert.deepEqual(limiter.consume("a"), { ...limiter.peek("a"), exceeded: true, reset: 1 });
    mock.timers.setTime(60_000);
    assert.equal(limiter.consume("a").exceeded, false);
  });

  test("after the clock is set back, no caller waits longer than one window", () => {
    const limiter = newLimiter();
    mock.timers.setTime(1_800_000);
    for (let at = 0; at < 3; at += 1) limiter.consume("a");
    mock.timers.setTime(0);
    assert.equal(limiter.peek("a").reset, 60);
    assert.equal(limiter.consume("a").exceeded, false);
  });

  test("a rate limiter can uncount one request, and can be read without counting a request", () => {
    const limiter = newLimiter();
    limiter.consume("a");
    limiter.consume("a");
    assert.equal(limiter.refund("a").state, '"catalogue";r=1;t=60');
    assert.equal(limiter.peek("a").state, '"catalogue";r=1;t=60');
    assert.equal(limiter.consume("a").exceeded, false);
    assert.equal(limiter.consume("a").exceeded, true);
    assert.equal(limiter.refund("never seen").state, '"catalogue";r=2;t=60');
  });
});
