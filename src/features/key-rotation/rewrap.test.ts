import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, suite, type TestContext, test } from "node:test";
import { unseal } from "../../keyring/envelope-encryption.ts";
import { changeKeyring, readKeyring } from "../../keyring/file.ts";
import { hmacName, type Keyring, keyringText } from "../../keyring/keyring.ts";
import { type WatchedKeyring, watchKeyring } from "../../keyring/watch.ts";
import { storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import type { Db } from "../../storage/tables.ts";
import { engines, newRequest, suiteStore, until } from "../../verification/identity.fixture.ts";
import type { Identity } from "../../verification/identity.ts";
import { replaceWrappedKey, wrappedKeys } from "../../verification/ledger.fixture.ts";
import { answering, verified } from "../../verification/played-upstream.fixture.ts";
import { countOutdated, rewrap } from "./rewrap.ts";
import { rotate } from "./rotate.ts";
import { recordUsage, usageOf } from "./usage.ts";

const now = Date.UTC(2026, 0, 1);
const first: Keyring = {
  hmac: [{ version: 1, key: randomBytes(32) }],
  records: [{ id: "r1", key: randomBytes(32) }],
  audit: randomBytes(32),
};
const rotated: Keyring = { ...first, records: [...first.records, { id: "r2", key: randomBytes(32), from: now }] };
const newest: Keyring = { ...rotated, records: rotated.records.slice(1) };

/** How many records are held; each is opened with `ring`. */
async function openedWith(db: Db, ring: Keyring): Promise<number> {
  const rows = await db
    .selectFrom("verification")
    .innerJoin("record_key", "record_key.reference", "verification.reference")
    .select(["verification.reference", "account_id", "sealed_record", "sealed_key"])
    .where("sealed_record", "is not", null)
    .execute();
  for (const { reference, account_id, sealed_record, sealed_key } of rows)
    unseal(ring, { accountId: account_id, reference }, { sealed_record: sealed_record!, sealed_key });
  return rows.length;
}

/** A process that rewraps in batches of 10, and stops after the third batch. */
function rewrapping(settings: object, ringPath: string, at: number): ChildProcess {
  const module = (name: string) => JSON.stringify(import.meta.resolve(name));
  const program = `
    import { writeSync } from "node:fs";
    import { openStore } from ${module("../../storage/store.ts")};
    import { readKeyring } from ${module("../../keyring/file.ts")};
    import { rewrap } from ${module("./rewrap.ts")};
    const store = await openStore(${JSON.stringify({ ...settings, serving: false })});
    const ring = await readKeyring(${JSON.stringify(ringPath)});
    const progress = (rows) => {
      if (rows < 30) return;
      writeSync(1, String(rows));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    };
    await rewrap(store.db, ring, { now: ${at}, batch: 10, progress });`;
  return spawn(process.execPath, ["--eval", program], { stdio: ["ignore", "pipe", "inherit"] });
}

async function killedHalfWay(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  await Promise.race([
    once(child.stdout!, "data"),
    exited.then(([code]) => assert.fail(`It ended by itself with ${code}`)),
  ]);
  child.kill("SIGKILL");
  assert.deepEqual(await exited, [null, "SIGKILL"]);
}

async function ringFile(t: TestContext, ring: Keyring): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "duba-keyring-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "keyring"), keyringText(ring), { mode: 0o600 });
  return join(folder, "keyring");
}

