import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { type Engine, engines, usualEngines } from "../../../../test/support/engines.ts";
import { priced, publishingStore } from "../../../catalogue/catalogue.fixture.ts";
import { threeWay } from "../../../catalogue/document/three-way.ts";
import { itemIn } from "../../../catalogue/model/snapshot.ts";
import { approve, reject } from "../../../catalogue/revisions/decide.ts";
import { findDraft, listWaiting } from "../../../catalogue/revisions/draft.ts";
import { draftDocuments, listRevisions, newestSnapshot } from "../../../catalogue/revisions/load.ts";
import { publish } from "../../../catalogue/revisions/publish.ts";
import { loadStarter } from "../../../catalogue/starter.ts";
import { type Behaviour, json, text } from "../../../vendors/local-vendor.fixture.ts";
import { beginSync, endSync, readSync, type SyncResult } from "./record.ts";
import { Shop } from "./sync.fixture.ts";
import { type SyncOptions, syncFrom } from "./sync.ts";

const start = Date.UTC(2026, 0, 31, 9, 30);
const ops = { author: "ops", source: "test", note: "" };

/** A store with the starter catalogue under a clock, and a source that sells the starter catalogue. */
async function opened(t: TestContext, engine: Engine) {
  const store = await publishingStore(t, engine);
  const shop = await Shop.open();
  t.after(() => shop.close());
  const clock = { time: start };
  const publisher = store.publisher({ now: () => clock.time, actor: "system" });
  await loadStarter(publisher);
  const { db } = store;
  /** A pull, a minute after the one before. */
  const pull = async (options: Partial<SyncOptions> = {}) => {
    clock.time += 60_000;
    const begun = await beginSync(db, shop.source.name, await readSync(db, shop.source.name), clock.time);
    assert.ok(begun);
    const signal = new AbortController().signal;
    const { record, sentences } = await syncFrom(publisher, shop.source, begun, {
      author: "system",
      again: false,
      signal,
      ...options,
    });
    assert.deepEqual(await readSync(db, shop.source.name), record);
    assert.equal(record.sentences, JSON.stringify(sentences));
    return { ...record, sentences };
  };
  const priceOf = async (key: string) => itemIn(await newestSnapshot(db), "data-bundles", key)?.content.price;
  const revisions = async () => (await listRevisions(db, 100)).map(({ source, author }) => `${source} by ${author}`);
  return { db, store, shop, clock, publisher, pull, priceOf, revisions };
}

const problems: Record<string, { behaviour: Behaviour; result: SyncResult; sentence: RegExp }> = {
  "half a page": {
    behaviour: (response) => {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "99" });
      response.write('{"success":true', () => response.socket!.destroy());
    },
    result: "unreachable",
    sentence: /^Asked for the products of startimes, it did not answer \(\w+\)\.$/,
  },
  "a wrong type": {
    behaviour: json(200, { success: true, plans: [{ price: 100 }] }),
    result: "unreadable",
    sentence: /^What it answered for the products of startimes has another shape\.$/,
  },
  HTML: {
    behaviour: text(200, "text/html", "<p>Come again</p>"),
    result: "unreadable",
    sentence: /^What it answered for the products of startimes is no JSON\.$/,
  },
  "a redirect loop": {
    behaviour: (response, { path }) => void response.writeHead(302, { Location: path }).end(),
    result: "unreadable",
    sentence: /^Asked for the products of startimes, it pointed elsewhere \(302\)\.$/,
  },
  "200 MB": {
    behaviour(response) {
      response.writeHead(200, { "Content-Type": "application/json" });
      const piece = Buffer.alloc(1024 * 1024, '"100",');
      const send = () => {
        while (!response.destroyed) if (!response.write(piece)) return void response.once("drain", send);
      };
      send();
    },
    result: "unreadable",
    sentence: /^What it answered for the products of startimes is too large\.$/,
  },
  "no answer": {
    behaviour: () => {},
    result: "unreachable",
    sentence: /^Asked for the products of startimes, it did not answer \(timed_out\)\.$/,
  },
  "no place for our credentials": {
    behaviour: json(401, { success: false }),
    result: "refused_credentials",
    sentence: /^Asked for the products of startimes, it answered 401\.$/,
  },
  "a missing list": {
    behaviour: json(404, { success: false }),
    result: "incomplete",
    sentence: /^Asked for the products of startimes, it answered 404\.$/,
  },
};

