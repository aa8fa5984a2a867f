import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { suite, test } from "node:test";
import { engines, keyring, suiteStore } from "../verification/identity.fixture.ts";
import { currentOf, type Keyring, KeyringError, keyringText, matchKeyring, parseKeyring, retired } from "./keyring.ts";

const newKey = () => randomBytes(32).toString("base64");
const goodKey = newKey();
const zeros = Buffer.alloc(32).toString("base64");
const goodRing = { hmac: [{ version: 1, key: goodKey }], records: [{ id: "r1", key: newKey() }], audit: newKey() };
const twice = <Entry>(entry: Entry) => [entry, entry];
const damaged = {
  "nothing in it": "",
  "no JSON": "{hmac",
  "no object": "null",
  "no lists": "{}",
  "an empty list": JSON.stringify({ ...goodRing, hmac: [] }),
  "a short key": JSON.stringify({ ...goodRing, hmac: [{ version: 1, key: "c2hvcnQ=" }] }),
  "a short audit key": JSON.stringify({ ...goodRing, audit: "c2hvcnQ=" }),
  "no audit key": JSON.stringify({ ...goodRing, audit: undefined }),
  "a key of zeros": JSON.stringify({ ...goodRing, records: [{ id: "r1", key: zeros }] }),
  "an audit key of zeros": JSON.stringify({ ...goodRing, audit: zeros }),
  "one key for two uses": JSON.stringify({ ...goodRing, records: [{ id: "r1", key: goodKey }] }),
  "the audit key among the others": JSON.stringify({ ...goodRing, audit: goodKey }),
  "one key under two versions": JSON.stringify({ ...goodRing, hmac: [...goodRing.hmac, { version: 2, key: goodKey }] }),
  "no version": JSON.stringify({ ...goodRing, hmac: [{ key: goodKey }] }),
  "a null entry": JSON.stringify({ ...goodRing, hmac: [null] }),
  "a bad id": JSON.stringify({ ...goodRing, records: [{ id: "r:1", key: newKey() }] }),
  "a time in words": JSON.stringify({ ...goodRing, records: [{ id: "r1", key: newKey(), from: "2026-01-01" }] }),
  "one version twice": JSON.stringify({ ...goodRing, hmac: twice(goodRing.hmac[0]) }),
  "one id twice": JSON.stringify({ ...goodRing, records: twice(goodRing.records[0]) }),
};

for (const [what, text] of Object.entries(damaged)) {
  test(`a key ring with ${what} is refused, and the error shows no key`, () => {
    assert.throws(
      () => parseKeyring(text, "/somewhere"),
      (error) => {
        assert.ok(error instanceof KeyringError);
        assert.equal(error.exitCode, 1);
        assert.match(error.message, /^The key ring \/somewhere is damaged: .*\. Restore it/);
        assert.ok(!error.message.includes(goodKey));
        return true;
      },
    );
  });
}

test("a key ring that is written as text and read again is unchanged", () => {
  const ring = { ...keyring, records: [...keyring.records, { id: "r2", key: randomBytes(32), from: 1000 }] };
  assert.deepEqual(parseKeyring(keyringText(ring), ""), ring);
});

test("the latest key whose time has come is the current one", () => {
  const keys = [{ key: randomBytes(32) }, { key: randomBytes(32), from: 3000 }, { key: randomBytes(32), from: 2000 }];
  const currentAt = (now: number) => keys.indexOf(currentOf(keys, now));
  assert.deepEqual([0, 1999, 2000, 3000].map(currentAt), [0, 0, 2, 2]);
});

for (const engine of engines) {
  suite(`the ring of a store on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const newHmac = { version: 2, key: randomBytes(32) };
    const newRecords = { id: "r2", key: randomBytes(32) };
    const rotated: Keyring = {
      ...keyring,
      hmac: [...keyring.hmac, newHmac],
      records: [...keyring.records, newRecords],
    };

    test("the store recognises the key ring of its first start, even with more keys, and stores no key", async () => {
      await Promise.all([matchKeyring(store.db, keyring, 1), matchKeyring(store.db, keyring, 1)]);
      await matchKeyring(store.db, rotated, 2);
      await matchKeyring(store.db, rotated, 3);
      const kept = JSON.stringify(await store.db.selectFrom("fact").selectAll().execute());
      for (const key of [...rotated.hmac, ...rotated.records].map(({ key }) => key).concat(rotated.audit))
        for (const coding of ["base64", "base64url", "hex"] as const)
          assert.ok(!kept.includes(key.toString(coding).replace("=", "")));
    });

    test("another key ring, or one that lacks a key, is refused", async () => {
      const other: Keyring = { ...rotated, records: [{ id: "r1", key: randomBytes(32) }, newRecords] };
      await assert.rejects(matchKeyring(store.db, other, 4), /not the one of this store \(key records r1 differs\)/);
      await assert.rejects(matchKeyring(store.db, keyring, 5), /lacks the key (hmac 2|records r2)/);
      const otherAudit = { ...rotated, audit: randomBytes(32) };
      await assert.rejects(matchKeyring(store.db, otherAudit, 6), /not the one of this store \(key audit differs\)/);
    });

    test("a key ring is accepted with and without a retired key", async () => {
      await store.db.updateTable("fact").set({ value: retired }).where("name", "=", "keyring:records:r1").execute();
      await matchKeyring(store.db, rotated, 7);
      await matchKeyring(store.db, { ...rotated, records: [newRecords] }, 8);
    });
  });
}
