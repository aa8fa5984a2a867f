import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { RecordedLog } from "../runtime/recorded-log.fixture.ts";
import { engines, until as eventually, keyring, suiteStore } from "../verification/identity.fixture.ts";
import { type Keyring, keyringText, matchKeyring } from "./keyring.ts";
import { watchKeyring } from "./watch.ts";

for (const engine of engines) {
  suite(`the ring of a process that serves on ${engine.name}`, () => {
    const store = suiteStore(engine);

    const held = async (t: TestContext) => {
      const folder = await mkdtemp(join(tmpdir(), "duba-keyring-"));
      t.after(() => rm(folder, { recursive: true }));
      const path = join(folder, "keyring");
      await writeFile(path, keyringText(keyring), { mode: 0o600 });
      // The previous test noted the keys of its ring.
      await store.db.deleteFrom("fact").execute();
      await matchKeyring(store.db, keyring, 1);
      const log = new RecordedLog();
      const ring = await watchKeyring({ path, db: store.db, log });
      const put = async (text: string) => {
        await writeFile(`${path}.new`, text, { mode: 0o600 });
        await rename(`${path}.new`, path);
      };
      /** Looks again and again until `isSo` returns true. */
      const until = (isSo: () => boolean) =>
        eventually(async () => {
          await ring.look();
          return isSo();
        });
      return { ring, path, log, put, until };
    };
    const withKey = (ring: Keyring): Keyring => ({
      ...ring,
      records: [...ring.records, { id: `r${ring.records.length + 1}`, key: randomBytes(32) }],
    });
    const reasonOf = ({ lines }: RecordedLog) => (lines.at(-1)?.fields as { reason?: string } | undefined)?.reason;

    test("a serving process follows its key ring's file, and notes new keys in the store", async (t) => {
      const { ring, log, put, until } = await held(t);
      const first = ring.current;
      assert.deepEqual(first, keyring);
      const rotated = withKey(keyring);
      await put(keyringText(rotated));
      await until(() => ring.current !== first);
      assert.deepEqual(ring.current, rotated);
      await assert.rejects(matchKeyring(store.db, keyring, 2), /lacks the key records r2/);
      assert.deepEqual(log.lines, []);
    });

    test("an unavailable store causes no report about an unchanged key ring", async (t) => {
      const { ring, log, put, until } = await held(t);
      await store.db.schema.alterTable("fact").renameTo("away").execute();
      try {
        for (let looks = 0; looks < 30; looks += 1) await ring.look();
        assert.deepEqual(log.lines, []);
        await put(keyringText(withKey(keyring)));
        await until(() => log.lines.length > 0);
        assert.match(reasonOf(log)!, /^The store did not answer/);
      } finally {
        await store.db.schema.alterTable("away").renameTo("fact").execute();
      }
    });

    const wrong: [string, string, RegExp][] = [
      ["damaged", "{hmac", /is damaged: it is not JSON/],
      ["another store's", keyringText({ ...keyring, audit: randomBytes(32) }), /is not the one of this store/],
    ];
    for (const [what, text, reason] of wrong) {
      test(`a key ring that is ${what} is reported once, and the previous one stays in use`, async (t) => {
        const { ring, log, put, until } = await held(t);
        const first = ring.current;
        await put(text);
        await until(() => log.lines.length > 0);
        assert.match(reasonOf(log)!, reason);
        assert.equal(log.lines[0]!.level, "error");
        assert.equal(ring.current, first);
        await put(keyringText({ ...keyring }));
        await until(() => ring.current !== first);
        assert.equal(log.lines.length, 1);
      });
    }

    test("a missing key ring is reported, and used again when it is back", async (t) => {
      const { ring, path, log, put, until } = await held(t);
      const first = ring.current;
      await rm(path);
      await until(() => log.lines.length > 0);
      assert.match(reasonOf(log)!, /is missing: put the ring back/);
      assert.equal(ring.current, first);
      await put(keyringText(keyring));
      await until(() => ring.current !== first);
    });

    test("a key ring that lacks another machine's key is reported, and used once it has the key", async (t) => {
      const { ring, log, put, until } = await held(t);
      const first = ring.current;
      const rotated = withKey(keyring);
      await matchKeyring(store.db, rotated, 2);
      await until(() => log.lines.length > 0);
      assert.match(reasonOf(log)!, /^The key ring lacks the key records r2/);
      assert.equal(ring.current, first);
      await put(keyringText(rotated));
      await until(() => ring.current !== first);
      assert.equal(log.lines.length, 1);
    });

    test("a changed key ring is used once the store can check it", async (t) => {
      const { ring, log, put, until } = await held(t);
      const first = ring.current;
      await store.db.schema.alterTable("fact").renameTo("away").execute();
      try {
        await put(keyringText({ ...keyring }));
        await until(() => log.lines.length > 0);
        assert.match(reasonOf(log)!, /^The store did not answer/);
        assert.equal(ring.current, first);
      } finally {
        await store.db.schema.alterTable("away").renameTo("fact").execute();
      }
      await until(() => ring.current !== first);
      assert.equal(log.lines.length, 1);
    });

    test("a key ring that is rotated during a read is read again without a report", async (t) => {
      const { path, log } = await held(t);
      const rotated = withKey(keyring);
      await matchKeyring(store.db, rotated, 2);
      const now = () => {
        writeFileSync(path, keyringText(rotated), { mode: 0o600 });
        return 3;
      };
      const ring = await watchKeyring({ path, db: store.db, log, now });
      assert.deepEqual(ring.current, rotated);
    });

    test("a lost, damaged, foreign or incomplete key ring ends the start", async (t) => {
      const { path } = await held(t);
      await matchKeyring(store.db, withKey(keyring), 2);
      const started = async (text?: string) => {
        if (text !== undefined) await writeFile(`${path}.other`, text, { mode: 0o600 });
        await watchKeyring({ path: `${path}.other`, db: store.db, log: new RecordedLog() });
      };
      await assert.rejects(started(), /is missing: put the ring back/);
      await assert.rejects(started("{}"), /is damaged/);
      await assert.rejects(started(keyringText({ ...keyring, audit: randomBytes(32) })), /not the one of this store/);
      await assert.rejects(started(keyringText(keyring)), /lacks the key records r2 that this store was written with/);
    });
  });
}
