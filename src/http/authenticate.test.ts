import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { isAbsent } from "./authenticate.ts";

suite("an Authorization header", () => {
  test("an Authorization header is absent when it is missing, empty, or the word Bearer alone", () => {
    for (const header of [undefined, "", "Bearer", "Bearer ", "bearer   "]) assert.equal(isAbsent(header), true);
    for (const header of ["Bearer x", "bearerx", "Basic", "x"]) assert.equal(isAbsent(header), false);
  });
});
