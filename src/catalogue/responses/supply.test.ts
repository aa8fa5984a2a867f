import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { listCatalogueChanges } from "../../features/change-feed/listCatalogueChanges.ts";
import { Mapping } from "../../features/sources/mapping/mapping.ts";
import { offerOf } from "../../features/sources/sync/offer.ts";
import { planOf, takingFrom } from "../../features/sources/sync/sync.ts";
import type { Pull } from "../../features/sources/vendors/catalogue-source.ts";
import type { EntrySupply, SourceEntryOf } from "../../lists/index.ts";
import { headerOf, looseGuard, pickFrom, plainForm, publishingStore, publishTo, textOf } from "../catalogue.fixture.ts";
import { type OpenCatalogue, openCatalogue } from "../catalogue.ts";
import { type WantedList, withLists } from "../document/replace-lists.ts";
import { wireValuesOf } from "../files/json.ts";
import { inOrder, itemIn, type Snapshot } from "../model/snapshot.ts";
import type { Teller } from "../model/supply.ts";
import { fetchCablePlans } from "../operations/fetchCablePlans.ts";
import { fetchTvAddOns } from "../operations/fetchTvAddOns.ts";
import { listCorporateBundles } from "../operations/listCorporateBundles.ts";
import { lookupDataBundles } from "../operations/lookupDataBundles.ts";
import type { Plan } from "../revisions/review.ts";

const about = { author: "ops", source: "test", note: "" };
const start = Date.UTC(2026, 0, 31, 9, 30);
const told: Teller = { at: start, by: "ebills" };

/** A plan that imports every list of goods unchanged, with these facts for some entries. */
function telling(facts: Record<string, Record<string, string | number>>, by = told): Plan {
  return (base: Snapshot) =>
    withLists(
      base,
      (["data-bundles", "corporate-bundles", "cable-products", "cable-add-ons"] as const).map(
        (list): WantedList => ({
          list,
          told: by,
          entries: Array.from(inOrder(base, list), ({ key, content }) => ({
            content: { ...content, ...facts[key] },
            place: "",
          })),
        }),
      ),
    );
}

const ask = async (catalogue: OpenCatalogue, after?: string) => {
  const call = { input: { ...(after && { after }) }, headers: {}, caller: null, requestId: "t", address: "127.0.0.1" };
  const { answer } = (await listCatalogueChanges.run!(call, catalogue)) as {
    answer: { data: Listed[]; next: string };
  };
  return answer;
};
type Listed = { change: string; old: unknown; new: unknown };

const everyAnswer = (catalogue: OpenCatalogue) => [
  pickFrom(catalogue, lookupDataBundles),
  pickFrom(catalogue, lookupDataBundles, { provider: "MTNDATA" }),
  pickFrom(catalogue, listCorporateBundles, {}, "acc_1"),
  pickFrom(catalogue, fetchCablePlans, { type: "dstv" }),
  pickFrom(catalogue, fetchTvAddOns, { type: "dstv", productCode: "PRWE36" }),
];

