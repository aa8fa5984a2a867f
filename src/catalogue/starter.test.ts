import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { engines } from "../../test/support/engines.ts";
import { openStore } from "../storage/store.ts";
import { openCatalogue } from "./catalogue.ts";
import { loadStarter, readStarter } from "./starter.ts";

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
    Object.entries(starter).map(([list, rows]) => `${list} ${rows.length}`),
    [
      "dataProviders 4",
      "dataBundles 79",
      "corporateBundles 22",
      "cableProviders 3",
      "cableProducts 35",
      "cableAddOns 12",
    ],
  );
});

for (const [file, from, to, sentence] of [
  ["data-bundles.json", '"price": "100"', '"price": 100', "row 1: price must be text."],
  [
    "data-bundles.json",
    '"amount": "200"',
    '"amount": "2e2"',
    'row 2: amount must be plain naira text such as "100" or "100.50".',
  ],
  ["data-bundles.json", '"code": "113"', '"code": "104"', "row 2: MTNDATA 104 is listed twice."],
  ["data-bundles.json", '"MTNDATA"', '"MTMDATA"', "row 1: MTMDATA 104 is not in data-providers.json."],
  ["data-bundles.json", '"code": "113"', '"code": ""', "row 2: code must be 1 to 64 visible ASCII characters."],
  ["data-providers.json", '"id": 2', '"id": "2"', "row 2: id must be a whole number above 0."],
  ["data-providers.json", '"AIRTELDATA"', '"mtndata"', "row 2: mtndata is listed twice."],
  ["corporate-bundles.json", '"description": "Corporate DATA 150MB", ', "", "row 2: description must be text."],
  ["cable-products.json", '"gotv"', '"gotw"', "row 1: gotw is not in cable-providers.json."],
  ["cable-add-ons.json", '"COMPE36"', '"COMPE37"', "row 1: dstv COMPE37 is not in cable-products.json."],
  ["cable-providers.json", "[", "[7,", "row 1: must be an object."],
] as const)
  test(`a bad row stops with a sentence: ${sentence}`, async () => {
    const bad = changed(file, (text) => text.replace(from, to));
    await assert.rejects(readStarter(bad), {
      name: "StarterFault",
      message: `The starter file ${file}, ${sentence.replace("MTMDATA 104", "MTMDATA")}`,
    });
  });

test("a file that is no list of rows stops with a sentence", async () => {
  await assert.rejects(readStarter(changed("data-bundles.json", () => "{}")), {
    message: "The starter file data-bundles.json must be a JSON array of rows.",
  });
  await assert.rejects(readStarter(changed("data-bundles.json", () => "[")), {
    message: /^The starter file data-bundles.json cannot be read: /,
  });
});

for (const engine of engines)
  suite(`the starter catalogue on ${engine.name}`, () => {
    test("is revision 1, loaded once by five processes that start together", async () => {
      const fresh = await engine.fresh();
      const stores = await Promise.all([1, 2, 3, 4, 5].map(() => openStore({ ...fresh.settings, serving: false })));
      try {
        const catalogues = await Promise.all(stores.map(({ db }) => openCatalogue({ db, now: () => 1_000 })));
        for (const catalogue of catalogues) {
          assert.equal(catalogue.state().revision, 1);
          assert.equal(catalogue.snapshot().dataProviders.length, 4);
          await catalogue.stop();
        }
        const { db } = stores[0]!;
        const revisions = await db.selectFrom("catalogue_revision").selectAll().execute();
        assert.equal(revisions.length, 1);
        const { note, ...revision } = revisions[0]!;
        assert.deepEqual(revision, { number: 1, created_at: 1_000, author: "duba", source: "starter" });
        assert.match(note, /historical samples/);
        assert.equal((await db.selectFrom("data_bundle").selectAll().execute()).length, 79);
        const counter = db.selectFrom("change_counter").select("number").where("name", "=", "catalogue");
        assert.equal((await counter.executeTakeFirstOrThrow()).number, 1);
      } finally {
        await Promise.all(stores.map((store) => store.close()));
        await fresh.dispose();
      }
    });

    test("is not loaded into a store that has a revision, and all or nothing of it elsewhere", async () => {
      const fresh = await engine.fresh();
      const { db, close } = await openStore({ ...fresh.settings, serving: true });
      try {
        const left = { type: "dstv", product_code: "COMPE36", code: "HDPVRE36", position: 0, name: "Left", price: 1 };
        await db.insertInto("cable_add_on").values(left).execute();
        await assert.rejects(loadStarter(db, () => 1_000));
        for (const table of ["catalogue_revision", "data_provider", "cable_product"] as const)
          assert.deepEqual(await db.selectFrom(table).selectAll().execute(), []);

        const revision = { number: 8, created_at: 1_000, author: "ops", source: "import", note: "" };
        await db.insertInto("catalogue_revision").values(revision).execute();
        await loadStarter(db, () => 1_000);
        assert.deepEqual(await db.selectFrom("catalogue_revision").selectAll().execute(), [revision]);
        assert.deepEqual(await db.selectFrom("data_provider").selectAll().execute(), []);
      } finally {
        await close();
        await fresh.dispose();
      }
    });
  });
