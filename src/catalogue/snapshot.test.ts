import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../test/support/engines.ts";
import { openStore } from "../storage/store.ts";
import { readSnapshot } from "./snapshot.ts";
import { loadStarter } from "./starter.ts";

for (const engine of engines)
  suite(`a snapshot on ${engine.name}`, () => {
    test("holds every list in its order, money in kobo", async () => {
      const fresh = await engine.fresh();
      const { db, close } = await openStore({ ...fresh.settings, serving: true });
      try {
        await loadStarter(db, () => 1_000);
        const snapshot = await readSnapshot(db);
        assert.equal(snapshot.revision, 1);
        assert.equal(snapshot.publishedAt, 1_000);
        assert.deepEqual(
          snapshot.dataProviders.map(({ id, type, bundles }) => [id, type, bundles.length]),
          [
            [1, "MTNDATA", 30],
            [2, "AIRTELDATA", 20],
            [3, "GLODATA", 18],
            [4, "9MOBILEDATA", 11],
          ],
        );
        assert.equal(snapshot.corporateBundles.length, 22);
        const dstv = snapshot.cableProviders[1]!;
        const compact = dstv.products.find(({ code }) => code === "COMPE36")!;
        assert.equal(compact.price, 1_250_000);
        assert.deepEqual(
          compact.addOns.map(({ code, price }) => [code, price]),
          [
            ["ASIADDE36", 990_000],
            ["HDPVRE36", 600_000],
            ["FRN7E36", 700_000],
            ["FRN15E36", 2_450_000],
          ],
        );
      } finally {
        await close();
        await fresh.dispose();
      }
    });

    test("is of one moment, whatever is published meanwhile", async () => {
      const fresh = await engine.fresh();
      const publisher = await openStore({ ...fresh.settings, serving: false });
      const reader = await openStore({ ...fresh.settings, serving: false });
      try {
        await loadStarter(publisher.db, () => 1_000);
        let publishing = true;
        const publishAll = async () => {
          for (let number = 2; number <= 15; number++)
            await publisher.db.transaction().execute(async (transaction) => {
              const revision = { number, created_at: number, author: "ops", source: "import", note: "" };
              await transaction.updateTable("cable_add_on").set({ price: number }).execute();
              await transaction.insertInto("catalogue_revision").values(revision).execute();
              await transaction.updateTable("change_counter").set({ number }).execute();
              await transaction.updateTable("data_bundle").set({ price: number }).execute();
            });
          publishing = false;
        };
        const readAll = async () => {
          const seen = new Set<number>();
          for (;;) {
            const last = !publishing;
            const snapshot = await readSnapshot(reader.db);
            const addOns = snapshot.cableProviders.flatMap(({ products }) => products.flatMap((it) => it.addOns));
            const bundles = snapshot.dataProviders.flatMap((provider) => provider.bundles);
            if (snapshot.revision > 1) {
              assert.equal(snapshot.changes, snapshot.revision);
              const prices = new Set([...addOns, ...bundles].map(({ price }) => price));
              assert.deepEqual([...prices], [snapshot.revision]);
            }
            seen.add(snapshot.revision);
            if (last) return seen;
          }
        };
        const [, seen] = await Promise.all([publishAll(), readAll()]);
        assert.ok(seen.has(15));
      } finally {
        await publisher.close();
        await reader.close();
        await fresh.dispose();
      }
    });
  });
