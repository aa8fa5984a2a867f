import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { before, suite, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { until } from "../../test/support/until.ts";
import { accessTrail } from "../declare/access-trail.ts";
import type { Db } from "../storage/tables.ts";
import { append } from "./append.ts";
import { appendAt, appendSome, engines, problemsIn, sealKey, sealSome, sign, trailStore } from "./audit.fixture.ts";
import { sealEntries } from "./seal-batch.ts";

let minuteAgo: number;
/** Called when the suite begins, which may be long after this file is loaded. */
const setMinuteAgo = () => {
  minuteAgo = Date.now() - 60_000;
};
const revoked = (key: string) => accessTrail.keyRevoked("system", { key });

async function keysIn(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("audit_entry").select("facts").where("batch", "is not", null).execute();
  return rows.map(({ facts }) => JSON.parse(facts).key as string);
}

async function sizes(db: Db): Promise<number[]> {
  const seals = await db.selectFrom("audit_seal").select("size").orderBy("batch").execute();
  return seals.map(({ size }) => size);
}

for (const engine of engines) {
  suite(`sealing on ${engine.name}`, () => {
    before(setMinuteAgo);

    suite("one after another", () => {
      const store = trailStore(engine);

      test("sealing nothing makes no batch", async () => {
        await sealEntries(store.db, sign);
        assert.deepEqual(await sizes(store.db), []);
        assert.deepEqual(await problemsIn(store.db), []);
      });

      test("a batch contains every committed entry, oldest first", async () => {
        await appendAt(store.db, minuteAgo + 2, revoked("second"));
        await appendAt(store.db, minuteAgo + 3, revoked("third"));
        await appendAt(store.db, minuteAgo + 1, revoked("first"));
        await sealEntries(store.db, sign);
        const placed = await store.db.selectFrom("audit_entry").selectAll().orderBy("position").execute();
        assert.deepEqual(
          placed.map(({ facts, batch, position }) => [JSON.parse(facts).key, batch, position]),
          [
            ["first", 1, 1],
            ["second", 1, 2],
            ["third", 1, 3],
          ],
        );
      });

      test("sealing that fails half-way changes nothing", async () => {
        await appendAt(store.db, minuteAgo + 4, revoked("fourth"));
        const failing = sealEntries(store.db, (text) => {
          if (/^head \S+ 2 /.test(text)) throw new Error("the power went");
          return sign(text);
        });
        await assert.rejects(failing, /the power went/);
        assert.deepEqual(await sizes(store.db), [3]);
        await sealEntries(store.db, sign);
        assert.deepEqual(await sizes(store.db), [3, 1]);
        assert.deepEqual(await problemsIn(store.db), []);
      });

      test("sealing makes batches of a thousand, and never holds the thread for 50 ms", async () => {
        for (let thousands = 0; thousands < 3; thousands += 1) await appendSome(store.db, 1000);
        let longest = 0;
        let sealed = false;
        const sealing = sealEntries(store.db, sign).finally(() => {
          sealed = true;
        });
        // The thread's own time, so that other processes on the machine do not count; the machine may be five times
        // slower.
        let before = process.threadCpuUsage();
        while (!sealed) {
          await turn();
          const { user, system } = process.threadCpuUsage(before);
          longest = Math.max(longest, (user + system) / 1000);
          before = process.threadCpuUsage();
        }
        await sealing;
        assert.deepEqual(await sizes(store.db), [3, 1, 1000, 1000, 1000]);
        assert.ok(longest < 5 * 50, `${longest} ms`);
        assert.deepEqual(await problemsIn(store.db), []);
      });
    });

    suite("of many processes", () => {
      const store = trailStore(engine);

      test("several processes seal each committed entry exactly once, and no entry that was rolled back", async () => {
        const committed: string[] = [];
        const write = async (db: Db, name: string) => {
          for (let count = 0; count < 20; count += 1) {
            const trx = await db.startTransaction().execute();
            const keys = Array.from({ length: 1 + (count % 4) }, (_, index) => `${name}-${count}-${index}`);
            for (const key of keys) await append(trx, revoked(key));
            await (count % 3 === 2 ? trx.rollback() : trx.commit()).execute();
            if (count % 3 !== 2) committed.push(...keys);
          }
        };
        let writing = true;
        const sealOn = async (db: Db) => {
          while (writing) await sealEntries(db, sign);
        };
        const sealing = Promise.all([sealOn(store.db), sealOn(store.beside)]);
        const writers = Array.from({ length: 12 }, (_, index) =>
          write(index % 2 === 0 ? store.db : store.beside, `writer${index}`),
        );
        await Promise.all(writers).finally(() => {
          writing = false;
        });
        await sealing;
        await Promise.all([sealEntries(store.db, sign), sealEntries(store.beside, sign)]);

        assert.deepEqual((await keysIn(store.db)).sort(), committed.sort());
        const all = await sizes(store.db);
        assert.ok(all.length > 1);
        assert.equal(
          all.reduce((sum, size) => sum + size, 0),
          committed.length,
        );
        assert.deepEqual(await problemsIn(store.db), []);
      });
    });

    suite("by processes that are killed", () => {
      const store = trailStore(engine);

      test("sealing continues where a killed process stopped, and loses no acknowledged entry", async () => {
        const acknowledged: string[] = [];
        const start = (name: string) => {
          const script = fileURLToPath(new URL("./sealing.fixture.ts", import.meta.url));
          const settings = JSON.stringify({ ...store.fresh.settings, serving: false });
          return spawn(process.execPath, [script, settings, sealKey.toString("base64"), name], {
            stdio: ["ignore", "pipe", "inherit"],
          });
        };
        const hasSealed = async () => (await sizes(store.db)).length > 0;
        const killAfter = async (child: ChildProcess, lines: number) => {
          const exited = once(child, "exit");
          const own: string[] = [];
          for await (const line of createInterface({ input: child.stdout! })) {
            own.push(line);
            if (own.length === lines) void until(hasSealed).then(() => child.kill("SIGKILL"));
          }
          assert.deepEqual(await exited, [null, "SIGKILL"]);
          // The kill may have cut the last line short.
          acknowledged.push(...own.slice(0, -1));
        };
        await Promise.all([killAfter(start("one"), 100), killAfter(start("two"), 200)]);
        await append(store.db, revoked("after"));
        await sealEntries(store.db, sign);

        const kept = new Set(await keysIn(store.db));
        assert.deepEqual(
          acknowledged.filter((key) => !kept.has(key)),
          [],
        );
        assert.ok((await sizes(store.db)).length > 1);
        assert.deepEqual(await problemsIn(store.db), []);
      });
    });

    suite("over what was tampered with", () => {
      const store = trailStore(engine);

      for (const [problem, tamper, sentence] of [
        ["a missing head", (db: Db) => db.deleteFrom("audit_head"), /^The head of the audit trail is miss/],
        [
          "a head that does not match its keyed hash",
          (db: Db) => db.updateTable("audit_head").set({ batch: 0, hash: "" }),
          /^The head/,
        ],
        [
          "a newest seal that was changed",
          (db: Db) => db.updateTable("audit_seal").set({ sealed_at: 5 }),
          /newest batch, \d+, is missing or was changed\.$/,
        ],
        ["a newest seal that is gone", (db: Db) => db.deleteFrom("audit_seal"), /newest batch/],
      ] as const) {
        test(`sealing is refused: ${problem}`, async () => {
          await sealSome(store.db, 2);
          await append(store.db, revoked("later"));
          const heads = await store.db.selectFrom("audit_head").selectAll().execute();
          const seals = await store.db.selectFrom("audit_seal").selectAll().execute();
          await tamper(store.db).execute();
          await assert.rejects(sealEntries(store.db, sign), { name: "AuditTrailError", message: sentence });

          await store.db.deleteFrom("audit_head").execute();
          await store.db.deleteFrom("audit_seal").execute();
          await store.db.insertInto("audit_head").values(heads).execute();
          await store.db.insertInto("audit_seal").values(seals).execute();
          await sealEntries(store.db, sign);
          assert.deepEqual(await problemsIn(store.db), []);
        });
      }

      test("a change to an entry is not hidden by removing the entry from its batch", async () => {
        await sealSome(store.db, 3);
        const { batch } = await store.db.selectFrom("audit_head").select("batch").executeTakeFirstOrThrow();
        const changed = await store.db
          .updateTable("audit_entry")
          .set({ actor: "mallory", batch: null, position: 0 })
          .where("batch", "=", batch)
          .where("position", "=", 2)
          .returning("id")
          .executeTakeFirstOrThrow();
        await sealEntries(store.db, sign);
        assert.deepEqual(await problemsIn(store.db), [
          { batch, entry: changed.id, what: "is gone from place 2 of the batch" },
        ]);
      });
    });
  });
}

suite("sealing on postgres", () => {
  before(setMinuteAgo);
  const store = trailStore(engines.find(({ name }) => name === "postgres")!);

  test("sealing takes an entry that commits late into a later batch", async () => {
    const early = await store.db.startTransaction().execute();
    await appendAt(early, minuteAgo + 1, revoked("early"));
    await appendAt(store.db, minuteAgo + 2, revoked("late"));
    await sealEntries(store.db, sign);
    assert.deepEqual(await keysIn(store.db), ["late"]);
    await early.commit().execute();
    await sealEntries(store.db, sign);
    assert.deepEqual((await keysIn(store.db)).sort(), ["early", "late"]);
    assert.deepEqual(await sizes(store.db), [1, 1]);
    assert.deepEqual(await problemsIn(store.db), []);
  });
});
