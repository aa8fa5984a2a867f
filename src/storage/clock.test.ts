import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../test/support/engines.ts";
import { Clock } from "./clock.ts";
import { openStore } from "./store.ts";

const start = Date.UTC(2026, 0, 1);
const month = 30 * 24 * 60 * 60_000;

test("when the reference jumps, the store's clock is corrected by at most a tenth of the elapsed time", () => {
  let elapsed = 5000;
  const clock = new Clock(start, () => elapsed);
  assert.equal(clock.now(), start);
  for (const jump of [25 * month, -25 * month]) {
    const before = clock.now();
    elapsed += 60_000;
    clock.correct(before + jump);
    assert.equal(clock.now(), before + 60_000 + Math.sign(jump) * 6000);
  }
});

test("a distrusted clock jumps to a reference only if that is closer to the last trusted time", () => {
  for (const wrong of [start + 25 * month, start - 25 * month]) {
    const clock = new Clock(wrong, () => 0);
    clock.doubt(start);
    clock.correct(start + (wrong - start) * 2);
    assert.equal(clock.now(), wrong);
    clock.correct(start + month);
    assert.equal(clock.now(), start + month);
    clock.doubt(undefined);
    clock.correct(start);
    assert.equal(clock.now(), start + month);
  }
});

test("a clock that is slightly wrong is corrected at once", () => {
  const clock = new Clock(start, () => 0);
  clock.correct(start + 800);
  assert.equal(clock.now(), start + 800);
});

for (const engine of engines) {
  suite(`the time of a store on ${engine.name}`, () => {
    test("the store's time continues steadily when this machine's clock jumps", async (t) => {
      const { settings, dispose } = await engine.fresh();
      const real = Date.now;
      const store = await openStore({ ...settings, serving: true, starting: true });
      t.after(async () => {
        await store.close();
        await dispose();
      });
      t.mock.method(Date, "now", () => real() + 25 * month);
      assert.ok(Math.abs(store.now() - real()) < 5000);
      assert.ok(Math.abs(store.now() - real()) < 5000);
    });

    if (engine.name === "postgres")
      test("the store's time is the database's, not this machine's", async (t) => {
        const real = Date.now;
        t.mock.method(Date, "now", () => real() + 25 * month);
        const { settings, dispose } = await engine.fresh();
        const store = await openStore({ ...settings, serving: true, starting: true });
        t.after(async () => {
          await store.close();
          await dispose();
        });
        assert.ok(Math.abs(store.now() - real()) < 5000);
      });
  });
}
