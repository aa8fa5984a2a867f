import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { isAbsent } from "./authenticate.ts";

suite("an Authorization header", () => {
  test("a missing or empty Authorization header, or the word Bearer alone, counts as no credential", () => {
    for (const header of [undefined, "", "Bearer", "Bearer ", "bearer   "]) assert.equal(isAbsent(header), true);
    for (const header of ["Bearer x", "bearerx", "Basic", "x"]) assert.equal(isAbsent(header), false);
  });
});
