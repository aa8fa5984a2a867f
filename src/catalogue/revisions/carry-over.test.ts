import assert from "node:assert/strict";
import { suite, test } from "node:test";
import Database from "better-sqlite3";
import { Kysely, PostgresDialect, SqliteDialect } from "kysely";
import { Migrator } from "kysely/migration";
import pg from "pg";
import { type Engine, engines } from "../../../test/support/engines.ts";
import { migrations } from "../../storage/migrations/index.ts";
import { openStore } from "../../storage/store.ts";
import { priced, publisherOf, starterRows, starterSnapshot } from "../catalogue.fixture.ts";
import { type ListName, listNames, nameOf } from "../lists.ts";
import { inOrder, type Snapshot } from "../snapshot.ts";
import { changesBetween, isMove } from "./change.ts";
import { listRevisions } from "./history.ts";
import { newestSnapshot, snapshotAt } from "./load.ts";
import { publish } from "./publish.ts";

type Row = Record<string, string | number>;
type Before = Kysely<Record<string, Row>>;

/** A store as the version before this migration left it, filled by `fill`. */
async function storeBefore(engine: Engine, fill: (db: Before) => Promise<void>) {
  const fresh = await engine.fresh();
  const { dataDirectory, databaseUrl } = fresh.settings;
  const dialect = databaseUrl
    ? new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl }) })
    : new SqliteDialect({ database: new Database(`${dataDirectory}/duba.db`) });
  const db: Before = new Kysely({ dialect });
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0003"));
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => earlier } }).migrateToLatest();
  assert.equal(error, undefined);
  await fill(db);
  await db.destroy();
  return fresh;
}

/** The starter catalogue as that version stored it, at a later revision. */
async function fillWithStarter(db: Before): Promise<void> {
  const rowsOf = (file: string) => starterRows(`${file}.json`).map((row, position): Row => ({ ...row, position }));
  const kobo = (row: Row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        /^(price|amount)$/.test(name) ? Math.round(Number(value) * 100) : value,
      ]),
    );
  await db.insertInto("data_provider").values(rowsOf("data-providers")).execute();
  await db.insertInto("data_bundle").values(rowsOf("data-bundles").map(kobo)).execute();
  await db.insertInto("corporate_bundle").values(rowsOf("corporate-bundles")).execute();
  await db.insertInto("cable_provider").values(rowsOf("cable-providers")).execute();
  const products = rowsOf("cable-products").map((row) => ({ ...kobo(row), id: Number(row.position) + 1 }) as Row);
  await db.insertInto("cable_product").values(products).execute();
  const addOns = rowsOf("cable-add-ons").map((row) => {
    const { add_on_product_code, ...rest } = kobo(row) as Row;
    return { ...rest, code: add_on_product_code! };
  });
  await db.insertInto("cable_add_on").values(addOns).execute();
  for (const number of [1, 2])
    await db
      .insertInto("catalogue_revision")
      .values({ number, created_at: number, author: "a", source: "s", note: "n" })
      .execute();
}

const namesIn = (snapshot: Snapshot, list: ListName) =>
  [...inOrder(snapshot, list)].map(({ content }) => nameOf(list, content));

for (const engine of engines)
  suite(`a store of before revisions were kept, on ${engine.name}`, () => {
    test("keeps its catalogue, in its order, as the changes of its newest revision", async () => {
      const fresh = await storeBefore(engine, fillWithStarter);
      const { db, close } = await openStore({ ...fresh.settings, serving: true });
      try {
        const newest = await newestSnapshot(db);
        assert.deepEqual([newest.revision, newest.publishedAt], [2, 2]);
        const starter = await starterSnapshot();
        assert.ok((await changesBetween(starter, newest)).every(isMove));
        for (const list of listNames) assert.deepEqual(namesIn(newest, list), namesIn(starter, list));
        assert.deepEqual(
          (await listRevisions(db, 9)).map(({ number, added }) => [number, added]),
          [
            [2, 155],
            [1, 0],
          ],
        );

        await publish(publisherOf(db), priced("MTNDATA 104", 11_000), { author: "ops", source: "test", note: "" });
        const before = await snapshotAt(db, await newestSnapshot(db), 2);
        assert.deepEqual(await changesBetween(newest, before), []);
        await assert.rejects(snapshotAt(db, newest, 9), /There is no revision 9/);
      } finally {
        await close();
        await fresh.dispose();
      }
    });

    test("that was never started is as empty afterwards", async () => {
      const fresh = await storeBefore(engine, async () => {});
      const { db, close } = await openStore({ ...fresh.settings, serving: true });
      try {
        assert.equal((await newestSnapshot(db)).revision, 0);
        assert.deepEqual(await db.selectFrom("catalogue_draft").selectAll().execute(), []);
      } finally {
        await close();
        await fresh.dispose();
      }
    });
  });
