import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import type { InvoiceLine } from "./invoice.ts";
import { clockTolerance, type Difference, differences, matchInvoice, type OwnAttempt } from "./match-invoice.ts";

const start = Date.UTC(2026, 10, 3, 12);

function attempt(nth: number, changes: Partial<OwnAttempt> = {}): OwnAttempt {
  return {
    reference: `r${nth}`,
    number: 1,
    started_at: start + nth * 1_000,
    vendor_reference: `D-${nth}`,
    last4: String(1_000 + (nth % 7)),
    price: 5_000,
    isBilled: true,
    hasFailed: false,
    ...changes,
  };
}

function lineOf(
  { vendor_reference: reference, started_at: from, last4, price }: OwnAttempt,
  changes: Partial<InvoiceLine> = {},
): InvoiceLine {
  return {
    line: 2,
    reference,
    time: { from, to: from + 1 },
    last4,
    price,
    ...changes,
  };
}

async function found(lines: InvoiceLine[], attempts: OwnAttempt[]): Promise<Record<Difference, string[]>> {
  const compared = await matchInvoice(lines, attempts);
  const names = differences.map((kind) => [
    kind,
    compared.differences[kind].map(
      ({ line, attempt }) => attempt?.reference ?? line?.reference ?? `line ${line?.line}`,
    ),
  ]);
  return Object.fromEntries(names);
}

const nothing = {
  other_price: [],
  failed_here: [],
  no_price: [],
  doubled: [],
  credit: [],
  only_vendor: [],
  of_erased: [],
  only_here: [],
};

