import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { KyselyPlugin } from "kysely";
import type { Db } from "../storage/tables.ts";
import {
  appendSome,
  engines,
  problemsAfter,
  problemsIn,
  removeOld,
  sealKey,
  sign,
  trailStore,
} from "./audit.fixture.ts";
import { sealEntries } from "./seal-batch.ts";
import { verify } from "./verify-chain.ts";

/** One batch of each size, sealed at 1000, 2000 and so on. */
async function sealAt(db: Db, ...sizes: number[]): Promise<void> {
  for (const [index, size] of sizes.entries()) {
    await appendSome(db, size);
    await sealEntries(db, sign, () => (index + 1) * 1000);
  }
}

async function kept(db: Db): Promise<number[]> {
  const rows = await db.selectFrom("audit_entry").select("batch").distinct().where("batch", "is not", null).execute();
  return rows.map(({ batch }) => batch!).sort((a, b) => a - b);
}

/** A view of the store that runs `work` after the statement with this number. */
function meanwhile(db: Db, place: number, work: () => Promise<unknown>): Db {
  let answers = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      answers += 1;
      if (answers === place) await work();
      return result;
    },
  };
  return db.withPlugin(plugin);
}

for (const engine of engines) {
  suite(`retention on ${engine.name}`, () => {
    suite("of a trail", () => {
      const store = trailStore(engine);

      test("trimming removes the entries of whole old batches, keeps their seals, and is audited", async () => {
        await sealAt(store.db, 3, 1, 4, 2);
        await removeOld(store.db, 3000);
        assert.deepEqual(await kept(store.db), [3, 4]);
        const seals = await store.db.selectFrom("audit_seal").select(["batch", "size"]).orderBy("batch").execute();
        assert.deepEqual(
          seals.map(({ size }) => size),
          [3, 1, 4, 2],
        );
        const recorded = await store.db
          .selectFrom("audit_entry")
          .select(["kind", "actor", "facts"])
          .where("batch", "is", null)
          .execute();
        const facts = '{"through":2,"batches":2,"entries":4}';
        assert.deepEqual(recorded, [{ kind: "audit.removed", actor: "system", facts }]);
        await sealEntries(store.db, sign, () => 9000);
        const { head, ...counts } = await verify(store.db, sealKey, {
          found: () => assert.fail("a problem was found"),
        });
        assert.deepEqual(counts, {
          batches: 5,
          removedBatches: 2,
          entries: 7,
          unsealed: 0,
          problems: 0,
          clocksBack: [],
        });
        assert.equal(head?.batch, 5);
      });

      test("trimming does nothing when nothing is old", async () => {
        await removeOld(store.db, 3000);
        assert.deepEqual(await kept(store.db), [3, 4, 5]);
        assert.deepEqual(await problemsIn(store.db), []);
      });

      test("a seal whose time was changed makes trimming fail and remove nothing", async () => {
        const setTime = (time: number) =>
          store.db.updateTable("audit_seal").set({ sealed_at: time }).where("batch", "=", 3).execute();
        await setTime(2000);
        const sentence = "The seal of batch 3 of the audit trail was changed.";
        await assert.rejects(removeOld(store.db, 3000), { name: "AuditTrailError", message: sentence });
        await setTime(3000);
        assert.deepEqual(await kept(store.db), [3, 4, 5]);
        assert.deepEqual(await problemsIn(store.db), []);
      });

      test("an entry that is inserted into a trimmed batch is still found", async () => {
        const problems = await problemsAfter(store.db, (trx) =>
          trx.updateTable("audit_entry").set({ batch: 1 }).where("batch", "=", 3).where("position", "=", 1).execute(),
        );
        assert.deepEqual(
          problems.map(({ batch, what }) => [batch, what]),
          [
            [1, "was put into the batch after it was sealed"],
            [3, "is gone from place 1 of the batch"],
          ],
        );
      });

      test("trimming may remove the newest batch, and the next batch still continues the chain", async () => {
        await removeOld(store.db, 10_000);
        assert.deepEqual(await kept(store.db), []);
        await sealEntries(store.db, sign);
        await appendSome(store.db, 2);
        await sealEntries(store.db, sign);
        assert.deepEqual(await kept(store.db), [6, 7]);
        assert.deepEqual(await problemsIn(store.db), []);
      });
    });

    suite("of a long trail", () => {
      const store = trailStore(engine);

      test("trimming a long trail removes no more than a thousand entries in one transaction", async () => {
        await sealAt(store.db, 600, 600, 300);
        await removeOld(store.db, 9000);
        const recorded = await store.db.selectFrom("audit_entry").select("facts").execute();
        assert.deepEqual(new Set(recorded.map(({ facts }) => JSON.parse(facts).entries)), new Set([600, 900]));
        assert.deepEqual(await problemsIn(store.db), []);
      });
    });

    suite("beside a verification", () => {
      const store = trailStore(engine);

      test("a verification of the trail finds no problem, at whatever moment trimming runs", async () => {
        const batches = 8;
        await sealAt(store.db, ...Array.from({ length: batches }, () => 2));
        for (let place = 1; place < batches; place += 1) {
          const remove = () => removeOld(store.beside, (place + 1) * 1000);
          assert.deepEqual(await problemsIn(meanwhile(store.db, place, remove)), []);
          assert.equal((await kept(store.db))[0], place + 1);
        }
      });

      test("after trimming, tampering with the remaining trail is still found", async () => {
        await store.db.updateTable("audit_entry").set({ actor: "mallory" }).where("batch", "=", 8).execute();
        const remove = () => removeOld(store.beside, 8000);
        for (const place of [1, 2, 3]) {
          const problems = await problemsIn(meanwhile(store.db, place, remove));
          assert.deepEqual(
            problems.map(({ batch, what }) => [batch, what]),
            Array.from({ length: 2 }, () => [8, "was changed after it was sealed"]),
          );
        }
      });
    });
  });

  suite(`sealing on ${engine.name} beside a verification`, () => {
    const store = trailStore(engine);

    test("a verification of the trail finds no problem, at whatever moment sealing runs", async () => {
      await sealAt(store.db, 2, 2);
      for (let place = 1; place <= 8; place += 1) {
        const sealMore = async () => {
          await appendSome(store.beside, 2);
          await sealEntries(store.beside, sign);
        };
        assert.deepEqual(await problemsIn(meanwhile(store.db, place, sealMore)), []);
      }
    });
  });
}
