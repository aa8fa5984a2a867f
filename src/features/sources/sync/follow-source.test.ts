import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { usualEngines } from "../../../../test/support/engines.ts";
import { publisherOf, publishingStore } from "../../../catalogue/catalogue.fixture.ts";
import { openCatalogue } from "../../../catalogue/catalogue.ts";
import { itemIn } from "../../../catalogue/model/snapshot.ts";
import { SourceFreshness } from "../../../catalogue/responses/freshness.ts";
import { loadStarter } from "../../../catalogue/starter.ts";
import { silent } from "../../../runtime/log.ts";
import { RecordedLog } from "../../../runtime/recorded-log.fixture.ts";
import { followSources } from "../follow-sources.ts";
import { type Follow, followSource } from "./follow-source.ts";
import { beginSync, readSync } from "./record.ts";
import { Shop } from "./sync.fixture.ts";

const start = Date.UTC(2026, 0, 31, 9, 30);
const minute = 60_000;

/** Instances that follow one source, each with its own connection to one store, under one clock. */
async function following(t: TestContext, engine: (typeof usualEngines)[number], changes: Partial<Follow> = {}) {
  const store = await publishingStore(t, engine);
  const beside = await store.beside();
  const shop = await Shop.open();
  const clock = { time: start };
  const log = new RecordedLog();
  // Mocked once, because nested mocks are not undone in order, and other tests of this process need real random
  // numbers.
  let drawn = 0;
  t.mock.method(Math, "random", () => drawn);
  const begin = async (db = store.db, random = 0, others: Partial<Follow> = {}) => {
    drawn = random;
    const publisher = publisherOf(db, { now: () => clock.time, actor: "system" });
    await loadStarter(publisher);
    const freshness = new SourceFreshness("peer", shop.source.covers);
    const follow = { source: shop.source, every: 15 * minute, staleAfter: 60 * minute, log, ...changes, ...others };
    const pull = await followSource(publisher, freshness, follow);
    const stopping = new AbortController();
    t.after(() => stopping.abort());
    const look = () => pull(stopping.signal);
    await look();
    return { look, stop: () => stopping.abort(), headers: () => freshness.headers };
  };
  t.after(() => shop.close());
  return { store, beside, shop, clock, log, begin };
}

const asOf = (time: number) => ["Duba-Catalogue-As-Of", new Date(time).toISOString()];
const stale = ["Duba-Catalogue-Stale", "true"];

