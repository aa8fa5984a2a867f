import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { before, suite, test } from "node:test";
import type { Transaction } from "kysely";
import { accessTrail } from "../declare/access-trail.ts";
import type { Db, Tables } from "../storage/tables.ts";
import {
  appendAt,
  appendSome,
  engines,
  type Place,
  problemsAfter,
  problemsIn,
  SealedTrail,
  sealKey,
  sign,
  trailStore,
} from "./audit.fixture.ts";
import { moveHead } from "./chain/head.ts";
import { verify } from "./verify-chain.ts";

type Trx = Db;

/** The callback for a trail in which no problem may be found. */
const nothing = () => assert.fail("a problem was found");

for (const engine of engines) {
  suite(`a verification on ${engine.name}`, () => {
    const store = trailStore(engine);
    const trail = new SealedTrail(store);
    before(() => trail.make());

    test("verifying an intact trail finds no problem, and counts entries and batches", async () => {
      await appendSome(store.db, 2);
      const { head, ...counts } = await verify(store.db, sealKey, { found: nothing });
      assert.deepEqual(counts, {
        batches: 3,
        removedBatches: 0,
        entries: 12,
        unsealed: 2,
        problems: 0,
        clocksBack: [],
      });
      assert.equal(head?.batch, 3);
      assert.match(head.hash, /^[\w-]{43}$/);
      await store.db.deleteFrom("audit_entry").where("batch", "is", null).execute();
    });

    test("a verification reports its progress", async () => {
      const told: [number, number][] = [];
      await verify(store.db, sealKey, { found: nothing, progress: (...far) => told.push(far) });
      assert.deepEqual(told.at(-1), [3, 3]);
    });

    test("a trail that was put back to an earlier state is detected only by a head kept elsewhere", async () => {
      const heads = await store.db.selectFrom("audit_head").selectAll().execute();
      const { head: kept } = await verify(store.db, sealKey, { found: nothing });
      const putBack = async (trx: Trx) => {
        await trx.deleteFrom("audit_entry").execute();
        await trx.deleteFrom("audit_seal").execute();
        const first = { store: heads[0]!.store, batch: 0, hash: "", removed: 0 };
        await moveHead(trx as Transaction<Tables>, sign, first);
      };
      assert.equal(heads.length, 1);
      assert.deepEqual(await problemsAfter(store.db, putBack), []);
      assert.deepEqual(await problemsAfter(store.db, putBack, { kept: kept! }), [
        { batch: 3, entry: null, what: "is named by the kept head, and the trail ends before it" },
      ]);
      assert.deepEqual(await problemsIn(store.db, { kept: kept! }), []);
      assert.deepEqual(await problemsIn(store.db, { kept: { batch: 2, hash: kept!.hash } }), [
        { batch: 2, entry: null, what: "is another than the kept head names" },
      ]);
    });

    test("verifying the trail finds a seal that was made with another key", async () => {
      const other = await problemsIn(store.db, {});
      assert.deepEqual(other, []);
      const found: Place[] = [];
      await verify(store.db, randomBytes(32), { found: ({ batch, entry }) => found.push([batch, entry]) });
      assert.deepEqual(found, [
        [null, null],
        [1, null],
        [2, null],
        [3, null],
      ]);
    });

    test("entries that are unsealed for over 10 minutes are reported as a problem", async () => {
      const now = Date.now();
      await problemsAfter(store.db, async (trx) => {
        await appendAt(trx, now - 9 * 60_000, accessTrail.keyRevoked("system", {}));
        assert.deepEqual(await problemsIn(trx, { now }), []);
        await appendAt(trx, now - 11 * 60_000, accessTrail.keyRevoked("system", {}));
        await appendAt(trx, now - 12 * 60_000, accessTrail.keyRevoked("system", {}));
        const [problem, ...others] = await problemsIn(trx, { now });
        assert.match(
          problem!.what,
          /^2 audit entries wait to be sealed, the oldest for 12 minutes\. Is the service running\?$/,
        );
        assert.deepEqual(others, []);
      });
    });
  });
}
