import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { type Engine, usualEngines } from "../../../test/support/engines.ts";
import { silent } from "../../runtime/log.ts";
import type { CatalogueLists, Pulled } from "../../upstreams/ports/catalogue-source.ts";
import { freshStore } from "../catalogue.fixture.ts";
import { openCatalogue } from "../catalogue.ts";
import { Mapping } from "../mapping/mapping.ts";
import { itemIn } from "../model/snapshot.ts";
import { approve } from "../revisions/decide.ts";
import { loadStarter } from "../starter.ts";
import { compareOffer } from "./compare-sources.ts";
import { type ComparedSource, offerOf, type SyncSource } from "./offer.ts";
import { beginSync, readSync } from "./record.ts";
import { Shop } from "./sync.fixture.ts";
import { syncFrom } from "./sync.ts";

const never = new AbortController().signal;

type Bundle = CatalogueLists["data-bundles"][number];

const bundle = (code: string, description: string, price: string, [value = "", duration = ""] = [""]): Bundle => ({
  ...{ type: "MTNDATA", code, description, amount: price, price, value, duration },
});

/** A source of data bundles in a vendor's place. */
const selling = (name: string, bundles: readonly Bundle[]): SyncSource => ({
  name,
  covers: ["data-bundles"],
  pull: async () => ({ kind: "whole", lists: { "data-bundles": [...bundles] }, leftOut: [] }),
});

const to = (source: SyncSource, holds = false): ComparedSource => ({ source, difference: { part: 0.2, holds } });

async function compared(ours: readonly Bundle[], ...others: ComparedSource[]) {
  const offer = await offerOf(selling("ebills", ours), never);
  assert.ok(!("kind" in offer));
  return compareOffer(offer.lists, others, new Mapping(), never);
}

test("entries are compared by code, else by name, else by size and validity within a class; what is alike twice is not compared", async () => {
  const ours = [
    bundle("104", "Same code", "120"),
    bundle("1", "MTN SME 1GB", "251", ["1GB", "30 days"]),
    bundle("2", "MTN Gifting 1GB", "350", ["1GB", "30 days"]),
    bundle("3", "Weekend", "100"),
    bundle("4", "2GB", "700", ["2GB", "7 days"]),
    bundle("5", "No other has it", "700", ["9GB", "7 days"]),
  ];
  const theirs = [
    bundle("104", "Other words", "100"),
    bundle("a", "SME Data 1 GB", "200", ["1GB", "1 month"]),
    bundle("b", "1GB (Gifting)", "350", ["1GB", "30 days"]),
    bundle("c", "N100 Weekend", "130"),
    bundle("d", "2GB Daily", "300", ["2GB", "7 days"]),
    bundle("e", "2GB Nightly", "900", ["2GB", "7 days"]),
  ];
  const { sentences, held } = await compared(ours, to(selling("vtpass", theirs)));
  assert.deepEqual(sentences, [
    "data-bundles, MTNDATA 1: the price is 251, and 200 for MTNDATA a at vtpass, which is 25.5 % apart.",
    "data-bundles, MTNDATA 3: the price is 100, and 130 for MTNDATA c at vtpass, which is 23.1 % apart.",
    "data-bundles, MTNDATA 5: vtpass has nothing like it.",
    "1 of data-bundles look like several entries of vtpass: not compared.",
  ]);
  assert.equal(held.size, 0);
  const holding = await compared(ours, to(selling("vtpass", theirs), true));
  assert.deepEqual([...holding.held.keys()].length, 3);
});

test("what a person mapped counts before what an entry looks like", async () => {
  const ours = [bundle("104", "1GB", "100", ["1GB", "30 days"])];
  const theirs = [
    bundle("a", "1GB", "500", ["1GB", "30 days"]),
    bundle("b", "Nothing like it", "102", ["9GB", "1 day"]),
  ];
  const row = { source: "vtpass", list: "data-bundles", code: "MTNDATA B", own: "104", is_new: 0 } as const;
  const decided = {
    ...row,
    about: "",
    why: "",
    looks: null,
    seen: null,
    state: "approved",
    decided_by: "ops",
    decided_at: 1,
  } as const;
  const offer = await offerOf(selling("ebills", ours), never);
  assert.ok(!("kind" in offer));
  const apart = async (mapping: Mapping) =>
    (await compareOffer(offer.lists, [to(selling("vtpass", theirs))], mapping, never)).sentences;
  assert.match((await apart(new Mapping()))[0]!, /500 for MTNDATA a at vtpass/);
  assert.deepEqual(await apart(new Mapping([decided], new Map([["data-bundles", "own"]]))), []);
});

