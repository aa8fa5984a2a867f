import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { engines, type Fresh } from "../../../test/support/engines.ts";
import { openStore, type Store } from "../store.ts";
import { insertIfNew, upsert } from "./upsert.ts";

for (const { name: engine, ready } of engines) {
  suite(`a row by its key on ${engine}`, () => {
    let place: Fresh;
    let store: Store;

    before(async () => {
      place = await ready();
      store = await openStore({ ...place.settings, serving: true, starting: true });
    });
    after(async () => {
      await store.close();
      await place.dispose();
    });

    const kept = async (name: string) =>
      (await store.db.selectFrom("fact").select("value").where("name", "=", name).executeTakeFirst())?.value;
    const row = (value: string) => ({ value, created_at: 0 });

    test("an upsert replaces the row that is there, or only the one that was read", async () => {
      const name = "put";
      assert.equal(await upsert(store.db, "fact", { name }, row("first"), row("another")), true);
      assert.equal(await upsert(store.db, "fact", { name }, row("second")), true);
      assert.equal(await upsert(store.db, "fact", { name }, row("late"), row("first")), false);
      assert.equal(await kept(name), "second");
      assert.equal(await upsert(store.db, "fact", { name }, row("third"), row("second")), true);
      assert.equal(await kept(name), "third");
    });

    test("an upsert inserts the row if there is none", async () => {
      const name = "new";
      const both = await Promise.all(
        ["one", "other"].map((value) => insertIfNew(store.db, "fact", { name }, row(value))),
      );
      assert.deepEqual(both.toSorted(), [false, true]);
      assert.equal(await kept(name), both[0] ? "one" : "other");
    });
  });
}
