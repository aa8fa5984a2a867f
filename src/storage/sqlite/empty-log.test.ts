import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { openStore } from "../store.ts";
import { emptyLog } from "./empty-log.ts";

const [sqlite, postgres] = engines;

test("on SQLite deleted data leaves the files once no reader needs it", async (t) => {
  const { settings, dispose } = await sqlite!.fresh();
  const store = await openStore({ ...settings, serving: true });
  t.after(async () => {
    await store.close();
    await dispose();
  });
  const file = join(settings.dataDirectory, "duba.db");
  const isLeft = (text: string) => [file, `${file}-wal`].some((path) => readFileSync(path).includes(text));
  const row = (name: string) => ({ name, value: `${name} `.repeat(3000), created_at: 0 });
  await store.db
    .insertInto("fact")
    .values([row("stays"), row("goes")])
    .execute();
  assert.equal(await emptyLog(store.db), true);
  await store.db.deleteFrom("fact").where("name", "=", "goes").execute();
  assert.equal(isLeft("goes"), true);

  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec("BEGIN");
  assert.equal((reader.prepare("select * from fact").all() as unknown[]).length, 1);
  await store.db.updateTable("fact").set({ created_at: 1 }).execute();
  assert.equal(await emptyLog(store.db, 100), false);
  const emptied = emptyLog(store.db, 60_000);
  await store.db.updateTable("fact").set({ created_at: 2 }).execute();
  reader.close();
  assert.equal(await emptied, true);
  assert.equal(isLeft("goes"), false);
  assert.equal(isLeft("stays"), true);
  assert.equal(statSync(`${file}-wal`).size, 0);
});

test("on PostgreSQL emptyLog has nothing to do", async (t) => {
  const { settings, dispose } = await postgres!.fresh();
  const store = await openStore({ ...settings, serving: true });
  t.after(async () => {
    await store.close();
    await dispose();
  });
  assert.equal(await emptyLog(store.db), true);
});
