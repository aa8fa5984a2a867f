import assert from "node:assert/strict";
import { test } from "node:test";
import { newReference, timeOfReference } from "./reference.ts";

const start = Date.UTC(2026, 10, 22);
const year = 365 * 86_400_000;

test("a reference is 6 alphanumerics and 9 digits, never ten digits in a row", () => {
  const references = Array.from({ length: 5000 }, (_, at) => newReference(start + at * 100));
  for (const reference of references) {
    assert.match(reference, /^[A-Za-z0-9]{6}[0-9]{9}$/);
    assert.doesNotMatch(reference, /\d{10}/);
  }
  assert.equal(new Set(references).size, references.length);
});

test("a reference that is made later sorts later in an index", () => {
  const steps = [64, 1_100, 60_000, 86_400_000, year];
  const times = steps.flatMap((step) => Array.from({ length: 6 }, (_, at) => start + at * step));
  const references = times.toSorted((a, b) => a - b).map((at) => newReference(at).slice(0, 6));
  assert.deepEqual(references, references.toSorted());
});

test("the time when a reference was made can be read from it, and from no other text", () => {
  const times = [start, start + 64, start + year, start + 30 * year];
  assert.deepEqual(
    times.map((at) => timeOfReference(newReference(at))),
    times.map((at) => at - (at % 64)),
  );
  assert.deepEqual(["", "ref-1", "aVzXTH51008256"].map(timeOfReference), [undefined, undefined, undefined]);
});

test("references made in the same millisecond differ", () => {
  assert.equal(new Set(Array.from({ length: 100 }, () => newReference(start))).size, 100);
});
