import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { orderVendors } from "./order-vendors.ts";
import type { VendorFigures } from "./vendor-figures.ts";

const bounds = { p95: 2_000, failures: 10 };
const usual = { attempts: 1_000, answers: 990, foundRate: 90, failureShare: 1, median: 500, p95: 1_000, cost: 1 };

/**
 * Usual figures of a vendor with these changes, for 30 days, and for 24 hours unless `day` is null. The cost of a
 * record is known within 1 %.
 */
const figuresOf = (vendor: string, day: Partial<VendorFigures> | null, month: Partial<VendorFigures> = day ?? {}) =>
  [...(day ? [{ span: "24h", ...day } as const] : []), { span: "30d", ...month } as const].map((changes) => {
    const { costPerFound = 5_000 } = changes;
    const [low, high] = [0.99, 1.01].map((part) => part * (costPerFound ?? Number.POSITIVE_INFINITY));
    return { vendor, kind: "bvn", costPerFound, costBetween: [low, high], ...usual, ...changes };
  }) as VendorFigures[];

const orderOf = (figures: VendorFigures[][], before: readonly string[] = [], holds = false) =>
  orderVendors(["a", "b", "c"], figures.flat(), bounds, before, holds).map(({ vendor, breaks }) =>
    breaks ? `${vendor} ${breaks}` : vendor,
  );

suite("the order of vendors", () => {
  test("vendors are ordered by what a record costs", () => {
    const [a, b, c] = [9_000, 5_000, 7_000].map((costPerFound) => ({ costPerFound }));
    assert.deepEqual(orderOf([figuresOf("a", a!), figuresOf("b", b!), figuresOf("c", c!)]), ["b", "c", "a"]);
    const nobody = { costPerFound: null };
    assert.deepEqual(orderOf([figuresOf("a", nobody), figuresOf("b", b!), figuresOf("c", c!)]), ["b", "c", "a"]);
  });

  test("vendors are ordered by 30 days' cost, unless the last 24 hours' cost differs beyond chance", () => {
    const others = [figuresOf("b", { costPerFound: 6_000 }), figuresOf("c", { costPerFound: 7_000 })];
    const ordered = (day: Partial<VendorFigures>) => orderOf([figuresOf("a", day, { costPerFound: 5_000 }), ...others]);
    assert.deepEqual(ordered({ costPerFound: 9_000 }), ["b", "c", "a"]);
    assert.deepEqual(ordered({ costPerFound: 9_000, costBetween: [4_900, 20_000] }), ["a", "b", "c"]);
    assert.deepEqual(ordered({ costPerFound: 9_000, attempts: 49, answers: 49 }), ["a", "b", "c"]);
  });

  test("a vendor with fewer than 50 answers in 30 days keeps its configured position", () => {
    const few = { attempts: 49, answers: 49, costPerFound: 1 };
    const [dear, cheap] = [figuresOf("a", { costPerFound: 9_000 }), figuresOf("c", { costPerFound: 5_000 })];
    assert.deepEqual(orderOf([dear, figuresOf("b", few, few), cheap]), ["c", "b", "a"]);
    assert.deepEqual(orderOf([dear, cheap]), ["c", "b", "a"], "nothing is known of it");
    assert.deepEqual(orderOf([]), ["a", "b", "c"]);
    assert.deepEqual(orderOf([dear, figuresOf("b", few, { answers: 50, costPerFound: 1 }), cheap]), ["b", "c", "a"]);
  });

  test("a vendor outside its bounds comes last, however cheap it is", () => {
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

  test("the order changes only for a vendor that is clearly cheaper", () => {
    const exact = (costPerFound: number) => ({ costPerFound, costBetween: [costPerFound, costPerFound] as const });
    const costs = (a: number, b: number, c: number) => [
      ...[figuresOf("a", exact(a)), figuresOf("b", exact(b)), figuresOf("c", exact(c))],
    ];
    assert.deepEqual(orderOf(costs(1_000, 980, 990), ["c", "a", "b"]), ["c", "a", "b"]);
    assert.deepEqual(orderOf(costs(1_000, 960, 990), ["c", "a", "b"]), ["b", "c", "a"]);
    assert.deepEqual(orderOf(costs(1_000, 985, 960), ["a", "b", "c"]), ["c", "a", "b"], "by more than one place");
    const chance = figuresOf("c", { costPerFound: 900, costBetween: [800, 1_001] });
    assert.deepEqual(orderOf([...costs(1_000, 1_000, 0).slice(0, 2), chance]), ["a", "b", "c"], "it may be dearer");
  });

  test("the vendors keep their order for a while, unless a vendor breaks a bound", () => {
    const costs = [
      figuresOf("a", { costPerFound: 3_000 }),
      figuresOf("b", { costPerFound: 4_000 }),
      figuresOf("c", {}),
    ];
    assert.deepEqual(orderOf(costs, ["c", "b", "a"], true), ["c", "b", "a"]);
    const slow = [costs[0]!, costs[1]!, figuresOf("c", { p95: null })];
    assert.deepEqual(orderOf(slow, ["c", "b", "a"], true), ["b", "a", "c too_slow"]);
    assert.deepEqual(orderOf(costs, ["b", "a", "c"], true), ["b", "a", "c"], "it is well again");
    assert.deepEqual(orderOf(costs.slice(0, 2), ["c", "b", "a"], true), ["c", "b", "a"], "nothing is known of it");
  });
});
