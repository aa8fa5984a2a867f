import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { engines, keyring, suiteStore } from "./identity.fixture.ts";
import { type Keyring, KeyringFault, matchKeyring, openKeyring } from "./keyring.ts";

async function directory(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "duba-keyring-"));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

test("the first start makes a ring that only its owner may read", async (t) => {
  const path = join(await directory(t), "deeper", "keyring.json");
  const first = await openKeyring(path);
  assert.equal(first.made, true);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(Object.keys(JSON.parse(await readFile(path, "utf8"))), ["hmac", "records"]);
  assert.deepEqual(await openKeyring(path), { keyring: first.keyring, made: false });
  assert.deepEqual(await readdir(join(path, "..")), ["keyring.json"]);
});

test("of processes that start together one makes the ring, and all use it", async (t) => {
  const path = join(await directory(t), "keyring.json");
  const program = `
    import { openKeyring } from ${JSON.stringify(import.meta.resolve("./keyring.ts"))};
    const { keyring, made } = await openKeyring(${JSON.stringify(path)});
    console.log(JSON.stringify([made, keyring.hmac[0].key.toString("hex")]));`;
  const run = () => promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  const runs = await Promise.all(Array.from({ length: 3 }, run));
  const answers = runs.map(({ stdout }) => JSON.parse(stdout) as [boolean, string]);
  assert.equal(answers.filter(([made]) => made).length, 1);
  assert.equal(new Set(answers.map(([, key]) => key)).size, 1);
});

test("of calls that come together in one process one makes the ring", async (t) => {
  const path = join(await directory(t), "keyring.json");
  const opened = await Promise.all(Array.from({ length: 8 }, () => openKeyring(path)));
  assert.equal(opened.filter(({ made }) => made).length, 1);
  for (const { keyring } of opened) assert.deepEqual(keyring, opened[0]!.keyring);
});

const goodKey = randomBytes(32).toString("base64");
const damaged = {
  "nothing in it": "",
  "no JSON": "{hmac",
  "no object": "null",
  "no lists": "{}",
  "an empty list": JSON.stringify({ hmac: [], records: [{ id: "r1", key: goodKey }] }),
  "a short key": JSON.stringify({ hmac: [{ version: 1, key: "c2hvcnQ=" }], records: [{ id: "r1", key: goodKey }] }),
  "no version": JSON.stringify({ hmac: [{ key: goodKey }], records: [{ id: "r1", key: goodKey }] }),
  "a null entry": JSON.stringify({ hmac: [null], records: [{ id: "r1", key: goodKey }] }),
  "a bad id": JSON.stringify({ hmac: [{ version: 1, key: goodKey }], records: [{ id: "r:1", key: goodKey }] }),
  "one version twice": JSON.stringify({
    hmac: [
      { version: 1, key: goodKey },
      { version: 1, key: goodKey },
    ],
    records: [{ id: "r1", key: goodKey }],
  }),
};

for (const [what, text] of Object.entries(damaged)) {
  test(`a ring with ${what} is refused and left as it is`, async (t) => {
    const path = join(await directory(t), "keyring.json");
    await writeFile(path, text);
    await assert.rejects(openKeyring(path), (error) => {
      assert.ok(error instanceof KeyringFault);
      assert.equal(error.exitCode, 1);
      assert.match(error.message, /is damaged: .*\. Restore it/);
      assert.ok(!error.message.includes(goodKey));
      return true;
    });
    assert.equal(await readFile(path, "utf8"), text);
  });
}

test("a ring that cannot be read or made says why", async (t) => {
  const path = await directory(t);
  await assert.rejects(openKeyring(path), /The key ring .* cannot be read \(EISDIR\)/);
  await writeFile(join(path, "file"), "");
  await assert.rejects(openKeyring(join(path, "file", "keyring.json")), KeyringFault);
});

for (const engine of engines) {
  suite(`the ring of a store on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const newHmac = { version: 2, key: randomBytes(32) };
    const newRecords = { id: "r2", key: randomBytes(32) };
    const rotated: Keyring = { hmac: [...keyring.hmac, newHmac], records: [...keyring.records, newRecords] };

    test("the ring of the first start is known again, keys may be added, and the store keeps no key", async () => {
      await Promise.all([matchKeyring(store.db, keyring, 1), matchKeyring(store.db, keyring, 1)]);
      await matchKeyring(store.db, rotated, 2);
      await matchKeyring(store.db, rotated, 3);
      const kept = JSON.stringify(await store.db.selectFrom("instance_secret").selectAll().execute());
      for (const { key } of [...rotated.hmac, ...rotated.records])
        for (const coding of ["base64", "base64url", "hex"] as const)
          assert.ok(!kept.includes(key.toString(coding).replace("=", "")));
    });

    test("another ring, or one that lost a key, is refused", async () => {
      const other: Keyring = { ...rotated, records: [{ id: "r1", key: randomBytes(32) }, newRecords] };
      await assert.rejects(matchKeyring(store.db, other, 4), /not the one of this store \(key records r1 differs\)/);
      await assert.rejects(matchKeyring(store.db, keyring, 5), /lacks the key (hmac 2|records r2)/);
    });
  });
}
