import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { GAP, positionsOf } from "./positions.ts";

const isAscending = (positions: readonly number[]) => positions.every((it, at) => at === 0 || it > positions[at - 1]!);

test("positions ascend in the order given, whatever there is, and are whole", () => {
  const position = fc.option(fc.integer({ min: -50, max: 50 }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(position), (present) => {
      const positions = positionsOf(present);
      assert.equal(positions.length, present.length);
      assert.ok(isAscending(positions) && positions.every(Number.isSafeInteger));
    }),
  );
});

test("what is in order already keeps its positions", () => {
  const ascending = fc.uniqueArray(fc.integer()).map((positions) => positions.sort((a, b) => a - b));
  fc.assert(fc.property(ascending, (positions) => assert.deepEqual(positionsOf(positions), positions)));
});

test("one that comes between, or moves, moves no other", () => {
  assert.deepEqual(positionsOf([0, undefined, GAP]), [0, GAP / 2, GAP]);
  assert.deepEqual(positionsOf([undefined, 0]), [-GAP, 0]);
  assert.deepEqual(positionsOf([0, undefined]), [0, GAP]);
  const [a, b, c, d] = [0, GAP, 2 * GAP, 3 * GAP];
  assert.deepEqual(positionsOf([a, d, b, c]), [a, GAP / 2, b, c]);
  assert.deepEqual(positionsOf([b, c, d, a]), [b, c, d, 4 * GAP]);
});

test("where there is no room between two, all are placed anew", () => {
  assert.deepEqual(positionsOf([1, undefined, 2]), [0, GAP, 2 * GAP]);
});