for (const engine of usualEngines)
  suite(`the supply of entries on ${engine.name}`, { concurrency: true }, () => {
    test("a cost changes no answer, validator, time, feed or event of a caller", async (t) => {
      const store = await publishingStore(t, engine);
      const catalogue = await openCatalogue({ db: store.db, now: () => start });
      const seen = () =>
        everyAnswer(catalogue).map((response) => [
          response.etag,
          response.modifiedAt,
          headerOf(plainForm(response), "Duba-Catalogue-Revision"),
          textOf(response),
        ]);
      const [before, { next }] = [seen(), await ask(catalogue)];
      const cost = { cost: 4_321 };
      const outcome = await publishTo(
        catalogue,
        telling({ "MTNDATA 104": cost, CORPORATE_DATA_50MB: cost, "DSTV PRWE36": cost, "DSTV PRWE36 HDPVRE36": cost }),
        about,
      );
      assert.deepEqual([outcome.state, "changes" in outcome && outcome.changes.length], ["published", 4]);
      assert.equal(itemIn(catalogue.responses.snapshot, "data-bundles", "MTNDATA 104")!.content.cost, 4_321);
      assert.deepEqual(seen(), before);
      assert.ok(!JSON.stringify(seen()).includes("43.21"));
      assert.deepEqual((await ask(catalogue, next)).data, []);
      assert.deepEqual(await store.db.selectFrom("event").select("about").where("about", "=", "2").execute(), []);
    });

    test("an unavailable entry leaves lists and feed, stays in the catalogue, and comes back", async (t) => {
      const store = await publishingStore(t, engine);
      const clock = { time: start };
      const catalogue = await openCatalogue({ db: store.db, now: () => clock.time });
      const [before, { next }] = [everyAnswer(catalogue).map(textOf), await ask(catalogue)];
      const codes = ["MTNDATA 104", "CORPORATE_DATA_50MB", "DSTV PRWE36", "DSTV PRWE36 HDPVRE36"];
      const all = (available: number) => Object.fromEntries(codes.map((code) => [code, { available }]));
      clock.time += 60_000;
      assert.equal((await publishTo(catalogue, telling(all(0)), about)).state, "published");
      const gone = ['"104"', "corporate_data_50mb", '"PRWE36"', "HDPVRE36"];
      const [every, mtn, corporate, plans, addOns] = everyAnswer(catalogue).map(textOf);
      for (const [at, text] of [mtn!, corporate!, plans!, addOns!].entries())
        assert.ok(!text.includes(gone[at]!), gone[at]!);
      assert.ok(!every!.includes('"type":"MTNDATA","code":"104"'));
      assert.equal(everyAnswer(catalogue)[1]!.modifiedAt, clock.time);
      const left = await ask(catalogue, next);
      assert.deepEqual(
        left.data.map((it) => [it.change, it.new]),
        [
          ["removed", null],
          ["removed", null],
          ["removed", null],
        ],
      );
      assert.deepEqual(
        await store.db
          .selectFrom("catalogue_revision")
          .select(["modified", "removed"])
          .where("number", "=", 2)
          .execute(),
        [{ modified: 4, removed: 0 }],
      );

      clock.time += 60_000;
      await publishTo(catalogue, telling(all(1), { at: clock.time, by: "ops" }), about);
      assert.deepEqual(
        everyAnswer(catalogue).map(textOf),
        before.map((text) => text.replace(/"date":"[^"]*"/, `"date":"${new Date(clock.time).toISOString()}"`)),
      );
      assert.deepEqual(
        (await ask(catalogue, left.next)).data.map((it) => [it.change, it.old]),
        [
          ["added", null],
          ["added", null],
          ["added", null],
        ],
      );
      const { content } = itemIn(catalogue.responses.snapshot, "data-bundles", "MTNDATA 104")!;
      assert.deepEqual([content.available, content.available_since, content.available_by], [1, clock.time, "ops"]);
    });

    test("the guard holds a change that leaves a list with nothing available, in one step or in several", async (t) => {
      const store = await publishingStore(t, engine);
      const catalogue = await openCatalogue({ db: store.db, now: () => start });
      const keysOf = (list: "data-bundles" | "cable-add-ons" | "corporate-bundles", begin = "") =>
        [...inOrder(catalogue.responses.snapshot, list)].map(({ key }) => key).filter((key) => key.startsWith(begin));
      const none = (keys: string[]) => telling(Object.fromEntries(keys.map((key) => [key, { available: 0 }])));
      const [first, ...others] = keysOf("data-bundles", "GLODATA");
      assert.equal((await publishTo(catalogue, none(others), about)).state, "published");
      const reasons = async (keys: string[]) => {
        const outcome = await publishTo(catalogue, none(keys), about);
        return outcome.state === "held" ? outcome.reasons : outcome.state;
      };
      assert.deepEqual(await reasons([first!]), ["GLODATA has nothing available in data-bundles."]);
      assert.deepEqual(await reasons(keysOf("corporate-bundles")), ["Nothing is available in corporate-bundles."]);
      assert.deepEqual(await reasons(keysOf("cable-add-ons")), ["Nothing is available in cable-add-ons."]);
      assert.equal(await reasons(keysOf("data-bundles", "MTNDATA").slice(1)), "published");
    });

    test("a pull takes costs and availability from its source, and leaves unreadable values unchanged", async (t) => {
      const store = await publishingStore(t, engine);
      const catalogue = await openCatalogue({ db: store.db, now: () => start });
      const rows = [...inOrder(catalogue.responses.snapshot, "data-bundles")].map(({ content }) => ({
        ...(wireValuesOf("data-bundles", content) as SourceEntryOf<"data-bundles">),
        cost: "90.50",
        available: content.code !== "104",
      }));
      const pulled = async (given: (SourceEntryOf<"data-bundles"> & EntrySupply)[]) => {
        const pull: Pull = async () => ({ kind: "whole", lists: { "data-bundles": given }, leftOut: [] });
        const offer = await offerOf({ name: "ebills", covers: ["data-bundles"], pull }, new AbortController().signal);
        assert.ok("lists" in offer);
        const { state } = await publishTo(catalogue, planOf(takingFrom(offer, told.by, new Mapping()), told), about, {
          guard: looseGuard,
        });
        const { cost, available, available_by } = itemIn(
          catalogue.responses.snapshot,
          "data-bundles",
          "MTNDATA 104",
        )!.content;
        return [state, cost, available, available_by];
      };
      assert.equal((await pulled(rows.map(({ cost: _, ...row }) => row)))[2], 0);
      const cheap = rows.map((row) => ({ ...row, cost: Number(row.price) > 90.5 ? row.cost : "1" }));
      assert.deepEqual(await pulled(cheap), ["published", 9_050, 0, "ebills"]);
      assert.deepEqual(await pulled(cheap.map((row) => (row.code === "104" ? { ...row, cost: "?" } : row))), [
        "unchanged",
        9_050,
        0,
        "ebills",
      ]);
      assert.deepEqual(await pulled(cheap.map(({ cost: _, available: __, ...row }) => row)), [
        "unchanged",
        9_050,
        0,
        "ebills",
      ]);
    });

    test("a cost keeps its time and source until the cost changes, even if an import lacks its column", async (t) => {
      const store = await publishingStore(t, engine);
      const catalogue = await openCatalogue({ db: store.db, now: () => start });
      const facts = async (given: Record<string, string | number>, by: Teller) => {
        await publishTo(catalogue, telling({ "MTNDATA 104": given }, by), about);
        const { cost, cost_since, cost_by, available, available_since, available_by } = itemIn(
          catalogue.responses.snapshot,
          "data-bundles",
          "MTNDATA 104",
        )!.content;
        return [
          [cost, cost_since, cost_by],
          [available, available_since, available_by],
        ];
      };
      const [one, two] = [
        { at: start, by: "ebills" },
        { at: start + 5, by: "ada" },
      ];
      const none = [undefined, undefined, undefined];
      assert.deepEqual(await facts({ cost: 9_000, available: 1 }, one), [
        [9_000, start, "ebills"],
        [1, start, "ebills"],
      ]);
      assert.deepEqual(await facts({ cost: 9_000 }, two), [
        [9_000, start, "ebills"],
        [1, start, "ebills"],
      ]);
      assert.deepEqual(await facts({ cost: 9_100 }, two), [
        [9_100, start + 5, "ada"],
        [1, start, "ebills"],
      ]);
      assert.deepEqual(await facts({ cost: "" }, two), [none, [1, start, "ebills"]]);
    });
  });
