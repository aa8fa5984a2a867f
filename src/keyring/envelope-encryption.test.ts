import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { rewrapped, type Sealed, seal, unseal } from "./envelope-encryption.ts";
import type { Keyring } from "./keyring.ts";

const ringOf = (...records: Keyring["records"]): Keyring => ({ hmac: [], records, audit: randomBytes(32) });
const r1 = { id: "r1", key: randomBytes(32) };
const r2 = { id: "r2", key: randomBytes(32), from: 1000 };
const [ring, rotated] = [ringOf(r1), ringOf(r1, r2)];
const row = { accountId: "acc_1", reference: "aaaaaa000000000" };
const record = { bvn_number: "22000000017", name: "Ọlá" };
const columns = ["sealed_record", "sealed_key"] as const;
const bytesOf = (text: string) => Buffer.from(text.split(":")[2]!, "base64url");

test("a sealed record decrypts to the original, and its text reveals nothing", () => {
  const sealed = seal(ring, row, record, 0);
  for (const column of columns) assert.match(sealed[column], /^s1:r1:[\w-]+$/);
  assert.deepEqual(unseal(ring, row, sealed), record);
  for (const column of columns) assert.ok(!bytesOf(sealed[column]).includes("22000000017"));
});

test("each record is encrypted with its own key", () => {
  const keys = new Set(Array.from({ length: 50 }, () => seal(ring, row, record, 0).sealed_key));
  assert.equal(keys.size, 50);
});

test("a new key of the ring seals from its time on, and older keys still decrypt", () => {
  assert.deepEqual(unseal(rotated, row, seal(ring, row, record, 0)), record);
  assert.match(seal(rotated, row, record, 999).sealed_key, /^s1:r1:/);
  const sealed = seal(rotated, row, record, 1000);
  assert.match(sealed.sealed_key, /^s1:r2:/);
  assert.deepEqual(unseal(rotated, row, sealed), record);
  assert.throws(() => unseal(ring, row, sealed), /cannot be opened with this key ring/);
});

test("rewrapping moves a record to the current key and leaves its encrypted text unchanged", () => {
  const { sealed_record, sealed_key } = seal(ring, row, record, 0);
  const renewed = rewrapped(rotated, row, sealed_key, 1000);
  assert.match(renewed, /^s1:r2:/);
  assert.deepEqual(unseal(ringOf(r2), row, { sealed_record, sealed_key: renewed }), record);
  assert.throws(() => unseal(ringOf(r2), row, { sealed_record, sealed_key }), /cannot be opened/);
  assert.throws(() => rewrapped(ringOf(r2), row, sealed_key, 1000), /cannot be opened/);
});

test("a change of any byte of any part is refused", () => {
  const sealed = seal(ring, row, record, 0);
  for (const column of columns) {
    const bytes = bytesOf(sealed[column]);
    const withBytes = (changed: Buffer): Sealed => ({ ...sealed, [column]: `s1:r1:${changed.toString("base64url")}` });
    assert.deepEqual(unseal(ring, row, withBytes(bytes)), record);
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      assert.throws(() => unseal(ring, row, withBytes(changed)));
    }
    assert.throws(() => unseal(ring, row, withBytes(bytes.subarray(0, 20))));
  }
});

test("a record of another account, row, key or version is refused", () => {
  const sealed = seal(ring, row, record, 0);
  const twin = ringOf({ id: "r2", key: r1.key });
  const replaced = (from: string, to: string): Sealed => ({
    sealed_record: sealed.sealed_record.replace(from, to),
    sealed_key: sealed.sealed_key.replace(from, to),
  });
  assert.throws(() => unseal(ring, { ...row, accountId: "acc_2" }, sealed));
  assert.throws(() => unseal(ring, { ...row, reference: "aaaaaa000000001" }, sealed));
  assert.throws(() => unseal(twin, row, replaced(":r1:", ":r2:")));
  assert.throws(() => unseal(ring, row, replaced("s1:", "s2:")));
  for (const column of columns) {
    assert.throws(() => unseal(ring, row, { ...sealed, [column]: `${sealed[column]}:` }));
    assert.throws(() => unseal(ring, row, { ...sealed, [column]: "" }));
  }
});

test("the key of one record does not open another record", () => {
  const [one, other] = [seal(ring, row, record, 0), seal(ring, row, record, 0)];
  assert.throws(() => unseal(ring, row, { ...one, sealed_key: other.sealed_key }));
});
