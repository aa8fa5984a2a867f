import assert from "node:assert/strict";
import { test } from "node:test";
import { piecesOf } from "./pieces.ts";

test("a list of any length comes whole, in order and in pieces of few lengths", () => {
  const lengths = new Set<number>();
  for (let length = 0; length <= 500; length += 1) {
    const list = Array.from({ length }, (_, at) => at);
    const pieces = piecesOf(list);
    assert.deepEqual(pieces.flat(), list);
    for (const piece of pieces) lengths.add(piece.length);
  }
  assert.deepEqual(
    [...lengths].sort((a, b) => a - b),
    [1, 2, 4, 8, 16, 32, 64, 128, 200],
  );
});