test("a source to compare with that gives nothing is told, and holds nothing", async () => {
  const pull = async (): Promise<Pulled> => ({ kind: "unreachable", sentence: "It is away." });
  const away = { ...selling("vtpass", []), pull };
  const { sentences, held } = await compared([bundle("104", "100MB", "100")], to(away, true));
  assert.deepEqual([sentences, held.size], [["Not compared with vtpass: It is away."], 0]);
});

async function opened(t: TestContext, engine: Engine) {
  const { db, publisher: publisherOf } = await freshStore(engine, t);
  const shop = await Shop.open();
  t.after(() => shop.close());
  const clock = { time: Date.UTC(2026, 0, 31, 9, 30) };
  const publisher = publisherOf({ now: () => clock.time, actor: "system" });
  await loadStarter(publisher);
  return { db, shop, clock, publisher };
}

for (const engine of usualEngines)
  suite(`comparing sources on ${engine.name}`, () => {
    test("a price that is far from the other source's is told, and with hold waits; other changes go on", async (t) => {
      const { db, shop, clock, publisher } = await opened(t, engine);
      const other = selling("vtpass", [bundle("104", "50MB", "100"), bundle("113", "150MB", "200")]);
      const source = { ...shop.source, covers: ["data-bundles"] as const };
      const pull = async (holds: boolean) => {
        clock.time += 60_000;
        const begun = await beginSync(db, source.name, await readSync(db, source.name), clock.time);
        const followed = { ...source, compared: [to(other, holds)] };
        return syncFrom(publisher, followed, begun!, { author: "system", again: false, signal: never });
      };
      const priceOf = async (key: string) => itemIn(await publisher.latest(), "data-bundles", key)?.content.price;
      const farApart =
        "data-bundles, MTNDATA 104: the price is 130, and 100 for MTNDATA 104 at vtpass, which is 30 % apart.";

      shop.price("104", "130");
      const told = await pull(false);
      assert.equal(told.record.result, "published");
      assert.ok(told.sentences.includes(farApart), told.sentences.join("\n"));
      // What is far apart already holds nothing but another price.
      shop.price("113", "210");
      shop.lists.bundles!.find(({ code }) => code === "104")!.description = "50MB a day";
      assert.equal((await pull(true)).record.result, "published");
      assert.deepEqual([await priceOf("MTNDATA 104"), await priceOf("MTNDATA 113")], [13_000, 21_000]);
      shop.price("113", "250");
      const held = await pull(true);
      assert.equal(held.record.result, "held");
      assert.equal((await pull(true)).record.draft, held.record.draft);
      assert.equal(await priceOf("MTNDATA 113"), 21_000);
      await approve(publisher, held.record.draft!, "ops");
      assert.equal((await pull(true)).record.result, "unchanged");
      assert.equal(await priceOf("MTNDATA 113"), 25_000);
    });

    test("each list follows its own source, and says how old that is", async (t) => {
      const { db, shop, clock } = await opened(t, engine);
      const other = await Shop.open();
      t.after(() => other.close());
      const follow = { every: 60_000, staleAfter: 3_600_000, log: silent };
      const catalogue = await openCatalogue({
        db,
        now: () => clock.time,
        follows: [
          { ...follow, source: { ...shop.source, name: "ebills", covers: ["data-bundles"] } },
          { ...follow, source: { ...other.source, name: "vtpass", covers: ["cable-products"] } },
        ],
      });
      shop.price("104", "110");
      shop.lists.products![0]!.price = "1";
      other.lists.products![0]!.name = "Another name";
      other.price("104", "999");
      const pull = async () => {
        await catalogue.pull(never);
        await catalogue.refresh();
      };
      await pull();
      const { snapshot } = catalogue.responses;
      assert.equal(itemIn(snapshot, "data-bundles", "MTNDATA 104")?.content.price, 11_000);
      const [first] = other.lists.products!;
      const product = itemIn(snapshot, "cable-products", `${first!.type} ${first!.code}`.toUpperCase());
      assert.equal(product?.content.name, "Another name");

      const freshnessOf = (list: "data-bundles" | "cable-products" | "data-providers") =>
        catalogue.freshness.find((each) => each.covers(list))?.record();
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
  });
