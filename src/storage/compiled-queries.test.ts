import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { engines, type Fresh } from "../../test/support/engines.ts";
import { ticksOf } from "../../test/support/ticks.ts";
import { CompiledQueries } from "./compiled-queries.ts";
import { openStore, type Store } from "./store.ts";

for (const { name: engine, fresh } of engines) {
  describe(`a prepared query on ${engine}`, () => {
    let place: Fresh;
    let store: Store;

    before(async () => {
      place = await fresh();
      store = await openStore({ ...place.settings, serving: true });
    });
    after(async () => {
      await store.close();
      await place.dispose();
    });

    it("is written once for a shape, and run with what it is given each time", async () => {
      const prepared = new CompiledQueries(store.db);
      let written = 0;
      const found = (names: string[], since: number) =>
        prepared.run(`${names.length} names`, { since, names }, (values) => {
          written += 1;
          const query = store.db.selectFrom("instance_secret").select("name").where("value", "=", "kept");
          return query.where("name", "in", values.names).where("created_at", ">=", values.since).orderBy("name");
        });
      const rows = ["a", "b", "c"].map((name, created_at) => ({ name, value: "kept", created_at }));
      await store.db.insertInto("instance_secret").values(rows).execute();
      const named = async (names: string[], since: number) => (await found(names, since)).map(({ name }) => name);
      assert.deepEqual(await named(["a", "b"], 0), ["a", "b"]);
      assert.deepEqual(await named(["b", "c"], 2), ["c"]);
      assert.equal(written, 1);
      assert.deepEqual(await named(["a", "b", "c"], 1), ["b", "c"]);
      assert.equal(written, 2);
      assert.deepEqual(await Promise.all([named(["a", "x"], 0), named(["x", "c"], 0)]), [["a"], ["c"]]);
    });

    it("gives the answers of one commit in one event-loop tick each", async () => {
      const prepared = new CompiledQueries(store.db);
      const put = (name: string) =>
        prepared.run("put", { name }, (values) =>
          store.db.insertInto("instance_secret").values({ name: values.name, value: "fair", created_at: 0 }),
        );
      const ticks = await ticksOf(["fair 1", "fair 2", "fair 3", "fair 4"].map(put));
      assert.equal(new Set(ticks).size, 4, String(ticks));
    });

    it("takes null for a value", async () => {
      const prepared = new CompiledQueries(store.db);
      const put = (name: string, origin: string | null) =>
        prepared.run("put", { name, origin }, (values) =>
          store.db
            .insertInto("audit_entry")
            .values({ id: values.name, occurred_at: 1, kind: "k", actor: "a", facts: "{}", batch: null, position: 0 })
            .returning((row) => ["id", row.val(values.origin).as("origin")]),
        );
      assert.deepEqual(await put("first", "here"), [{ id: "first", origin: "here" }]);
      assert.deepEqual(await put("second", null), [{ id: "second", origin: null }]);
    });
  });
}
