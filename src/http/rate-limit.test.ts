import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Bucket } from "./rate-limit.ts";

describe("a bucket", () => {
  const bucketAt = (clock: { now: number }) => new Bucket("catalogue", { count: 2, seconds: 60 }, () => clock.now);

  it("counts each caller by itself and refuses what is over the limit", () => {
    const bucket = bucketAt({ now: 0 });
    assert.deepEqual(bucket.take("a"), {
      exceeded: false,
      reset: 60,
      policy: '"catalogue";q=2;w=60',
      state: '"catalogue";r=1;t=60',
    });
    assert.equal(bucket.take("a").exceeded, false);
    assert.equal(bucket.take("a").exceeded, true);
    assert.equal(bucket.take("b").exceeded, false);
  });

  it("begins a new window when one has ended, and not a millisecond before", () => {
    const clock = { now: 0 };
    const bucket = bucketAt(clock);
    for (let at = 0; at < 3; at += 1) bucket.take("a");
    clock.now = 59_999;
    assert.deepEqual(bucket.take("a"), { ...bucket.peek("a"), exceeded: true, reset: 1 });
    clock.now = 60_000;
    assert.equal(bucket.take("a").exceeded, false);
  });

  it("gives back one request, and looks without counting", () => {
    const bucket = bucketAt({ now: 0 });
    bucket.take("a");
    bucket.take("a");
    assert.equal(bucket.giveBack("a").state, '"catalogue";r=1;t=60');
    assert.equal(bucket.peek("a").state, '"catalogue";r=1;t=60');
    assert.equal(bucket.take("a").exceeded, false);
    assert.equal(bucket.take("a").exceeded, true);
    assert.equal(bucket.giveBack("never seen").state, '"catalogue";r=2;t=60');
  });
});
