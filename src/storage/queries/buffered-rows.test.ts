import assert from "node:assert/strict";
import { test } from "node:test";
import { BufferedRows } from "./buffered-rows.ts";

test("rows being written count towards the buffer's limit, and return to the buffer if the write fails", async () => {
  const writing = Promise.withResolvers<void>();
  const rows = new BufferedRows<string>({ most: 2, atOnce: 2, write: () => writing.promise });
  assert.deepEqual([rows.add("a", "A"), rows.add("b", "B")], [true, true]);
  const written = rows.write();
  assert.equal(rows.add("c", "C"), false);
  writing.reject(new Error("away"));
  await assert.rejects(written, /away/);
  assert.equal(rows.add("c", "C"), false);
  assert.deepEqual([rows.get("a"), rows.get("b")], ["A", "B"]);
});
