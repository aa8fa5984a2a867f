import assert from "node:assert/strict";
import { test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { StoreAway } from "../errors.ts";
import { openStore } from "../store.ts";

test("a table that a newer version changes meanwhile costs a PostgreSQL connection one statement at most", async () => {
  const place = await engines.find(({ name }) => name === "postgres")!.fresh();
  const store = await openStore({ ...place.settings, serving: true });
  try {
    const asked = () => store.db.selectFrom("account").selectAll().where("id", "=", "nobody").execute();
    assert.deepEqual(await asked(), []);
    await store.db.schema.alterTable("account").addColumn("made_later", "text").execute();
    await assert.rejects(asked(), (error) => error instanceof StoreAway && error.code === "0A000");
    assert.deepEqual(await asked(), []);
  } finally {
    await store.close();
    await place.dispose();
  }
});