suite("a comparison of an invoice with our attempts", () => {
  test("an invoice line for a failed attempt is reported as a difference", async () => {
    const failed = attempt(1, { price: 0, hasFailed: true });
    assert.deepEqual(await found([lineOf(failed, { price: 5_000 })], [failed]), { ...nothing, failed_here: ["r1"] });
    // This vendor has a price for failures, so only the amount differs.
    const priced = attempt(1, { price: 300, hasFailed: true });
    assert.deepEqual(await found([lineOf(priced, { price: 500 })], [priced]), { ...nothing, other_price: ["r1"] });
  });

  test("a comparison finds exactly the planted differences, by reference or by time and digits", async () => {
    const planted = fc.record({
      count: fc.integer({ min: 8, max: 60 }),
      byTime: fc.boolean(),
      seed: fc.integer(),
      drift: fc.integer({ min: -400, max: 400 }),
    });
    await fc.assert(
      fc.asyncProperty(planted, async ({ count, byTime, seed, drift }) => {
        const attempts = Array.from({ length: count }, (_, nth) => attempt(nth));
        const seen = attempts.map((each) =>
          lineOf(each, {
            time: { from: each.started_at + drift, to: each.started_at + drift + 1 },
            ...(byTime ? { reference: null } : {}),
          }),
        );
        const shuffle = <Item>(items: Item[]) => items.toSorted((_, other) => ((seed + items.indexOf(other)) % 3) - 1);
        assert.deepEqual(await found(shuffle(seen), attempts), nothing);
        const far = lineOf(attempt(900, { last4: "9999" }), byTime ? { reference: null } : {});
        const lines = [seen[0]!, { ...seen[2]!, price: 7_500 }, ...seen.slice(3), { ...seen[4]! }, far];
        assert.deepEqual(await found(shuffle(lines), attempts), {
          other_price: ["r2"],
          failed_here: [],
          no_price: [],
          doubled: ["r4"],
          credit: [],
          only_vendor: [byTime ? "line 2" : "D-900"],
          of_erased: [],
          only_here: ["r1"],
        });
      }),
    );
  });

  test("an attempt whose response was lost has no vendor reference, and matches by time and digits", async () => {
    const lost = attempt(1, { vendor_reference: null });
    const line = lineOf(lost, { reference: "D-unknown" });
    assert.deepEqual(await found([line], [lost]), nothing);
    assert.deepEqual(await found([line], [attempt(1)]), { ...nothing, only_vendor: ["D-unknown"], only_here: ["r1"] });
    const late = { from: lost.started_at + clockTolerance + 1, to: lost.started_at + clockTolerance + 2 };
    assert.deepEqual(await found([{ ...line, time: late }], [lost]), {
      ...nothing,
      only_vendor: ["D-unknown"],
      only_here: ["r1"],
    });
  });

  test("a line that fits only the time of an attempt of an erased person is perhaps of that person", async () => {
    const [one, two] = [1, 2].map((nth) => attempt(nth, { vendor_reference: null, last4: null })) as [
      OwnAttempt,
      OwnAttempt,
    ];
    const line = lineOf(one, { reference: null, last4: "0117" });
    const { ambiguous } = await matchInvoice([line], [one, two]);
    assert.deepEqual([...ambiguous], ["r1", "r2"]);
    assert.deepEqual(await found([line], [one]), { ...nothing, of_erased: ["r1"] });
    assert.deepEqual(await found([{ ...line, reference: "D-9" }], [one]), { ...nothing, of_erased: ["r1"] });
    const near = lineOf(two, { reference: null, last4: "0118" });
    assert.deepEqual(await found([near, line], [one, two]), { ...nothing, of_erased: ["r1", "r2"].reverse() });
    assert.deepEqual(await found([line, { ...line }], [one]), {
      ...nothing,
      of_erased: ["r1"],
      only_vendor: ["line 2"],
    });
    // An attempt with these digits, a free one and one with another reference of the vendor are no doubt.
    const known = attempt(3, { vendor_reference: null, last4: "0117" });
    assert.deepEqual(await found([line], [one, known]), { ...nothing, only_here: ["r1"] });
    const billed = { ...nothing, only_vendor: ["line 2"] };
    assert.deepEqual(await found([line], [{ ...one, price: 0, hasFailed: true }]), billed);
    const other = { ...line, reference: "D-9" };
    assert.deepEqual(await found([other], [{ ...one, vendor_reference: "D-1" }]), {
      ...nothing,
      only_vendor: ["D-9"],
      only_here: ["r1"],
    });
    const late = { from: one.started_at + clockTolerance + 1, to: one.started_at + clockTolerance + 2 };
    assert.deepEqual(await found([{ ...line, time: late }], [one]), { ...billed, only_here: ["r1"] });
  });

  test("if an invoice has our references, each line of a verification matches an attempt of its own", async () => {
    const [lost, again] = [
      attempt(1, { vendor_reference: null, isBilled: false }),
      attempt(2, { vendor_reference: null }),
    ];
    const attempts = [lost, { ...again, reference: "r1", number: 2 }];
    const lines = attempts.map((each) => lineOf(each, { reference: "r1", last4: null }));
    for (const billed of [lines, lines.slice(0, 1), lines.slice(1)])
      assert.deepEqual(await found(billed, attempts), nothing);
    assert.deepEqual(await found([...lines, lines[0]!], attempts), { ...nothing, doubled: ["r1"] });
    assert.deepEqual(await found([], attempts), { ...nothing, only_here: ["r1"] });
  });

  test("an invoice line that fits two attempts matches the attempt that the vendor certainly bills", async () => {
    const last4 = "4717";
    const unknown = attempt(1, { vendor_reference: null, isBilled: false, last4 });
    const billed = attempt(5, { vendor_reference: null, last4 });
    const line = lineOf(unknown, { reference: null });
    assert.deepEqual(await found([line], [unknown, billed]), nothing);
    assert.deepEqual(await found([line, lineOf(billed)], [unknown, billed]), nothing);
  });

  test("a priced line never matches a free attempt while another attempt may have been billed", async () => {
    const last4 = "4717";
    const unknown = attempt(1, { vendor_reference: null, isBilled: false, last4 });
    const free = { ...attempt(5, { vendor_reference: null, price: 0, last4 }), reference: "r1", number: 2 };
    const [byTime, byOurs] = [{ reference: null }, { reference: "r1", last4: null }];
    for (const how of [byTime, byOurs]) {
      const near = { ...how, time: { from: free.started_at, to: free.started_at + 1 } };
      const lines = [lineOf(unknown, near), lineOf(unknown, { ...near, price: null })];
      for (const line of lines) assert.equal((await matchInvoice([line], [free, unknown])).agreed[0]?.attempt, unknown);
      const listed = lineOf(free, { ...near, price: 0 });
      assert.deepEqual(await found([listed, lines[0]!], [free, unknown]), nothing);
      assert.deepEqual(await found([lines[0]!], [free]), { ...nothing, other_price: ["r1"] });
    }
  });

  test("an attempt that the vendor does not certainly bill may be missing from the invoice", async () => {
    const free = attempt(1, { price: 0 });
    const unanswered = attempt(2, { isBilled: false });
    const unpriced = attempt(3, { price: null });
    assert.deepEqual(await found([], [free, unanswered, unpriced]), { ...nothing, only_here: ["r3"] });
    assert.deepEqual(
      await found(
        [lineOf(free, { price: 5_000 }), lineOf(unanswered), lineOf(unpriced, { price: 5_000 })],
        [free, unanswered, unpriced],
      ),
      {
        ...nothing,
        other_price: ["r1"],
        no_price: ["r3"],
      },
    );
    assert.deepEqual(await found([lineOf(attempt(4), { price: null }), lineOf(attempt(5))], [attempt(4), attempt(5)]), {
      ...nothing,
      no_price: ["r4"],
    });
    assert.deepEqual(await found([lineOf(attempt(4), { price: null })], [attempt(4)]), nothing);
  });

  test("a credit reverses all or part of the line with its reference, and is reported without one", async () => {
    const [one, two, three, four] = [1, 2, 3, 4].map((nth) => attempt(nth)) as [
      OwnAttempt,
      OwnAttempt,
      OwnAttempt,
      OwnAttempt,
    ];
    const credit = (of: OwnAttempt, price: number) => lineOf(of, { price });
    const lines = [
      lineOf(one),
      credit(one, -5_000),
      // The credit stands before its line, and reverses only one of two.
      credit(two, -5_000),
      lineOf(two),
      lineOf(two),
      lineOf(three),
      credit(three, -1_000),
      lineOf(four),
      credit(four, -5_001),
      lineOf(attempt(5), { reference: null, price: -5_000 }),
    ];
    assert.deepEqual(await found(lines, [one, two, three, four]), {
      ...nothing,
      other_price: ["r3"],
      credit: ["D-4", "line 2"],
      only_here: ["r1"],
    });
  });
});
