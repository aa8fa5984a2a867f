import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, suite, type TestContext, test } from "node:test";
import { readKeyring } from "../../keyring/file.ts";
import { currentOf, keyringText, knownKeys, matchKeyring, recordsName } from "../../keyring/keyring.ts";
import { applyRetention } from "../../storage/tables/apply-retention.fixture.ts";
import { engines, failureFrom, newRequest, suiteStore } from "../../verification/identity.fixture.ts";
import { ledgerRows, replaceWrappedKey, wrappedKeys } from "../../verification/ledger.fixture.ts";
import { answering, verified } from "../../verification/played-upstream.fixture.ts";
import { rewrap } from "./rewrap.ts";
import { namesOf, type RingPlace, retire, rotate } from "./rotate.ts";
import { usageOf } from "./usage.ts";

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
const both = { records: true, hashes: true };

for (const engine of engines) {
  suite(`rotating the ring on ${engine.name}`, () => {
    const store = suiteStore(engine);
    beforeEach(async () => {
      for (const table of ["verification", "fact"] as const) await store.db.deleteFrom(table).execute();
    });

    /** A ring's file with a record key r1 and a hash key v1, and how to make a verification with a held record. */
    const ringed = async (t: TestContext) => {
      const folder = await mkdtemp(join(tmpdir(), "duba-keyring-"));
      t.after(() => rm(folder, { recursive: true }));
      const path = join(folder, "keyring");
      const key = () => ({ key: randomBytes(32) });
      const first = { hmac: [{ version: 1, ...key() }], records: [{ id: "r1", ...key() }], audit: randomBytes(32) };
      await writeFile(path, keyringText(first), { mode: 0o600 });
      return {
        path,
        db: store.db,
        audit: async () => undefined,
        actor: "test",
        ring: () => readKeyring(path),
        async verify(at: number) {
          const room = await store.open(t, { keyring: { current: await readKeyring(path) }, now: () => at });
          await room.verify(newRequest({ idempotencyKey: "k" }));
        },
      };
    };

    const usedBy = async ({ db, path }: RingPlace) => {
      // A process does this before it uses a ring.
      await matchKeyring(db, await readKeyring(path), start);
      const [hashes, records] = [await usageOf.hashes(db), await usageOf.records(db)];
      return { hashes: Object.fromEntries(hashes), records: Object.fromEntries(records) };
    };

    test("a rotation adds the requested keys, which become current at their time", async (t) => {
      const place = await ringed(t);
      assert.deepEqual(await rotate(place, { ...both, wait: 10_000, now: () => start }), {
        added: ["r2", "v2"],
        from: start + 10_000,
      });
      const { records, hmac } = await place.ring();
      assert.deepEqual(
        [start, start + 9_999, start + 10_000].map((now) => [currentOf(records, now).id, currentOf(hmac, now).version]),
        [
          ["r1", 1],
          ["r1", 1],
          ["r2", 2],
        ],
      );
      const atOnce = { records: false, hashes: false, wait: 0, now: () => start };
      assert.deepEqual((await rotate(place, { ...atOnce, records: true })).added, ["r3"]);
      assert.deepEqual((await rotate(place, { ...atOnce, hashes: true })).added, ["v3"]);
      await place.verify(start);
      assert.deepEqual(await usedBy(place), { hashes: { v3: 1 }, records: { r3: 1 } });
    });

    test("a rotation that the audit trail cannot record is not made", async (t) => {
      const place = await ringed(t);
      const refusing = {
        ...place,
        audit: async () => {
          throw new Error("the trail is full");
        },
      };
      const names = async () => [namesOf(await place.ring()), (await knownKeys(store.db)).get(recordsName("r1"))];
      await assert.rejects(rotate(refusing, { ...both, wait: 0, now: () => start }), /the trail is full/);
      assert.deepEqual(namesOf(await place.ring()), ["r1", "v1"]);
      await rotate(place, { ...both, wait: 0, now: () => start });
      const before = await names();
      await assert.rejects(retire(refusing, "r1", start + 6 * minute), /the trail is full/);
      assert.deepEqual(await names(), before);
    });

    test("a record key is retired once no record needs it, and its name is not used again", async (t) => {
      const place = await ringed(t);
      await place.verify(start);
      await place.verify(start);
      const from = start + minute;
      await rotate(place, { ...both, wait: minute, now: () => start });
      const retiring = (name: string, at: number) => retire(place, name, at);

      await assert.rejects(retiring("r9", from), /has no such key; it has r1, r2, v1, v2\.$/);
      await assert.rejects(retiring("r1", from - 1), /r1 is current or will be/);
      await assert.rejects(retiring("r2", from - 1), /r2 is current or will be/);
      await assert.rejects(retiring("r2", from + 60 * minute), /r2 is current or will be/);
      await assert.rejects(retiring("r1", from + 5 * minute - 1), /may still be in use.* Try again in 1 minute\.$/);
      await assert.rejects(retiring("r1", from + 3 * minute - 1), /may still be in use.* Try again in 3 minutes\.$/);
      const late = from + 5 * minute;
      await assert.rejects(retiring("r1", late), /r1 must stay: 2 of the held records /);

      await rewrap(place.db, await place.ring(), { now: late });
      await retiring("r1", late);
      const left = await place.ring();
      assert.deepEqual(namesOf(left), ["r2", "v1", "v2"]);
      await matchKeyring(place.db, left, late);
      const { added } = await rotate(place, { records: true, hashes: false, wait: 0, now: () => late });
      assert.deepEqual(added, ["r3"]);
    });

    test("a hash key is retired once no verification of the ledger is hashed with it", async (t) => {
      const place = await ringed(t);
      const { audit } = await place.ring();
      await place.verify(start);
      await rotate(place, { ...both, wait: minute, now: () => start });
      await place.verify(start + minute);
      const late = start + 6 * minute;
      await assert.rejects(retire(place, "v1", late), /v1 must stay: 1 of the ledger's verifications/);

      await applyRetention(place.db, { now: Date.UTC(2028, 0, 1) + 1, recordRetention: 0 });
      await retire(place, "v1", late);
      const left = await place.ring();
      assert.deepEqual(namesOf(left), ["r1", "r2", "v2"]);
      assert.deepEqual(left.audit, audit);
      await place.verify(late);
      assert.deepEqual(await usedBy(place), { hashes: { v2: 2 }, records: { r2: 1 } });
    });

    test("a record that cannot be opened fails its own retry only, without a vendor call or a charge", async (t) => {
      const place = await ringed(t);
      const { upstream, received } = answering(verified);
      const held = { current: await place.ring() };
      const room = await store.open(t, { keyring: held, upstreams: { test: upstream, live: [] } });
      const mine = newRequest();
      const call = (key: string) => room.verify({ ...mine, idempotencyKey: key });
      const references = new Map<string, string>();
      for (const key of ["whole", "cut", "other", "lost"])
        references.set(key, (await call(key)).record.request_reference);
      const keyOf = async (key: string) => (await wrappedKeys(store.db)).get(references.get(key)!)!;
      const broken = {
        cut: (await keyOf("cut")).slice(0, -4),
        other: await keyOf("whole"),
        lost: (await keyOf("lost")).replace(":r1:", ":r0:"),
      };
      for (const [key, sealed_key] of Object.entries(broken))
        await replaceWrappedKey(store.db, references.get(key)!, sealed_key);

      store.log.lines.length = 0;
      for (const key of Object.keys(broken)) {
        const { code, detail } = await failureFrom(call(key));
        assert.equal(code, "internal_error");
        assert.equal(detail.facts?.request_reference, references.get(key));
      }
      assert.deepEqual(
        store.log.lines.map(({ level, fields }) => [level, fields]),
        Object.keys(broken).map((key) => ["error", { reference: references.get(key) }]),
      );
      assert.equal((await call("whole")).replayed, true);
      assert.equal((await call("new")).replayed, false);
      assert.equal(received.length, 5);
      assert.deepEqual(new Set((await ledgerRows(store.db, mine)).map(({ charged }) => charged)), new Set([1]));
    });
  });
}
