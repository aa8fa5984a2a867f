import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { withSuiteStore } from "../../../test/support/fresh-store.ts";
import { ticksOf } from "../../../test/support/ticks.ts";
import type { Store } from "../store.ts";
import { CompiledQueries } from "./compiled-queries.ts";

for (const engine of engines) {
  suite(`a compiled query on ${engine.name}`, () => {
    let store: Store;
    withSuiteStore(engine, (opened) => {
      store = opened;
    });

    test("a query is compiled once for each name, and runs with new values", async () => {
      const queries = new CompiledQueries(store.db);
      let compiled = 0;
      const write = (values: { names: string[]; since: number }) => {
        compiled += 1;
        const query = store.db.selectFrom("fact").select("name").where("value", "=", "kept");
        return query.where("name", "in", values.names).where("created_at", ">=", values.since).orderBy("name");
      };
      const found = (names: string[], since: number) =>
        queries.run({ name: `facts ${names.length}`, values: { since, names }, write });
      const rows = ["a", "b", "c"].map((name, created_at) => ({ name, value: "kept", created_at }));
      await store.db.insertInto("fact").values(rows).execute();
      const named = async (names: string[], since: number) => (await found(names, since)).map(({ name }) => name);
      assert.deepEqual(await named(["a", "b"], 0), ["a", "b"]);
      assert.deepEqual(await named(["b", "c"], 2), ["c"]);
      assert.equal(compiled, 1);
      assert.deepEqual(await named(["a", "b", "c"], 1), ["b", "c"]);
      assert.equal(compiled, 2);
      assert.deepEqual(await Promise.all([named(["a", "x"], 0), named(["x", "c"], 0)]), [["a"], ["c"]]);
    });

    test("the callers of one commit resume one per event-loop tick", async () => {
      const queries = new CompiledQueries(store.db);
      const write = ({ name }: { name: string }) =>
        store.db.insertInto("fact").values({ name, value: "fair", created_at: 0 });
      const put = (name: string) => queries.run({ name: "put", values: { name }, write });
      const ticks = await ticksOf(["fair 1", "fair 2", "fair 3", "fair 4"].map(put));
      assert.equal(new Set(ticks).size, 4, String(ticks));
    });

    test("each variant of a query is compiled separately, under its own name", async () => {
      const queries = new CompiledQueries(store.db);
      const words = async (name: string, pick: (word: string) => string, word: string) => {
        const write = () => store.db.selectNoFrom((select) => select.val(pick(word)).as("words"));
        return (await queries.run({ name, values: {}, write }))[0]!.words;
      };
      const shout = (word: string) => word.toUpperCase();
      assert.equal(await words("aloud", shout, "a"), "A");
      assert.equal(await words("quietly", (word) => word, "a"), "a");
      assert.equal(await words("aloud", shout, "b"), "A");
    });

    test("a compiled query accepts null as a value", async () => {
      const queries = new CompiledQueries(store.db);
      const write = (values: { name: string; origin: string | null }) =>
        store.db
          .insertInto("audit_entry")
          .values({ id: values.name, occurred_at: 1, kind: "k", actor: "a", facts: "{}", batch: null, position: 0 })
          .returning((row) => ["id", row.val(values.origin).as("origin")]);
      const put = (name: string, origin: string | null) =>
        queries.run({ name: "entry", values: { name, origin }, write });
      assert.deepEqual(await put("first", "here"), [{ id: "first", origin: "here" }]);
      assert.deepEqual(await put("second", null), [{ id: "second", origin: null }]);
    });
  });
}
