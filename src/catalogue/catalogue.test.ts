import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Kysely } from "kysely";
import { engines } from "../../test/support/engines.ts";
import { openStore } from "../storage/store.ts";
import type { Tables } from "../storage/tables.ts";
import { headerOf, plainForm, textOf } from "./catalogue.fixture.ts";
import { type Catalogue, openCatalogue } from "./catalogue.ts";

/** Publishes revision 2, in which a bundle costs 1 naira. */
async function publish(db: Kysely<Tables>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const revision = { number: 2, created_at: 2_000_000, author: "ops", source: "import", note: "" };
    await transaction.insertInto("catalogue_revision").values(revision).execute();
    await transaction.updateTable("data_bundle").set({ price: 100 }).where("code", "=", "104").execute();
    await transaction
      .updateTable("change_counter")
      .set((row) => ({ number: row("number", "+", 1) }))
      .where("name", "=", "catalogue")
      .execute();
  });
}

const firstPrice = (catalogue: Catalogue) => JSON.parse(textOf(catalogue.dataBundles("MTNDATA"))).data.data[0].price;

for (const engine of engines)
  suite(`the catalogue on ${engine.name}`, () => {
    test("serves what another process publishes, and goes on when the store is away", async () => {
      const fresh = await engine.fresh();
      const store = await openStore({ ...fresh.settings, serving: true });
      const other = await openStore({ ...fresh.settings, serving: false });
      let time = 1_000_000;
      const catalogue = await openCatalogue({ db: store.db, now: () => time });
      try {
        const before = catalogue.dataBundles("MTNDATA");
        assert.equal(firstPrice(catalogue), "100");
        time += 5_000;
        await catalogue.refresh();
        assert.equal(catalogue.dataBundles("MTNDATA"), before);
        assert.deepEqual(catalogue.state(), { revision: 1, publishedAt: 1_000_000, confirmedAt: 1_005_000 });

        await publish(other.db);
        assert.equal(firstPrice(catalogue), "100");
        const looks = [catalogue.refresh(), catalogue.refresh()];
        assert.equal(looks[0], looks[1]);
        await looks[0];
        assert.equal(firstPrice(catalogue), "1");
        const form = plainForm(catalogue.dataBundles("MTNDATA"));
        assert.equal(headerOf(form, "Duba-Catalogue-Revision"), "2");
        assert.equal(headerOf(form, "Last-Modified"), "Thu, 01 Jan 1970 00:33:20 GMT");
        assert.notEqual(headerOf(form, "ETag"), before.etag);

        await store.close();
        time += 5_000;
        await assert.rejects(catalogue.refresh());
        assert.equal(firstPrice(catalogue), "1");
        assert.equal(catalogue.state().confirmedAt, 1_005_000);
      } finally {
        await catalogue.stop();
        await other.close();
        await fresh.dispose();
      }
    });

    test("looks each second by itself until it is stopped", async (t) => {
      const fresh = await engine.fresh();
      const store = await openStore({ ...fresh.settings, serving: true });
      t.mock.timers.enable({ apis: ["setInterval"] });
      const catalogue = await openCatalogue({ db: store.db });
      try {
        await publish(store.db);
        t.mock.timers.tick(999);
        await catalogue.stop();
        assert.equal(catalogue.state().revision, 1);
        t.mock.timers.tick(10_000);
        await catalogue.stop();
        assert.equal(catalogue.state().revision, 1);
      } finally {
        await catalogue.stop();
      }

      const following = await openCatalogue({ db: store.db });
      try {
        await store.db.updateTable("change_counter").set({ number: 77 }).where("name", "=", "catalogue").execute();
        t.mock.timers.tick(1_000);
        const deadline = performance.now() + 5_000;
        while (following.snapshot().changes !== 77 && performance.now() < deadline) await turn();
        assert.equal(following.snapshot().changes, 77);
      } finally {
        await following.stop();
        await store.close();
        await fresh.dispose();
      }
    });
  });