for (const engine of usualEngines)
  suite(`following a source on ${engine.name}`, () => {
    test("each list follows its own source, and states the source's age", async (t) => {
      const { store, shop, clock } = await following(t, engine);
      await loadStarter(publisherOf(store.db, { now: () => clock.time, actor: "system" }));
      const other = await Shop.open();
      t.after(() => other.close());
      const follow = { every: 60_000, staleAfter: 3_600_000, log: silent };
      const catalogue = await openCatalogue({ db: store.db, now: () => clock.time });
      const pullDue = await followSources(catalogue, [
        { ...follow, source: { ...shop.source, name: "ebills", covers: ["data-bundles"] } },
        { ...follow, source: { ...other.source, name: "vtpass", covers: ["cable-products"] } },
      ]);
      shop.price("104", "110");
      shop.lists.products![0]!.price = "1";
      other.lists.products![0]!.name = "Another name";
      other.price("104", "999");
      const pull = async () => {
        await pullDue(new AbortController().signal);
        await catalogue.refresh();
      };
      await pull();
      const { snapshot } = catalogue.responses;
      assert.equal(itemIn(snapshot, "data-bundles", "MTNDATA 104")?.content.price, 11_000);
      const [first] = other.lists.products!;
      const product = itemIn(snapshot, "cable-products", `${first!.type} ${first!.code}`.toUpperCase());
      assert.equal(product?.content.name, "Another name");

      const freshnessOf = (list: "data-bundles" | "cable-products" | "data-providers") =>
        catalogue.freshness.find((each) => each.covers.includes(list))?.record();
      const began = new Date(clock.time).toISOString();
      other.vendor.behaviour = (response) => void response.socket!.destroy();
      clock.time += 2 * follow.staleAfter;
      await pull();
      const now = new Date(clock.time).toISOString();
      assert.deepEqual(freshnessOf("data-bundles"), { "Duba-Catalogue-As-Of": now });
      assert.deepEqual(freshnessOf("cable-products"), {
        "Duba-Catalogue-As-Of": began,
        "Duba-Catalogue-Stale": "true",
      });
      assert.equal(freshnessOf("data-providers"), undefined);
    });

    test("two instances pull once per period, and both know the age of the catalogue", async (t) => {
      const { beside, shop, clock, begin } = await following(t, engine);
      const one = await begin();
      const two = await begin(beside.db);
      const look = () => Promise.all([one.look(), two.look()]);
      assert.equal(shop.pulls, 1);
      for (let period = 1; period <= 3; period += 1) {
        clock.time = start + period * 15 * minute - 1;
        await look();
        assert.equal(shop.pulls, period);
        clock.time += 1;
        await look();
        assert.equal(shop.pulls, period + 1);
        await look();
        assert.deepEqual(one.headers(), asOf(clock.time));
        assert.deepEqual(two.headers(), asOf(clock.time));
      }
    });

    test("a source that wants few pulls is pulled at most once a day, and is not stale after a day", async (t) => {
      const { shop, clock, begin } = await following(t, engine);
      const slow = { ...shop.source, name: "baxi" };
      const one = await begin(undefined, 0, { source: slow });
      clock.time = start + 1440 * minute - 1;
      await one.look();
      assert.equal(shop.pulls, 1);
      assert.deepEqual(one.headers(), asOf(start));
      clock.time += 1;
      await one.look();
      assert.equal(shop.pulls, 2);
    });

    test("a pull is delayed by a random part of up to a tenth of the period", async (t) => {
      const { shop, clock, begin } = await following(t, engine);
      const one = await begin(undefined, 0.5);
      clock.time = start + 15.75 * minute - 1;
      await one.look();
      assert.equal(shop.pulls, 1);
      clock.time += 1;
      await one.look();
      assert.equal(shop.pulls, 2);
    });

    test("if a source fails for over an hour, the last good catalogue is stale until a complete pull", async (t) => {
      const { shop, clock, log, begin } = await following(t, engine);
      const one = await begin();
      assert.deepEqual(one.headers(), asOf(start));
      const usual = shop.vendor.behaviour;
      shop.vendor.behaviour = (response) => void response.socket!.destroy();
      for (const minutes of [15, 30, 45, 60]) {
        clock.time = start + minutes * minute;
        await one.look();
        assert.deepEqual(one.headers(), asOf(start));
      }
      clock.time += 1;
      await one.look();
      assert.deepEqual(one.headers(), [...asOf(start), ...stale]);
      assert.deepEqual(
        log.lines.map(({ fields: { source, result } }) => [source, result]),
        Array(4).fill(["peer", "unreachable"]),
      );
      shop.vendor.behaviour = usual;
      clock.time += 15 * minute;
      await one.look();
      assert.deepEqual(one.headers(), asOf(clock.time));
    });

    test("a list has the age that its source states, and is stale if the source calls it stale", async (t) => {
      const { beside, shop, clock, begin } = await following(t, engine);
      shop.headers = { "Duba-Catalogue-As-Of": new Date(start - 5 * minute).toISOString() };
      const one = await begin();
      const two = await begin(beside.db);
      for (const { headers } of [one, two]) assert.deepEqual(headers(), asOf(start - 5 * minute));
      shop.headers["Duba-Catalogue-Stale"] = "true";
      clock.time += 15 * minute;
      await Promise.all([one.look(), two.look()]);
      await Promise.all([one.look(), two.look()]);
      for (const { headers } of [one, two]) assert.deepEqual(headers(), [...asOf(start - 5 * minute), ...stale]);
      shop.headers = {};
      clock.time += 15 * minute;
      await one.look();
      assert.deepEqual(one.headers(), asOf(clock.time));
      // A source whose clock is ahead cannot make its lists younger than the pull.
      shop.headers = { "Duba-Catalogue-As-Of": "2099-01-31T09:30:00.000Z" };
      clock.time += 15 * minute;
      await one.look();
      assert.deepEqual(one.headers(), asOf(clock.time));
    });

    test("a source that asks for a pause gets no request until the pause ends, from any instance", async (t) => {
      const { beside, shop, clock, log, begin } = await following(t, engine);
      const one = await begin();
      const two = await begin(beside.db);
      const look = () => Promise.all([one.look(), two.look()]);
      const usual = shop.vendor.behaviour;
      shop.vendor.behaviour = (response) => void response.writeHead(503, { "Retry-After": "3600" }).end();
      clock.time += 15 * minute;
      const begun = clock.time;
      await look();
      assert.equal(log.lines[0]?.fields.result, "unreachable");
      shop.vendor.behaviour = usual;
      for (const minutes of [15, 45, 59.9]) {
        clock.time = begun + minutes * minute;
        await look();
        assert.equal(shop.pulls, 1);
      }
      clock.time = begun + 60 * minute;
      await look();
      assert.equal(shop.pulls, 2);
      clock.time += 15 * minute;
      await look();
      assert.equal(shop.pulls, 3);
    });

    test("a process that starts later knows the age of the catalogue at once", async (t) => {
      const { beside, clock, begin } = await following(t, engine);
      await begin();
      clock.time += 61 * minute;
      const publisher = publisherOf(beside.db, { now: () => clock.time });
      const never = { name: "peer", covers: [], pull: () => new Promise<never>(() => {}) };
      const freshness = new SourceFreshness("peer", []);
      const log = new RecordedLog();
      const follow = { source: never, every: 24 * 60 * minute, staleAfter: 60 * minute, log };
      await followSource(publisher, freshness, follow);
      assert.deepEqual(freshness.headers, [...asOf(start), ...stale]);
    });

    test("before the first successful pull, a source has no time and its lists are stale", async (t) => {
      const { shop, begin } = await following(t, engine);
      shop.vendor.behaviour = (response) => void response.socket!.destroy();
      assert.deepEqual((await begin()).headers(), stale);
    });

    test("the catalogue becomes stale if the store is away for long", async (t) => {
      const { beside, clock, begin } = await following(t, engine);
      const one = await begin(beside.db);
      await beside.close();
      await assert.rejects(one.look());
      assert.deepEqual(one.headers(), asOf(start));
      clock.time += 60 * minute + 1;
      await assert.rejects(one.look());
      assert.deepEqual(one.headers(), [...asOf(start), ...stale]);
    });

    test("if a process dies during a pull, another process pulls when the next one is due", async (t) => {
      const { store, shop, clock, begin } = await following(t, engine);
      const one = await begin();
      clock.time += 15 * minute;
      await beginSync(store.db, "peer", await readSync(store.db, "peer"), clock.time);
      await one.look();
      assert.equal(shop.pulls, 1);
      clock.time += 15 * minute;
      await one.look();
      assert.equal(shop.pulls, 2);
    });

    test("a clock that is set back far stops no pull", async (t) => {
      const { shop, clock, begin } = await following(t, engine);
      const one = await begin();
      clock.time -= 24 * 60 * minute;
      await one.look();
      assert.equal(shop.pulls, 2);
    });

    test("a stop aborts a pull, which then changes nothing", async (t) => {
      const { store, shop, clock, log, begin } = await following(t, engine);
      const one = await begin();
      const before = shop.vendor.received.length;
      shop.vendor.behaviour = () => {};
      clock.time += 15 * minute;
      const looking = one.look();
      await shop.vendor.asked(before + 1);
      one.stop();
      await looking;
      assert.equal((await readSync(store.db, "peer"))?.succeeded_at, start);
      assert.deepEqual(log.lines, []);
    });
  });
