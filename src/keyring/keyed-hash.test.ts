import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { KeyedHashes } from "./keyed-hash.ts";
import type { CurrentKeyring, HmacKey } from "./keyring.ts";

const first = { version: 1, key: randomBytes(32) };
const second = { version: 2, key: randomBytes(32), from: 1000 };
const held = (...hmac: HmacKey[]): CurrentKeyring => ({ current: { hmac, records: [], audit: randomBytes(32) } });
const old = new KeyedHashes(held(first));
const rotated = new KeyedHashes(held(first, second));

test("a keyed hash names its key version and reveals nothing else", () => {
  assert.match(old.of("subject", ["22000000017"]), /^v1:[\w-]{22}$/);
  assert.match(rotated.of("subject", ["22000000017"]), /^v2:[\w-]{22}$/);
});

test("a keyed hash changes with its purpose and with the order and boundaries of its parts", () => {
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

test("a hash from before a rotation still matches after it", () => {
  const stored = old.of("body", ["a"]);
  assert.ok(rotated.matches(stored, "body", ["a"]));
  assert.ok(!rotated.matches(stored, "body", ["b"]));
  assert.deepEqual(rotated.all("body", ["a"]), [rotated.of("body", ["a"]), stored]);
  assert.ok(!old.matches(rotated.of("body", ["a"]), "body", ["a"]));
});

test("a new hash key is used from its time on, but hashes made with it match before that time", () => {
  let now = 999;
  const keyedHashes = new KeyedHashes(held(first, second), () => now);
  const before = keyedHashes.of("body", ["a"]);
  assert.ok(keyedHashes.matches(rotated.of("body", ["a"]), "body", ["a"]));
  now = 1000;
  assert.match(before, /^v1:/);
  assert.match(keyedHashes.of("body", ["a"]), /^v2:/);
});

test("the current key ring is used for each hash, even if it changes", () => {
  const ring = { ...held(first) };
  const keyedHashes = new KeyedHashes(ring);
  const stored = keyedHashes.of("body", ["a"]);
  ring.current = held(first, second).current;
  assert.match(keyedHashes.of("body", ["a"]), /^v2:/);
  assert.ok(keyedHashes.matches(stored, "body", ["a"]));
});
