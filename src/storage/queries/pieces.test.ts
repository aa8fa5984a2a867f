import assert from "node:assert/strict";
import { test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { freshStore } from "../../../test/support/fresh-store.ts";
import { pageOf, pagesOf, piecesOf } from "./pieces.ts";

test("a list of any length is cut completely, in order, into pieces of few different lengths", () => {
  const lengths = new Set<number>();
  for (let length = 0; length <= 500; length += 1) {
    const list = Array.from({ length }, (_, at) => at);
    const pieces = piecesOf(list);
    assert.deepEqual(pieces.flat(), list);
    for (const piece of pieces) lengths.add(piece.length);
  }
  assert.deepEqual(
    [...lengths].sort((a, b) => a - b),
    [1, 2, 4, 8, 16, 32, 64, 128, 200],
  );
});

for (const engine of engines)
  test(`the pages of a query contain each row once, in the order of the key, on ${engine.name}`, async (t) => {
    const { store } = await freshStore(t, engine);
    const names = ["e", "d", "c", "b", "a"];
    const rows = names.map((name, at) => ({ name, value: "paged", created_at: at % 2 }));
    await store.db.insertInto("fact").values(rows).execute();
    const query = store.db.selectFrom("fact").select(["created_at", "name"]).where("value", "=", "paged");
    const key = ["fact.created_at", "name"];
    const paged = async (size: number) => {
      const pages = await Array.fromAsync(pagesOf(query, key, size));
      return pages.map((page) => page.map(({ name }) => name).join(""));
    };
    assert.deepEqual(await paged(2), ["ac", "eb", "d"]);
    assert.deepEqual(await paged(5), ["acebd"]);
    const afterC = await pageOf(query, key, 3, [0, "c"]);
    assert.deepEqual([afterC.rows.map(({ name }) => name), afterC.more], [["e", "b", "d"], false]);
    assert.equal((await pageOf(query, key, 2, [0, "c"])).more, true);
    assert.deepEqual(await pageOf(query, key, 2, [1, "d"]), { rows: [], more: false });
  });
