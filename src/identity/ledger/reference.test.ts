import assert from "node:assert/strict";
import { test } from "node:test";
import { newReference } from "./reference.ts";

test("a reference is 6 alphanumerics and 9 digits, never ten digits in a row", () => {
  const references = Array.from({ length: 5000 }, newReference);
  for (const reference of references) {
    assert.match(reference, /^[A-Za-z0-9]{6}[0-9]{9}$/);
    assert.doesNotMatch(reference, /\d{10}/);
  }
  assert.equal(new Set(references).size, references.length);
});
