import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { orderVendors } from "./order-policy.ts";
import type { VendorFigures } from "./vendor-figures.ts";

const bounds = { p95: 2_000, failures: 10 };
const usual = { attempts: 1_000, answers: 990, foundRate: 90, failureShare: 1, median: 500, p95: 1_000, cost: 1 };

/** Usual figures of a vendor with these changes: those of 30 days, and of 24 hours unless `day` is null. */
const figuresOf = (vendor: string, day: Partial<VendorFigures> | null, month: Partial<VendorFigures> = {}) =>
  [...(day ? [{ span: "24h", ...day } as const] : []), { span: "30d", ...month } as const].map((changes) => ({
    ...{ vendor, kind: "bvn", costPerFound: 5_000, ...usual },
    ...changes,
  })) as VendorFigures[];

const orderOf = (figures: VendorFigures[][], before: readonly string[] = []) =>
  orderVendors(["a", "b", "c"], figures.flat(), bounds, before).map(({ vendor, breaks }) =>
    breaks ? `${vendor} ${breaks}` : vendor,
  );

suite("the order of vendors", () => {
  test("is by what a record cost in the last 24 hours", () => {
    const [a, b, c] = [9_000, 5_000, 7_000].map((costPerFound) => ({ costPerFound }));
    assert.deepEqual(orderOf([figuresOf("a", a!), figuresOf("b", b!), figuresOf("c", c!)]), ["b", "c", "a"]);
    const nobody = { costPerFound: null };
    assert.deepEqual(orderOf([figuresOf("a", nobody), figuresOf("b", b!), figuresOf("c", c!)]), ["b", "c", "a"]);
  });

  test("is by 30 days where the last 24 hours had fewer than 50 attempts", () => {
    const few = { attempts: 49, answers: 49, costPerFound: 1 };
    const others = [figuresOf("b", null, { costPerFound: 6_000 }), figuresOf("c", { costPerFound: 7_000 })];
    assert.deepEqual(orderOf([figuresOf("a", few, { costPerFound: 9_000 }), ...others]), ["b", "c", "a"]);
    assert.deepEqual(orderOf([figuresOf("a", { ...few, attempts: 50 }), ...others]), ["a", "b", "c"]);
  });

  test("leaves a vendor with fewer than 50 answers in 30 days where it is listed", () => {
    const few = { attempts: 49, answers: 49, costPerFound: 1 };
    const [dear, cheap] = [figuresOf("a", { costPerFound: 9_000 }), figuresOf("c", { costPerFound: 5_000 })];
    assert.deepEqual(orderOf([dear, figuresOf("b", few, few), cheap]), ["c", "b", "a"]);
    assert.deepEqual(orderOf([dear, cheap]), ["c", "b", "a"], "nothing is known of it");
    assert.deepEqual(orderOf([]), ["a", "b", "c"]);
    assert.deepEqual(orderOf([dear, figuresOf("b", few, { answers: 50, costPerFound: 1 }), cheap]), ["b", "c", "a"]);
  });

  test("puts a vendor outside of its bounds last, however cheap it is", () => {
    const cheap = { costPerFound: 1 };
    const others = [figuresOf("b", { costPerFound: 6_000 }), figuresOf("c", { costPerFound: 5_000 })];
    const ordered = (changes: Partial<VendorFigures>) => orderOf([figuresOf("a", { ...cheap, ...changes }), ...others]);
    assert.deepEqual(ordered({ p95: 2_000, failureShare: 10 }), ["a", "c", "b"]);
    assert.deepEqual(ordered({ p95: 5_000 }), ["c", "b", "a too_slow"]);
    assert.deepEqual(ordered({ p95: null }), ["c", "b", "a too_slow"]);
    assert.deepEqual(ordered({ failureShare: 10.1 }), ["c", "b", "a too_many_failures"]);
    const never = { attempts: 50, answers: 0, p95: null, costPerFound: null, failureShare: 100 };
    const silent = orderOf([figuresOf("a", never, never), ...others]);
    assert.deepEqual(silent, ["c", "b", "a too_many_failures"], "it will never have 50 answers");
    const all = ["a", "b", "c"].map((vendor) => figuresOf(vendor, { p95: null }));
    assert.deepEqual(orderOf(all), ["a too_slow", "b too_slow", "c too_slow"]);
  });

  test("changes only for a vendor that is clearly cheaper", () => {
    const costs = (a: number, b: number, c: number) => [
      ...[figuresOf("a", { costPerFound: a }), figuresOf("b", { costPerFound: b })],
      figuresOf("c", { costPerFound: c }),
    ];
    assert.deepEqual(orderOf(costs(1_000, 980, 990), ["c", "a", "b"]), ["c", "a", "b"]);
    assert.deepEqual(orderOf(costs(1_000, 960, 990), ["c", "a", "b"]), ["b", "c", "a"]);
    assert.deepEqual(orderOf(costs(1_000, 985, 960), ["a", "b", "c"]), ["c", "a", "b"], "by more than one place");
  });
});
