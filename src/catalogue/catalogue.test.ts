import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { KyselyPlugin } from "kysely";
import { engines } from "../../test/support/engines.ts";
import { changeCount } from "../storage/change-counter.ts";
import {
  headerOf,
  pickFrom,
  plainForm,
  priced,
  publisherOf,
  publishingStore,
  publishTo,
  textOf,
} from "./catalogue.fixture.ts";
import { type Catalogue, openCatalogue } from "./catalogue.ts";
import { lookupDataBundles } from "./operations/lookupDataBundles.ts";
import { publish } from "./revisions/publish.ts";

const about = { author: "ops", source: "test", note: "" };
const start = Date.UTC(2026, 0, 31, 9, 30);

const firstPrice = (catalogue: Catalogue) =>
  JSON.parse(textOf(pickFrom(catalogue, lookupDataBundles, { provider: "MTNDATA" }))).data.data[0].price;

for (const engine of engines)
  suite(`the catalogue on ${engine.name}`, () => {
    test("the catalogue serves revisions of other processes, and still serves while the store is away", async (t) => {
      const store = await publishingStore(t, engine);
      const served = await store.beside();
      let time = start;
      const catalogue = await openCatalogue({ db: served.db, now: () => time });
      const before = pickFrom(catalogue, lookupDataBundles, { provider: "MTNDATA" });
      assert.equal(firstPrice(catalogue), "100");
      time += 5_000;
      await catalogue.refresh();
      assert.equal(pickFrom(catalogue, lookupDataBundles, { provider: "MTNDATA" }), before);
      assert.deepEqual(catalogue.state(), { revision: 1, publishedAt: start, confirmedAt: start + 5_000, due: null });

      const publisher = publisherOf(store.db, { now: () => time });
      await publish(publisher, priced("MTNDATA 104", 11_000), about);
      assert.equal(firstPrice(catalogue), "100");
      const looks = [catalogue.refresh(), catalogue.refresh()];
      assert.equal(looks[0], looks[1]);
      await looks[0];
      assert.equal(firstPrice(catalogue), "110");
      const form = plainForm(pickFrom(catalogue, lookupDataBundles, { provider: "MTNDATA" }));
      assert.equal(headerOf(form, "Duba-Catalogue-Revision"), "2");
      assert.equal(headerOf(form, "Last-Modified"), "Sat, 31 Jan 2026 09:30:05 GMT");
      assert.notEqual(headerOf(form, "ETag"), before.etag);

      await served.close();
      time += 5_000;
      await assert.rejects(catalogue.refresh());
      assert.equal(firstPrice(catalogue), "110");
      assert.equal(catalogue.state().confirmedAt, start + 5_000);
    });

    test("every instance serves a scheduled revision by itself when the revision is due", async (t) => {
      const store = await publishingStore(t, engine);
      const other = await store.beside();
      let time = start;
      const now = () => time;
      const instances = [await openCatalogue({ db: store.db, now }), await openCatalogue({ db: other.db, now })];
      const [one, two] = instances as [(typeof instances)[0], (typeof instances)[0]];
      const due = start + 3_600_000;
      const outcome = await publishTo(one, priced("MTNDATA 104", 11_000), { ...about, holdsFrom: due });
      assert.equal(outcome.state, "scheduled");
      for (const instance of instances) await instance.refresh();
      assert.deepEqual(
        instances.map((instance) => instance.state().due),
        [due, due],
      );
      time = due - 1;
      for (const instance of instances) await instance.refresh();
      assert.deepEqual(instances.map(firstPrice), ["100", "100"]);
      time = due;
      await Promise.all(instances.map((instance) => instance.refresh()));
      await two.refresh();
      assert.deepEqual(instances.map(firstPrice), ["110", "110"]);
      assert.deepEqual(
        instances.map((instance) => instance.state().revision),
        [2, 2],
      );
      assert.deepEqual(
        instances.map((instance) => instance.state().due),
        [null, null],
      );
    });

    test("the catalogue is read again only when the change counter has moved", async (t) => {
      const store = await publishingStore(undefined, engine);
      t.after(() => store.close());
      let reads = 0;
      const counting: KyselyPlugin = {
        transformQuery: ({ node }) => {
          reads += 1;
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      let time = start;
      const catalogue = await openCatalogue({ db: store.db.withPlugin(counting), now: () => time });
      const changes = await changeCount(store.db, "catalogue");
      reads = 0;
      time += 1_000;
      await catalogue.follow({ askedAt: time, catalogue: changes });
      assert.equal(reads, 0);
      assert.equal(catalogue.state().confirmedAt, time);
      await publish(store.publisher(), priced("MTNDATA 104", 11_000), about);
      await catalogue.follow({ askedAt: time, catalogue: await changeCount(store.db, "catalogue") });
      assert.equal(firstPrice(catalogue), "110");
    });
  });
