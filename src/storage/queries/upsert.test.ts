import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { withSuiteStore } from "../../../test/support/fresh-store.ts";
import type { Store } from "../store.ts";
import { insertIfNew, upsert } from "./upsert.ts";

for (const engine of engines) {
  suite(`a row by its key on ${engine.name}`, () => {
    let store: Store;
    withSuiteStore(engine, (opened) => {
      store = opened;
    });

    const kept = async (name: string) =>
      (await store.db.selectFrom("fact").select("value").where("name", "=", name).executeTakeFirst())?.value;
    const row = (value: string) => ({ value, created_at: 0 });

    test("an upsert replaces the existing row, or with `before` only a row with those values", async () => {
      const name = "put";
      assert.equal(await upsert(store.db, "fact", { name }, row("first"), row("another")), true);
      assert.equal(await upsert(store.db, "fact", { name }, row("second")), true);
      assert.equal(await upsert(store.db, "fact", { name }, row("late"), row("first")), false);
      assert.equal(await kept(name), "second");
      assert.equal(await upsert(store.db, "fact", { name }, row("third"), row("second")), true);
      assert.equal(await kept(name), "third");
    });

    test("an insert-if-new inserts a row once, even if two run at once", async () => {
      const name = "new";
      const both = await Promise.all(
        ["one", "other"].map((value) => insertIfNew(store.db, "fact", { name }, row(value))),
      );
      assert.deepEqual(both.toSorted(), [false, true]);
      assert.equal(await kept(name), both[0] ? "one" : "other");
    });
  });
}
