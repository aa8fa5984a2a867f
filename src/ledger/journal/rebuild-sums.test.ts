import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { adjust } from "../../features/books/adjust.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { inSnapshot } from "../../storage/audited.ts";
import { noteOlderVersion, olderVersionNote } from "../../storage/migrations/older-version.ts";
import { ledgerStart } from "../../storage/retention/retention-rule.ts";
import { negative } from "../../vendors/ports/outcomes.ts";
import { engines, newRequest, suiteStore, until } from "../../verification/identity.fixture.ts";
import { answering, verified } from "../../verification/played-upstream.fixture.ts";
import { storeRows, verifiedRow } from "../ledger-rows.fixture.ts";
import { followJournal } from "./follow-journal.ts";
import { rebuildSums, recountAfterOlderVersion } from "./rebuild-sums.ts";
import { comparedSums, differencesOf, sumPieces } from "./recounted-sums.ts";
import { type Count, counts } from "./verification-sums.ts";

const zone = new TimeZone("Africa/Lagos");
const day = 86_400_000;
const none = Object.fromEntries(counts.map((count) => [count, 0])) as Record<Count, number>;

for (const engine of engines)
  suite(`sums that an older version wrote, on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const recount = () => recountAfterOlderVersion({ db: store.db, now: Date.now }, zone, new AbortController().signal);

    /** Returns how many sums differ from the ledger, and how many sentences a person gets about such sums. */
    const wrong = () =>
      inSnapshot(store.db, async (snapshot) => {
        let [all, reported] = [0, 0];
        for await (const piece of sumPieces(snapshot, Date.now(), zone))
          all += (await differencesOf(snapshot, piece, zone)).differences.length;
        for await (const { differences } of comparedSums(snapshot, Date.now(), zone)) reported += differences.length;
        return { all, reported };
      });

    test("sums are recounted once no older version runs, and are not reported as wrong before", async (t) => {
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
      // The older version does not know these columns of the journal and of the sums.
      await store.db.updateTable("verification_journal").set({ unsure: null, unpriced: null }).execute();
      await followJournal({ db: store.db, audit: async () => {}, zone });
      await store.db
        .updateTable("verification_sum")
        .set({ not_found: 0, phone_mismatch: 0, blocked: 0, unsure_kobo: 0, unpriced: 0 })
        .execute();
      await store.db.updateTable("verification_sum").set({ made_verified: 0, made_not_found: 0 }).execute();
      // The older version does not know everything that an erasure removes.
      const left = { subject_hash: "erased", lasting_idempotency_hash: "v1:left" };
      await store.db.updateTable("verification").set({ lasting_idempotency_hash: "v1:key" }).execute();
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
      const kept = await store.db.selectFrom("verification").select("lasting_idempotency_hash as key").execute();
      assert.deepEqual(new Set(kept.map(({ key }) => key)), new Set([null, "v1:key"]));
      assert.equal(await olderVersionNote(store.db), undefined);
    });

    test("differences of sums are reported if the older version counts all that this version counts", async () => {
      await store.db.updateTable("verification_sum").set({ made_verified: 3 }).execute();
      await noteOlderVersion(store.db, 10);
      const { all, reported } = await wrong();
      assert.ok(all > 0 && reported === all);
      await recount();
      assert.equal((await wrong()).all, all);
      await noteOlderVersion(store.db, 1);
      await noteOlderVersion(store.db, 10);
      const lease = { id: "knows it", expires_at: Date.now() + 600_000, serves: 1, migration: 10 } as const;
      await store.db.insertInto("verification_owner").values(lease).execute();
      await recount();
      assert.deepEqual(await wrong(), { all: 0, reported: 0 });
      await store.db.deleteFrom("verification_owner").where("id", "=", lease.id).execute();
    });

    test("after a version without sums of use, these are counted, and other differences are reported", async () => {
      await store.db.deleteFrom("use_sum").execute();
      await noteOlderVersion(store.db, 9);
      const { all, reported } = await wrong();
      assert.ok(all > 0);
      assert.equal(reported, 0);
      await store.db.updateTable("verification_sum").set({ made_verified: 3 }).where("span", "=", "day").execute();
      assert.ok((await wrong()).reported > 0);
      await recount();
      assert.deepEqual(await wrong(), { all: 0, reported: 0 });
    });

    test("sums are recounted again if the older version wrote during the recount", async () => {
      await noteOlderVersion(store.db, 1);
      await store.db.updateTable("fact").set({ created_at: 1 }).where("name", "=", "older-version").execute();
      let again: Promise<void> | undefined;
      const now = () => {
        again ??= noteOlderVersion(store.db, 1);
        return Date.now();
      };
      await recountAfterOlderVersion({ db: store.db, now }, zone, new AbortController().signal);
      await again;
      assert.ok(await olderVersionNote(store.db));
      await recount();
      assert.equal(await olderVersionNote(store.db), undefined);
    });

    test("if two versions start at once, sums are recounted for the older version", async () => {
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

    test("sums are right after two processes recount the same day at once", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const begins_at = zone.startOfDay(zone.dayOf(Date.now()));
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

for (const engine of engines)
  suite(`sums that are counted anew, on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const room = () => ({ db: store.db, audit: async () => {}, actor: "terminal:ada", now: Date.now, progress() {} });
    const sums = () => store.db.selectFrom("verification_sum").selectAll().orderBy("span").execute();

    test("a recount keeps refused requests, which the ledger lacks, and counts no manual corrections", async () => {
      const accountId = "acc_corrected";
      const [row] = await storeRows(store.db, verifiedRow(accountId, zone.startOfDay(zone.dayOf(Date.now() - day))));
      await rebuildSums(room(), zone);
      await adjust(room(), { accountId, mode: "live", kobo: -500, reference: row!.reference, reason: "Too much" });
      await store.db.updateTable("verification_sum").set({ refused: 2 }).execute();
      const before = await sums();
      assert.deepEqual(
        before.map(({ charges, charged_kobo, refused }) => [charges, charged_kobo, refused]),
        Array(2).fill([1, 10_000, 2]),
      );
      assert.equal((await rebuildSums(room(), zone)).rebuilt, 0);
      assert.deepEqual(await sums(), before);
    });

    test("a recount leaves out the days that retention empties", async () => {
      const begins_at = zone.startOfDay(zone.dayOf(ledgerStart(Date.now()) + day));
      const about = { begins_at, account_id: "acc_old", mode: "live", kind: "bvn", vendor: "", charges: 3 } as const;
      await store.db
        .insertInto("verification_sum")
        .values({ ...none, ...about, span: "day" })
        .execute();
      assert.equal((await rebuildSums(room(), zone)).rebuilt, 0);
    });
  });
