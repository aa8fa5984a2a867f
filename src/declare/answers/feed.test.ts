import assert from "node:assert/strict";
import { test } from "node:test";
import { inputReader } from "../schema/validate-input.ts";
import { feedInput, limitOf } from "./feed.ts";

test("a feed lists 1 to 1000 items, 100 by default, from its start or after a cursor", () => {
  const read = inputReader(feedInput("things", { cursor: "[a-z]{3}", example: "abc" }));
  for (const input of [{ limit: "0" }, { limit: "1001" }, { limit: "1.5" }, { after: "" }, { after: "abcd" }])
    assert.equal(read(input).problems.length, 1, JSON.stringify(input));
  for (const input of [{ limit: "1" }, { limit: "1000", after: "abc" }, { after: "0" }, {}])
    assert.deepEqual(read(input), { input, problems: [] });
  assert.deepEqual(
    read({ after: "1" }).problems.map(({ message }) => message),
    ["after must be the next of an earlier answer, or 0."],
  );
  assert.deepEqual([limitOf({}), limitOf({ limit: "7" })], [100, 7]);
});
