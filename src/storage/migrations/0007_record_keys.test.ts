import assert from "node:assert/strict";
import { test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { verification } from "../backup.fixture.ts";
import { openStore } from "../store.ts";
import { up } from "./0007_record_keys.ts";

for (const engine of engines) {
  test(`on ${engine.name} keys that stood with their records come into a column of their own`, async (t) => {
    const { settings, dispose } = await engine.fresh();
    const store = await openStore({ ...settings, serving: true });
    t.after(async () => {
      await store.close();
      await dispose();
    });
    await store.db.schema.alterTable("verification").dropColumn("sealed_key").execute();
    const { sealed_key: _, ...before } = verification;
    const texts = [null, "unreadable", ...Array.from({ length: 502 }, (_, n) => `s1:r_1-a:key-${n}:record-${n}`)];
    const rowsBefore = texts.map((sealed_record, n) => ({ ...before, reference: `ref-${n}`, sealed_record }));
    await store.db
      .insertInto("verification")
      .values(rowsBefore as (typeof verification)[])
      .execute();

    await store.db.transaction().execute(up);
    const rows = await store.db
      .selectFrom("verification")
      .select(["reference", "sealed_key", "sealed_record"])
      .execute();
    const split = new Map(
      rows.map(({ reference, sealed_key, sealed_record }) => [reference, [sealed_key, sealed_record]]),
    );
    assert.equal(split.size, texts.length);
    assert.deepEqual(split.get("ref-0"), [null, null]);
    assert.deepEqual(split.get("ref-1"), [null, "unreadable"]);
    for (let n = 0; n < 502; n += 1)
      assert.deepEqual(split.get(`ref-${n + 2}`), [`s1:r_1-a:key-${n}`, `s1:r_1-a:record-${n}`]);
  });
}
