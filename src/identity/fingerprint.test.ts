import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { Fingerprints } from "./fingerprint.ts";

const first = { version: 1, key: randomBytes(32) };
const second = { version: 2, key: randomBytes(32) };
const old = new Fingerprints({ hmac: [first], records: [] });
const rotated = new Fingerprints({ hmac: [first, second], records: [] });

test("a hash names its key version and says nothing else", () => {
  assert.match(old.of("subject", ["22000000017"]), /^v1:[\w-]{43}$/);
  assert.match(rotated.of("subject", ["22000000017"]), /^v2:[\w-]{43}$/);
});

test("equal parts give equal hashes, and purpose, order and borders of parts count", () => {
  assert.equal(old.of("body", ["a", "b"]), old.of("body", ["a", "b"]));
  const different = [
    old.of("body", ["a", "b"]),
    old.of("body", ["b", "a"]),
    old.of("body", ["ab"]),
    old.of("body", ["a", "b", null]),
    old.of("body", ["a", "b", ""]),
    old.of("subject", ["a", "b"]),
  ];
  assert.equal(new Set(different).size, different.length);
});

test("what was stored before a rotation is known again after it", () => {
  const stored = old.of("body", ["a"]);
  assert.ok(rotated.matches(stored, "body", ["a"]));
  assert.ok(!rotated.matches(stored, "body", ["b"]));
  assert.deepEqual(rotated.all("body", ["a"]), [rotated.of("body", ["a"]), stored]);
  assert.ok(!old.matches(rotated.of("body", ["a"]), "body", ["a"]));
});