for (const engine of usualEngines)
  suite(`pulls on ${engine.name}`, () => {
    test("a pull becomes one revision, and an equal pull changes nothing", async (t) => {
      const { shop, pull, priceOf, revisions } = await opened(t, engine);
      assert.equal((await pull()).result, "unchanged");
      shop.price("104", "110");
      shop.lists.corporate!.push({ code: "corporate_data_200gb", description: "200GB" });
      const taken = await pull();
      assert.deepEqual([taken.result, taken.succeeded_at, taken.sentences], ["published", taken.begun_at, []]);
      assert.equal(await priceOf("MTNDATA 104"), 11_000);
      assert.deepEqual(await revisions(), ["peer by system", "starter by system"]);
      const again = await pull();
      assert.deepEqual([again.result, again.succeeded_at, again.content], ["unchanged", again.begun_at, taken.content]);
      assert.equal((await revisions()).length, 2);
    });

    test("an incomplete or failed pull changes nothing, and the report says why", async (t) => {
      const { db, shop, pull, publisher } = await opened(t, engine);
      const { succeeded_at, content } = await pull();
      const before = await publisher.latest();
      for (const row of shop.lists.bundles!) row.price = "99";
      const usual = shop.vendor.behaviour;
      for (const [what, { behaviour, result, sentence }] of Object.entries(problems)) {
        shop.vendor.behaviour = (response, received) =>
          (received.path.endsWith("fetch-billers?type=startimes") ? behaviour : usual)(response, received);
        const record = await pull();
        assert.equal(record.result, result, what);
        assert.equal(record.sentences.length, 1);
        assert.match(record.sentences[0]!, sentence);
        assert.deepEqual([record.succeeded_at, record.content], [succeeded_at, content]);
      }
      assert.equal(await publisher.latest(), before);
      const drafts = await db.selectFrom("catalogue_draft").select("state").execute();
      assert.deepEqual(drafts, [{ state: "published" }]);
    });

    test("a pull names and leaves out an entry that fits no list, and serves all other entries", async (t) => {
      const { shop, pull, priceOf } = await opened(t, engine);
      assert.equal((await pull()).result, "unchanged");
      const [first] = shop.lists.bundles!;
      shop.price("113", "210");
      shop.lists.bundles!.push({ ...first!, code: "new", price: "1e3" }, { ...first!, price: "99" });
      const taken = await pull();
      assert.equal(taken.result, "published");
      assert.deepEqual(taken.sentences, [
        "data-bundles, MTNDATA 104: listed again, so only the first is kept.",
        "data-bundles, MTNDATA new: its price cannot be used; left out.",
      ]);
      assert.deepEqual([await priceOf("MTNDATA 104"), await priceOf("MTNDATA 113")], [10_000, 21_000]);
      for (let count = 0; count < 500; count++) shop.lists.products!.push({ ...shop.lists.products![0]! });
      assert.equal((await pull()).sentences.at(-1), "And 482 more of this kind.");
    });

    test("a known price that cannot be read stays as it was, until it can be read again", async (t) => {
      const { shop, pull, priceOf } = await opened(t, engine);
      shop.price("104", "");
      const kept = await pull();
      assert.deepEqual([kept.result, kept.succeeded_at], ["unchanged", kept.begun_at]);
      assert.deepEqual(kept.sentences, [
        "data-bundles, MTNDATA 104: its price cannot be used; its last good entry stays.",
      ]);
      assert.equal(await priceOf("MTNDATA 104"), 10_000);
      shop.price("104", "110");
      assert.equal((await pull()).result, "published");
      assert.equal(await priceOf("MTNDATA 104"), 11_000);
    });

    test("a pull keeps our spelling of sizes, decodes HTML entities, and keeps missing members", async (t) => {
      const { shop, pull, publisher } = await opened(t, engine);
      const bundle = shop.lists.bundles!.find(({ code }) => code === "104")!;
      const textsOf = async () => {
        const { description, value, duration } = itemIn(
          await publisher.latest(),
          "data-bundles",
          "MTNDATA 104",
        )!.content;
        return [description, value, duration];
      };
      assert.deepEqual(await textsOf(), ["50MB 24Hrs", "50MB", "24Hrs"]);
      Object.assign(bundle, { value: "50.0 MB", duration: "1 Day" });
      assert.equal((await pull()).result, "unchanged");
      delete bundle.value;
      delete bundle.duration;
      bundle.price = "101";
      assert.equal((await pull()).result, "published");
      assert.deepEqual(await textsOf(), ["50MB 24Hrs", "50MB", "24Hrs"]);
      Object.assign(bundle, { description: "Joy &amp;&nbsp;Fun &#8211; Night", value: "60.0 MB" });
      assert.equal((await pull()).result, "published");
      assert.deepEqual(await textsOf(), ["Joy & Fun – Night", "60MB", ""]);
      shop.lists.bundles!.push({ ...bundle, code: "new", value: "55.50 mb", duration: "Weekly" });
      assert.equal((await pull()).result, "published");
      const added = itemIn(await publisher.latest(), "data-bundles", "MTNDATA NEW")!.content;
      assert.deepEqual([added.value, added.duration], ["55.5MB", "Weekly"]);
    });

    test("a list that an older server lacks stays, and the other lists follow the server", async (t) => {
      const { shop, pull, priceOf, publisher } = await opened(t, engine);
      const usual = shop.vendor.behaviour;
      const noPath = json(404, { success: false, status: "failed", error: { code: "route_not_found" } });
      const without = (...paths: string[]) => {
        shop.vendor.behaviour = (response, received) =>
          (paths.some((path) => received.path.includes(path)) ? noPath : usual)(response, received);
      };
      without("corporate-data/list", "fetch-tv-add-ons");
      shop.price("104", "110");
      const taken = await pull();
      assert.deepEqual([taken.result, taken.succeeded_at], ["published", taken.begun_at]);
      assert.deepEqual(taken.sentences, [
        "corporate-bundles: the server does not have this list, so it stays as it is.",
        "cable-add-ons: the server does not have this list, so it stays as it is.",
      ]);
      assert.equal(await priceOf("MTNDATA 104"), 11_000);
      const { groups } = await publisher.latest();
      assert.equal(groups["corporate-bundles"].get("")?.length, 22);
      assert.equal(groups["cable-add-ons"].get("DSTV PRWE36")?.length, 5);
      without("/api/v2/");
      shop.vendor.behaviour = noPath;
      assert.notEqual((await pull()).result, "unchanged");
      without("fetch-providers", "corporate-data/list");
      const none = await pull();
      assert.equal(none.result, "incomplete");
      assert.match(none.sentences[0]!, /^It has no place for the cable providers\.$/);
    });

    test("far price moves of a source are held once, and served after the approval", async (t) => {
      const { db, shop, pull, priceOf, publisher } = await opened(t, engine);
      const { succeeded_at } = await pull();
      shop.price("104", "450");
      const held = await pull();
      assert.equal(held.result, "held");
      assert.equal(held.succeeded_at, succeeded_at);
      assert.equal(await priceOf("MTNDATA 104"), 10_000);
      const [waiting] = await listWaiting(db);
      assert.equal(waiting?.id, held.draft);
      assert.equal(waiting?.source, "peer");
      assert.match(waiting?.reasons ?? "", /MTNDATA 104: price ₦100 → ₦450 /);
      const again = await pull();
      assert.deepEqual([again.result, again.draft, again.succeeded_at], ["held", held.draft, succeeded_at]);
      assert.equal((await listWaiting(db)).length, 1);
      await approve(publisher, held.draft!, "ops");
      assert.equal(await priceOf("MTNDATA 104"), 45_000);
      const after = await pull();
      assert.deepEqual([after.result, after.succeeded_at, after.draft], ["unchanged", after.begun_at, null]);
    });

    test("text that a spreadsheet would run is held", async (t) => {
      const { db, shop, pull } = await opened(t, engine);
      shop.lists.bundles![0]!.description = "=1+1";
      assert.equal((await pull()).result, "held");
      const [waiting] = await listWaiting(db);
      assert.equal(waiting?.reasons, '["MTNDATA 104: description begins like a formula of a spreadsheet."]');
    });

    test("a list that shrinks pull after pull is held until a day has passed or somebody approves", async (t) => {
      const { db, shop, clock, pull, publisher } = await opened(t, engine);
      clock.time += 2 * 86_400_000;
      const lose = (count: number) => {
        shop.lists.bundles = shop.lists.bundles!.filter((_, at) => at % 2 === 1 || at >= 2 * count);
      };
      lose(15);
      assert.equal((await pull()).result, "published");
      lose(9);
      const held = await pull();
      assert.equal(held.result, "held");
      assert.deepEqual(JSON.parse((await findDraft(db, held.draft!)).reasons), [
        "24 of 79 entries of data-bundles are removed within a day: 30.4 %, above 30 %.",
      ]);
      assert.equal((await approve(publisher, held.draft!, "ops")).state, "published");
      lose(3);
      assert.equal((await pull()).result, "published");
      lose(15);
      assert.equal((await pull()).result, "held");
      clock.time += 86_400_000;
      shop.lists.bundles!.at(-1)!.description = "Other words";
      assert.equal((await pull()).result, "published");
    });

    test("a code that a source removes and later restores is compared with its last price", async (t) => {
      const { db, shop, clock, pull } = await opened(t, engine);
      const all = shop.lists.bundles!;
      shop.lists.bundles = all.filter(({ code }) => code !== "104");
      assert.equal((await pull()).result, "published");
      clock.time += 9 * 86_400_000;
      shop.lists.bundles = all;
      shop.price("104", "199");
      shop.lists.bundles!.find(({ code }) => code === "104")!.amount = "450";
      const held = await pull();
      assert.equal(held.result, "held");
      assert.deepEqual(JSON.parse((await findDraft(db, held.draft!)).reasons), [
        "MTNDATA 104, which comes back: amount ₦100 → ₦450 (+350 %), beyond the guard's factor of 2.",
      ]);
      shop.lists.bundles!.find(({ code }) => code === "104")!.amount = "100";
      assert.equal((await pull()).result, "published");
    });

    test("a held pull is dropped when the source changes, and a rejected pull is not held again", async (t) => {
      const { db, shop, pull, priceOf, publisher } = await opened(t, engine);
      shop.price("104", "450");
      const first = await pull();
      shop.price("104", "440");
      const second = await pull();
      assert.equal((await findDraft(db, first.draft!)).state, "rejected");
      assert.deepEqual(
        (await listWaiting(db)).map(({ id }) => id),
        [second.draft],
      );
      await reject(publisher, second.draft!, "ops");
      assert.equal((await pull()).result, "unchanged");
      assert.deepEqual(await listWaiting(db), []);
      shop.price("104", "430");
      const third = await pull();
      assert.equal(third.result, "held");
      shop.price("104", "120");
      assert.equal((await pull()).result, "published");
      assert.equal((await findDraft(db, third.draft!)).state, "rejected");
      assert.equal(await priceOf("MTNDATA 104"), 12_000);
    });

    test("a reverted pull stays reverted until the source changes or somebody pulls by hand", async (t) => {
      const { db, shop, pull, priceOf, publisher } = await opened(t, engine);
      shop.price("104", "110");
      shop.price("113", "210");
      assert.equal((await pull()).result, "published");
      const [revision] = await listRevisions(db, 1);
      const { before, after } = await draftDocuments(db, revision!.draft);
      await publish(publisher, async (base) => (await threeWay(after, before, base)).document, ops);
      assert.equal(await priceOf("MTNDATA 104"), 10_000);
      assert.equal((await pull()).result, "unchanged");
      assert.equal(await priceOf("MTNDATA 104"), 10_000);
      assert.equal((await pull({ again: true, author: "ops" })).result, "published");
      assert.equal(await priceOf("MTNDATA 104"), 11_000);
      await publish(publisher, priced("MTNDATA 104", 10_500), ops);
      shop.price("113", "215");
      assert.equal((await pull()).result, "published");
      assert.deepEqual([await priceOf("MTNDATA 104"), await priceOf("MTNDATA 113")], [11_000, 21_500]);
    });

    test("an error in a pull, ours or an adapter's, is noted and leaves the last good catalogue", async (t) => {
      const { db, shop, pull, publisher } = await opened(t, engine);
      const before = await publisher.latest();
      const problem = { ...shop.source, pull: () => Promise.reject(new TypeError("a problem")) };
      const begun = await beginSync(db, "peer", undefined, start);
      const signal = new AbortController().signal;
      const options = { author: "system", again: false, signal };
      await assert.rejects(syncFrom(publisher, problem, begun!, options), /a problem/);
      assert.equal((await readSync(db, "peer"))?.result, "failed");
      const forgetful = { ...shop.source, pull: async () => ({ kind: "whole" as const, lists: {}, leftOut: [] }) };
      const { record, sentences } = await syncFrom(publisher, forgetful, begun!, options);
      assert.deepEqual([record.result, sentences], ["incomplete", ["It gave no data-providers."]]);
      assert.equal(await publisher.latest(), before);
      assert.equal((await pull()).result, "unchanged");
    });
  });

for (const engine of engines)
  suite(`pulls of several processes on ${engine.name}`, () => {
    test("only one of several processes pulls at a time, and a pull that ends too late writes nothing", async (t) => {
      const { db } = await opened(t, engine);
      const begin = async (now: number) => {
        const last = await readSync(db, "peer");
        return Promise.all([1, 2, 3].map(() => beginSync(db, "peer", last, now)));
      };
      const [first, ...others] = (await begin(start)).filter((begun) => begun !== undefined);
      assert.deepEqual(others, []);
      const next = (await begin(start)).filter((begun) => begun !== undefined);
      assert.equal(next.length, 1);
      assert.equal(next[0]!.begun_at, start + 1);
      await endSync(db, { ...first!, ended_at: start + 9, result: "unchanged" });
      assert.equal((await readSync(db, "peer"))?.result, null);
    });
  });
