import assert from "node:assert/strict";
import { test } from "node:test";
import { toldApart } from "./unseen-characters.ts";

test("two different texts that look equal are shown with escapes, and other pairs of texts unchanged", () => {
  assert.deepEqual(toldApart("1GB 30 days", "1GB\u00a030 days"), ["1GB 30 days", "1GB\\u00a030 days"]);
  assert.deepEqual(toldApart("1GB\u200b", "1GB"), ["1GB\\u200b", "1GB"]);
  assert.deepEqual(toldApart("1GB  SME", "1GB SME"), ["1GB \\u0020SME", "1GB SME"]);
  assert.deepEqual(toldApart("Caf\u00e9", "Cafe\u0301"), ["Caf\u00e9", "Cafe\\u0301"]);
  assert.deepEqual(toldApart("a\u{e0041}", "a"), ["a\\udb40\\udc41", "a"]);
  for (const pair of [
    ["1GB\u00a030 days", "2GB\u00a030 days"],
    ["1GB\u00a0SME", "1GB\u00a0SME"],
    ["1GB", "1 GB"],
  ] as const)
    assert.deepEqual(toldApart(pair[0], pair[1]), pair);
});
