import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Keyring } from "./keyring.ts";
import { seal, unseal } from "./seal.ts";

const ring: Keyring = { hmac: [], records: [{ id: "r1", key: randomBytes(32) }] };
const row = { accountId: "acc_1", reference: "aaaaaa000000000" };
const record = { bvn_number: "22000000017", name: "Ọlá" };

test("a sealed record opens to what it was, and shows nothing of it", () => {
  const text = seal(ring, row, record);
  assert.match(text, /^s1:r1:[\w-]+:[\w-]+$/);
  assert.deepEqual(unseal(ring, row, text), record);
  assert.ok(!Buffer.from(text.split(":")[3]!, "base64url").includes("22000000017"));
});

test("each record has a key of its own", () => {
  const wrapped = new Set(Array.from({ length: 50 }, () => seal(ring, row, record).split(":")[2]));
  assert.equal(wrapped.size, 50);
});

test("older keys of the ring open, the last one seals", () => {
  const rotated: Keyring = { hmac: [], records: [...ring.records, { id: "r2", key: randomBytes(32) }] };
  assert.deepEqual(unseal(rotated, row, seal(ring, row, record)), record);
  assert.match(seal(rotated, row, record), /^s1:r2:/);
  assert.throws(() => unseal(ring, row, seal(rotated, row, record)), /cannot be opened with this key ring/);
});

test("a change of any byte of any part is refused", () => {
  const [version, id, ...parts] = seal(ring, row, record).split(":") as [string, string, string, string];
  for (const part of [0, 1] as const) {
    const bytes = Buffer.from(parts[part], "base64url");
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      const texts = [...parts];
      texts[part] = changed.toString("base64url");
      assert.throws(() => unseal(ring, row, [version, id, ...texts].join(":")));
    }
    const shorter = [...parts];
    shorter[part] = bytes.subarray(0, 20).toString("base64url");
    assert.throws(() => unseal(ring, row, [version, id, ...shorter].join(":")));
  }
});

test("a record of another account, row, key or version is refused", () => {
  const text = seal(ring, row, record);
  const twin: Keyring = { hmac: [], records: [{ id: "r2", key: ring.records[0]!.key }] };
  assert.throws(() => unseal(ring, { ...row, accountId: "acc_2" }, text));
  assert.throws(() => unseal(ring, { ...row, reference: "aaaaaa000000001" }, text));
  assert.throws(() => unseal(twin, row, text.replace(":r1:", ":r2:")));
  assert.throws(() => unseal(ring, row, text.replace("s1:", "s2:")));
  assert.throws(() => unseal(ring, row, `${text}:`));
  assert.throws(() => unseal(ring, row, ""));
});

test("the key of one record does not open another", () => {
  const one = seal(ring, row, record).split(":");
  const other = seal(ring, row, record).split(":");
  assert.throws(() => unseal(ring, row, [one[0], one[1], one[2], other[3]].join(":")));
});
