import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { engines } from "../../test/support/engines.ts";
import { publishingStore, starterRows } from "./catalogue.fixture.ts";
import { openCatalogue } from "./catalogue.ts";
import { withLists } from "./document/replace-lists.ts";
import { publish } from "./revisions/publish.ts";
import { loadStarter, neverFilled, readStarter } from "./starter.ts";

const directory = mkdtempSync(join(tmpdir(), "duba-starter-"));
after(() => rmSync(directory, { recursive: true }));

/** The shipped starter files, with the text of one of them changed. */
function changed(file: string, change: (text: string) => string): URL {
  cpSync(fileURLToPath(new URL("../../data/starter/", import.meta.url)), directory, { recursive: true });
  writeFileSync(join(directory, file), change(readFileSync(join(directory, file), "utf8")));
  return pathToFileURL(`${directory}/`);
}

test("the shipped starter catalogue is complete", async () => {
  const starter = await readStarter();
  assert.deepEqual(
    starter.map(({ list, entries }) => `${list} ${entries.length}`),
    [
      "data-providers 4",
      "data-bundles 79",
      "corporate-bundles 22",
      "cable-providers 3",
      "cable-products 35",
      "cable-add-ons 36",
    ],
  );
});

test("a cable package that is sold in two ways has one price in the starter catalogue", () => {
  const pricesOf = (file: string, member: string) =>
    new Map(starterRows(file).map((row) => [String(row[member]), Number(row.price)]));
  const [product, addOn] = [
    pricesOf("cable-products.json", "code"),
    pricesOf("cable-add-ons.json", "add_on_product_code"),
  ];
  assert.equal(product.get("PRWFRNSE36"), product.get("PRWE36")! + addOn.get("FRN15E36")!);
  assert.equal(product.get("ASIAE36"), addOn.get("ASIADDE36"));
  assert.equal(product.get("GWALLE36"), addOn.get("GWALLE36"));
});

test("exactly the known DStv products have add-ons, each add-on at one price", () => {
  const addOns = starterRows("cable-add-ons.json");
  const products = [...new Set(addOns.map(({ product_code }) => product_code))];
  const seen = ["NLTESE36", "NNJ1E36", "NNJ2E36", "COMPE36", "COMPLE36", "PRWE36", "PRWASIE36", "PRWFRNSE36"];
  assert.deepEqual(products, seen);
  const prices = new Set(addOns.map(({ add_on_product_code, price }) => `${add_on_product_code} ${price}`));
  assert.equal(prices.size, new Set(addOns.map(({ add_on_product_code }) => add_on_product_code)).size);
});

test("a bad starter entry stops the start with a sentence that names list and place", async () => {
  const bad = changed("data-bundles.json", (text) => text.replace('"price": "100"', '"price": 100'));
  await assert.rejects(readStarter(bad), {
    message: 'data-bundles, entry 1: price must be text such as "100", not a number.',
  });
});

test("a starter file that is not a list, or is not JSON, stops the start with a sentence", async () => {
  await assert.rejects(readStarter(changed("data-bundles.json", () => "{}")), {
    message: "data-bundles: must be an array of objects.",
  });
  await assert.rejects(readStarter(changed("data-bundles.json", () => "[")), {
    message: /^The starter file data-bundles.json cannot be read: /,
  });
});

for (const engine of engines)
  suite(`the starter catalogue on ${engine.name}`, () => {
    test("five processes that start together load the starter catalogue once, as revision 1", async (t) => {
      const store = await publishingStore(t, engine);
      const others = await Promise.all([1, 2, 3, 4].map(() => store.beside()));
      const catalogues = await Promise.all(
        [store, ...others].map(({ db }) => openCatalogue({ db, now: () => 1_800_000_000_000 })),
      );
      for (const catalogue of catalogues) {
        assert.equal(catalogue.state().revision, 1);
        assert.equal(catalogue.responses.snapshot.groups["data-providers"].get("")?.length, 4);
      }
      const revisions = await store.db.selectFrom("catalogue_revision").selectAll().execute();
      assert.equal(revisions.length, 1);
      const { created_at, author, source, note, added } = revisions[0]!;
      assert.deepEqual([created_at, author, source, added], [1_800_000_000_000, "system", "starter", 179]);
      assert.match(note, /historical samples/);
      assert.equal((await store.db.selectFrom("catalogue_document").select("revision").execute()).length, 1);
      const drafts = await store.db.selectFrom("catalogue_draft").select("state").execute();
      assert.deepEqual(drafts, [{ state: "published" }]);
    });

    test("a store older than a list gets no starter entries, but a note on how to fill the list", async (t) => {
      const store = await publishingStore(t, engine);
      const publisher = store.publisher();
      assert.deepEqual(neverFilled(await publisher.latest()), []);
      const older = (await readStarter()).filter(({ list }) => list !== "corporate-bundles");
      await publish(publisher, (base) => withLists(base, older), { author: "ops", source: "test", note: "" });
      const [unfilled, ...others] = neverFilled(await publisher.latest());
      assert.match(unfilled!.sentence, /^the list corporate-bundles never had an entry, /);
      assert.deepEqual(
        unfilled!.mends.map(({ command, input }) => [command, input]),
        [
          ["catalogue.export", { list: "corporate-bundles" }],
          ["catalogue.import", { file: "corporate-bundles.csv" }],
        ],
      );
      assert.deepEqual(others, []);
      const all = await readStarter();
      await publish(publisher, (base) => withLists(base, all), { author: "ops", source: "test", note: "" });
      assert.deepEqual(neverFilled(await publisher.latest()), []);
    });

    test("the starter catalogue loads whole or not at all, and never over a revision", async (t) => {
      const store = await publishingStore(t, engine);
      const publisher = store.publisher();
      const bad = changed("data-bundles.json", (text) => text.replaceAll('"MTNDATA"', '"MTMDATA"'));
      await assert.rejects(loadStarter(publisher, bad), /MTMDATA is not in data-providers\.$/);
      assert.equal((await publisher.latest()).revision, 0);
      assert.deepEqual(await store.db.selectFrom("catalogue_draft").selectAll().execute(), []);

      await loadStarter(publisher);
      await loadStarter(
        publisher,
        changed("corporate-bundles.json", () => "[]"),
      );
      assert.equal((await publisher.latest()).revision, 1);
      assert.equal((await publisher.latest()).groups["corporate-bundles"].get("")?.length, 22);
    });
  });