for (const engine of engines) {
  suite(`rewrapping on ${engine.name}`, () => {
    const store = suiteStore(engine);
    beforeEach(async () => {
      for (const table of ["verification", "record_key", "fact"] as const) await store.db.deleteFrom(table).execute();
    });

    /** Opens a service in which nobody is limited. */
    const open = (t: TestContext, changes: Parameters<typeof store.open>[1] = {}) =>
      store.open(t, { keyring: { current: first }, settings: { limits: null }, ...changes });

    test("rewrapping moves each stored record to the current key once, in batches", async (t) => {
      const room = await open(t);
      const mine = newRequest();
      for (let n = 0; n < 7; n += 1) await room.verify({ ...mine, idempotencyKey: `k-${n}` });
      await room.verify(mine);
      assert.equal(await countOutdated(store.db, rotated, now - 1), 0);
      assert.equal(await countOutdated(store.db, rotated, now), 7);

      const told: number[] = [];
      const batch = { now, batch: 3, progress: (rows: number) => void told.push(rows) };
      assert.deepEqual(await rewrap(store.db, rotated, batch), { rows: 7, unreadable: [] });
      assert.deepEqual(told, [3, 6, 7]);
      assert.equal(await countOutdated(store.db, rotated, now), 0);
      assert.equal(await openedWith(store.db, newest), 7);
      assert.deepEqual(await rewrap(store.db, rotated, batch), { rows: 0, unreadable: [] });
    });

    // On SQLite only, because it runs statements in the order in which they are sent.
    test("rewrapping leaves a record key unchanged that another process changes meanwhile", {
      skip: engine.name !== "sqlite",
    }, async (t) => {
      const room = await open(t);
      const mine = newRequest();
      const { record } = await room.verify({ ...mine, idempotencyKey: "k" });
      const changed = `s1:r2:${randomBytes(60).toString("base64url")}`;
      let [reads, changing] = [0, Promise.resolve()];
      const ring: Keyring = {
        ...rotated,
        get records() {
          reads += 1;
          if (reads === 2) changing = replaceWrappedKey(store.db, record.request_reference, changed);
          return rotated.records;
        },
      };
      await rewrap(store.db, ring, { now });
      await changing;
      assert.deepEqual([...(await wrappedKeys(store.db)).values()], [changed]);
    });

    test("a hash key counts as used while any hash of a verification was made with that key", async () => {
      await store.db
        .insertInto("fact")
        .values({ name: hmacName(3), value: "x", created_at: 0 })
        .execute();
      const none = { subject_hash: "erased", body_hash: null, idempotency_hash: null, lasting_idempotency_hash: null };
      const hashes = Object.keys(none).map((column) => ({ ...none, [column]: `v3:${column}` }));
      await storeRows(store.db, ...hashes.map((hash) => verifiedRow("acc_hashes", now, hash)));
      assert.deepEqual(await usageOf.hashes(store.db), new Map([["v3", hashes.length]]));
    });

    test("rewrapping names records that cannot be decrypted, and leaves them unchanged", async (t) => {
      const room = await open(t);
      const mine = newRequest();
      const { record } = await room.verify({ ...mine, idempotencyKey: "k-1" });
      await room.verify({ ...mine, idempotencyKey: "k-2" });
      const sealed_key = `s1:r1:${randomBytes(60).toString("base64url")}`;
      const broken = record.request_reference;
      await replaceWrappedKey(store.db, broken, sealed_key);

      assert.deepEqual(await rewrap(store.db, rotated, { now, batch: 1 }), { rows: 1, unreadable: [broken] });
      const records = await recordUsage(store.db);
      assert.deepEqual(Object.fromEntries(records), { r1: 1, r2: 1 });
    });

    test("a killed rewrapping continues where it stopped, and each run leaves records that decrypt", async (t) => {
      const room = await open(t);
      const mine = newRequest();
      const keys = Array.from({ length: 100 }, (_, n) => `k-${n}`);
      await Promise.all(keys.map((idempotencyKey) => room.verify({ ...mine, idempotencyKey })));
      const path = await ringFile(t, rotated);
      await killedHalfWay(rewrapping(store.settings, path, now));

      const records = await recordUsage(store.db);
      assert.ok(records.get("r1")! > 0 && records.get("r2")! > 0, JSON.stringify([...records]));
      assert.equal(await openedWith(store.db, rotated), keys.length);
      assert.equal((await rewrap(store.db, rotated, { now })).rows, records.get("r1"));
      assert.equal(await openedWith(store.db, newest), keys.length);
    });

    test("a rotation under load fails no call and loses no record, even if killed half-way", async (t) => {
      const path = await ringFile(t, first);
      const { upstream, received } = answering(verified);
      const log = new RecordedLog();
      const rooms: Identity[] = [];
      const keyrings: WatchedKeyring[] = [];
      for (const lookEvery of engine.name === "sqlite" ? [5] : [5, 25]) {
        const keyring = await watchKeyring({ path, db: store.db, log });
        const looking = setInterval(() => void keyring.look(), lookEvery);
        t.after(() => clearInterval(looking));
        keyrings.push(keyring);
        rooms.push(await open(t, { keyring, log, upstreams: { test: upstream, live: [] } }));
      }

      const mine = newRequest();
      let [running, made] = [true, 0];
      /** A caller sends a new verification to one process, and repeats that one and an older one at another process. */
      const caller = async (name: number) => {
        for (let n = 0; running; n += 1) {
          const keyed = (key: number) => ({ ...mine, idempotencyKey: `${name}-${key}` });
          const [room, other] = [rooms[n % rooms.length]!, rooms[(n + 1) % rooms.length]!];
          const { record } = await room.verify(keyed(n));
          made += 1;
          for (const key of [n, n >> 1]) {
            const again = await other.verify(keyed(key));
            assert.equal(again.replayed, true);
            if (key === n) assert.deepEqual(again.record, record);
          }
        }
      };
      const calls = Promise.all([0, 1, 2, 3].map(caller));
      // Rejects as soon as one caller fails, and does not wait for the end of `work`.
      const underLoad = <Value>(work: Promise<Value>) => Promise.race([work, calls.then(() => assert.fail("no load"))]);

      await underLoad(until(() => made >= 100));
      const both = { records: true, hashes: true };
      await underLoad(
        rotate(
          { path, db: store.db, audit: async () => undefined, actor: "test" },
          { ...both, wait: 3_600_000, now: Date.now },
        ),
      );
      // The new keys become current when every process has read them, however long that takes here.
      await underLoad(until(() => keyrings.every(({ current }) => current.records.length === 2)));
      const current = <Key extends { from?: number }>(key: Key): Key => ({
        ...key,
        ...(key.from && { from: Date.now() }),
      });
      await changeKeyring(path, async (ring) => ({
        ...ring,
        records: ring.records.map(current),
        hmac: ring.hmac.map(current),
      }));
      const usage = () => recordUsage(store.db);
      await underLoad(until(async () => (await usage()).has("r2")));
      await underLoad(killedHalfWay(rewrapping(store.settings, path, Date.now())));
      await underLoad(rewrap(store.db, await readKeyring(path), { now: Date.now(), batch: 50 }));
      await underLoad(until(() => made >= 300));
      running = false;
      await calls;

      assert.deepEqual([...(await usage()).keys()], ["r2"]);
      const ring = await readKeyring(path);
      assert.equal(await openedWith(store.db, { ...ring, records: ring.records.slice(1) }), made);
      assert.equal(received.length, made);
      const { charged } = await store.db
        .selectFrom("verification")
        .select((it) => it.fn.sum<number>("charged").as("charged"))
        .executeTakeFirstOrThrow();
      assert.equal(charged, made);
      assert.deepEqual(log.lines, []);
    });
  });
}
