import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { until } from "../../../test/support/until.ts";
import { followJournal } from "../../ledger/journal/follow-journal.ts";
import { rebuildSums } from "../../ledger/journal/rebuild-sums.ts";
import { differencesOf, sumPieces } from "../../ledger/journal/recounted-sums.ts";
import { Ledger } from "../../ledger/ledger.ts";
import { found, placing } from "../../ledger/ledger-moves.fixture.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { inSnapshot } from "../../storage/audited.ts";
import { engines, suiteStore } from "../../verification/identity.fixture.ts";
import { priceAttempts } from "./price-attempts.ts";

const zone = new TimeZone("Africa/Lagos");

for (const engine of engines)
  suite(`the price of attempts that other transactions end on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const { placed, nowOf } = placing(store);
    const room = () => ({
      db: store.db,
      actor: "terminal:ada",
      now: Date.now,
      audit: async () => {},
      progress: () => {},
      config: { timeZone: zone },
    });
    const price = (kobo: number) =>
      priceAttempts(room(), { vendor: "played", prices: { bvn: kobo }, from: 0, to: Date.now() + 1 });

    /** Resolves when `other` has ended, or waits for the open transaction. On SQLite, it waits for the connection. */
    async function endedOrHeld(other: Promise<unknown>): Promise<void> {
      if (engine.name === "sqlite") return;
      let hasEnded = false;
      void other.finally(() => {
        hasEnded = true;
      });
      const waiting = sql<{ count: number }>`select cast(count(*) as int) as count from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`;
      await until(async () => hasEnded || (await waiting.execute(store.db)).rows[0]!.count > 0);
    }

    test("books price keeps the sums correct, even if a late response is written meanwhile", async () => {
      const at = Date.now() - 3_600_000;
      const row = await placed({ state: "unknown", created_at: at, started_at: at });
      await store.db.updateTable("verification_attempt").set({ started_at: at }).execute();
      await rebuildSums(room(), zone);
      await price(5_000);
      let pricing: ReturnType<typeof price> | undefined;
      const journals = new WeakSet<object>();
      const db = store.db.withPlugin({
        transformQuery({ node, queryId }) {
          if (JSON.stringify(node).includes('"late_answer"')) journals.add(queryId);
          return node;
        },
        async transformResult({ result, queryId }) {
          if (!pricing && journals.has(queryId)) {
            pricing = price(6_000);
            await endedOrHeld(pricing);
          }
          return result;
        },
      });
      const prices = { played: { bvn: 5_000 } };
      await new Ledger(db, undefined, prices).endAttempt(await nowOf(row), { ...found("verified"), at: at + 1 });
      assert.equal((await pricing!).changed, 1);
      await followJournal({ db: store.db, audit: room().audit, zone });
      const wrong = await inSnapshot(store.db, async (snapshot) => {
        const all: unknown[] = [];
        for await (const piece of sumPieces(snapshot, Date.now(), zone))
          all.push(...(await differencesOf(snapshot, piece, zone)).differences);
        return all;
      });
      assert.deepEqual(wrong, []);
      assert.equal((await nowOf(row)).attempts[0]!.bill, 6_000);
    });
  });
