import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { TimeZone } from "../../../runtime/time-zone.ts";
import { inSnapshot } from "../../../storage/audited.ts";
import { noteOlderVersion, olderVersionNote } from "../../../storage/migrations/older-version.ts";
import { negative } from "../../../upstreams/ports/outcomes.ts";
import { engines, newRequest, suiteStore, until } from "../../identity.fixture.ts";
import { answering, verified } from "../../played-upstream.fixture.ts";
import { followJournal } from "./follow-journal.ts";
import { recountAfterOlderVersion } from "./rebuild-sums.ts";
import { comparedSums, differencesOf, sumPieces } from "./recounted-sums.ts";
import { type Count, counts } from "./verification-sums.ts";

const zone = new TimeZone("Africa/Lagos");

for (const engine of engines)
  suite(`sums that an older version wrote, on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const recount = () => recountAfterOlderVersion({ db: store.db, now: Date.now }, zone, new AbortController().signal);

    /** How many sums differ from the ledger, and how many of them a person is told of. */
    const wrong = () =>
      inSnapshot(store.db, async (snapshot) => {
        let [all, reported] = [0, 0];
        for await (const piece of sumPieces(snapshot, Date.now(), zone))
          all += (await differencesOf(snapshot, piece, zone)).differences.length;
        for await (const { differences } of comparedSums(snapshot, Date.now(), zone)) reported += differences.length;
        return { all, reported };
      });

    test("are counted anew once none of that version lives, and nobody is told that they are wrong before", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const outcomes = [negative("not_found")];
      const { upstream } = answering(async (attempt) => outcomes.shift() ?? verified(attempt));
      const prices = { answering: { bvn: 5_000 } };
      const identity = await store.open(t, {
        upstreams: { test: upstream, live: [upstream] },
        settings: { vendorPrices: prices },
      });
      for (const _ of [1, 2]) await identity.verify(newRequest({ mode: "live" })).catch(() => {});
      await recount();
      // The older version knows neither these columns of the journal nor those of the sums.
      await store.db.updateTable("verification_journal").set({ unsure: null, unpriced: null }).execute();
      await followJournal({ db: store.db, audit: async () => {}, zone });
      await store.db
        .updateTable("verification_sum")
        .set({ not_found: 0, phone_mismatch: 0, blocked: 0, unsure_kobo: 0, unpriced: 0 })
        .execute();
      await store.db.updateTable("verification_sum").set({ made_verified: 0, made_not_found: 0 }).execute();
      // Nor does it know all that an erasure takes away.
      const left = { subject_hash: "erased", lasting_idempotency_hash: "v1:left" };
      await store.db.updateTable("verification").set(left).where("state", "=", "verified").execute();
      await noteOlderVersion(store.db, 1);
      assert.deepEqual(await wrong(), { all: 6, reported: 0 });

      if (engine.name === "postgres") {
        const lease = { id: "older", expires_at: Date.now() + 600_000, serves: 1, migration: 1 } as const;
        await store.db.insertInto("verification_owner").values(lease).execute();
        await recount();
        assert.deepEqual(await wrong(), { all: 6, reported: 0 });
        await store.db.deleteFrom("verification_owner").where("id", "=", "older").execute();
      }
      await recount();
      assert.deepEqual(await wrong(), { all: 0, reported: 0 });
      const kept = store.db.selectFrom("verification").select("reference");
      assert.deepEqual(await kept.where("lasting_idempotency_hash", "is not", null).execute(), []);
      assert.equal(await olderVersionNote(store.db), undefined);
    });

    test("are told to be wrong where that version knows all that is counted", async () => {
      await store.db.updateTable("verification_sum").set({ made_verified: 3 }).execute();
      await noteOlderVersion(store.db, 4);
      const { all, reported } = await wrong();
      assert.ok(all > 0 && reported === all);
      await recount();
      assert.equal((await wrong()).all, all);
      await noteOlderVersion(store.db, 1);
      await noteOlderVersion(store.db, 4);
      await recount();
      assert.deepEqual(await wrong(), { all: 0, reported: 0 });
    });

    test("are counted anew by the oldest of two versions that note themselves at once", async () => {
      const older = store.db.transaction().execute(async (trx) => {
        await noteOlderVersion(trx, 1);
        const newer = noteOlderVersion(store.db, 3);
        const waits = sql<{ count: number }>`select cast(count(*) as int) as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        if (engine.name === "postgres") await until(async () => (await waits.execute(store.db)).rows[0]!.count > 0);
        return { newer };
      });
      await (await older).newer;
      assert.equal((await olderVersionNote(store.db))?.value, "1");
      await recount();
    });

    test("are right after two processes counted many of one day anew at the same time", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const begins_at = zone.startOfDay(zone.dayOf(Date.now()));
      const none = Object.fromEntries(counts.map((count) => [count, 0])) as Record<Count, number>;
      const about = { span: "day", begins_at, mode: "live", kind: "bvn", vendor: "" } as const;
      for (let account = 0; account < 150; account += 1)
        await store.db
          .insertInto("verification_sum")
          .values({ ...none, ...about, account_id: `acc_${account}`, charges: 3 })
          .execute();
      await noteOlderVersion(store.db, 1);
      await Promise.all([recount(), recount()]);
      assert.deepEqual(await wrong(), { all: 0, reported: 0 });
    });
  });
