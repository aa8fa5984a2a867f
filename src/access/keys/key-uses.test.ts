import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Fresh, usualEngines } from "../../../test/support/engines.ts";
import { startService } from "../../../test/support/service.ts";
import { openStore, type Store } from "../../storage/store.ts";
import type { Db } from "../../storage/tables.ts";
import { KeyUses, lastUses } from "./key-uses.ts";

for (const engine of usualEngines) {
  suite(`last uses of keys on ${engine.name}`, () => {
    let place: Fresh;
    let store: Store;
    /** The store of the key uses, which counts statements, and fails when a test says so. */
    let db: Db;
    let written = 0;
    let outOfReach = false;

    before(async () => {
      place = await engine.ready();
      store = await openStore({ ...place.settings, serving: true, starting: true });
      db = store.db.withPlugin({
        transformQuery: ({ node }) => {
          if (outOfReach) throw new Error("out of reach");
          written += 1;
          return node;
        },
        transformResult: async ({ result }) => result,
      });
    });
    after(async () => {
      await store.close();
      await place.dispose();
    });

    test("the last uses of all keys are written in one write, and without a new use nothing is written", async () => {
      const uses = new KeyUses(db);
      uses.note("one", "203.0.113.7", 1000);
      uses.note("two", "203.0.113.8", 1001);
      uses.note("one", "2001:db8::1", 1002);
      assert.equal(written, 0);
      await uses.write();
      assert.equal(written, 1);
      const found = await lastUses(store.db);
      assert.deepEqual(found.get("one"), { at: 1002, address: "2001:db8::1" });
      assert.deepEqual(found.get("two"), { at: 1001, address: "203.0.113.8" });
      await uses.write();
      assert.equal(written, 1);
    });

    test("of a key's uses in several instances the latest counts, in whatever order the instances write", async () => {
      const [early, late] = [new KeyUses(store.db), new KeyUses(store.db)];
      for (const key of ["x", "y"]) {
        early.note(key, "203.0.113.1", 2000);
        late.note(key, "203.0.113.2", 3000);
      }
      await Promise.all([late.write(), early.write()]);
      early.note("x", "203.0.113.3", 2500);
      await early.write();
      const found = await lastUses(store.db);
      for (const key of ["x", "y"]) assert.deepEqual(found.get(key), { at: 3000, address: "203.0.113.2" });
    });

    test("last uses of keys are written once an unavailable store is back", async () => {
      const uses = new KeyUses(db);
      uses.note("kept", "203.0.113.1", 1000);
      uses.note("newer", "203.0.113.1", 1000);
      outOfReach = true;
      const failing = uses.write();
      uses.note("newer", "203.0.113.2", 2000);
      await assert.rejects(failing, /out of reach/);
      outOfReach = false;
      await uses.write();
      const found = await lastUses(store.db);
      assert.deepEqual(found.get("kept"), { at: 1000, address: "203.0.113.1" });
      assert.deepEqual(found.get("newer"), { at: 2000, address: "203.0.113.2" });
    });

    test("a full buffer of last uses notes no further key until the next write", async () => {
      const uses = new KeyUses(store.db);
      for (let n = 0; n < 10_050; n++) uses.note(`many-${n}`, "203.0.113.1", 1000);
      await uses.write();
      const count = async () => [...(await lastUses(store.db)).keys()].filter((id) => id.startsWith("many-")).length;
      assert.equal(await count(), 10_000);
      for (let n = 10_000; n < 10_050; n++) uses.note(`many-${n}`, "203.0.113.1", 1000);
      await uses.write();
      assert.equal(await count(), 10_050);
    });
  });

  test(`a stop writes the last uses of keys, by key and by token, on ${engine.name}`, async () => {
    const place = await engine.ready();
    const kept = { ...engine, ready: async () => ({ ...place, dispose: async () => {} }) };
    const service = await startService({ DUBA_TRUST_PROXY: "127.0.0.1" }, kept);
    const [used, exchanged, unused] = [await service.newKey(), await service.newKey(), await service.newKey()];
    const from = (address: string) => ({ "X-Forwarded-For": address });
    const list = "/api/v2/corporate-data/list";
    const { status } = await service.ask(list, { credential: used.text, headers: from("203.0.113.9") });
    const authorization = await service.ask("/api/v2/merchant/authorization", {
      method: "POST",
      headers: from("203.0.113.10"),
      credential: false,
      body: { email: "sandbox@example.com", password: exchanged.text },
    });
    assert.deepEqual([status, authorization.status], [200, 200], authorization.text);
    await service.close();
    const store = await openStore({ ...place.settings, serving: false });
    const found = await lastUses(store.db);
    await store.close();
    await place.dispose();
    assert.equal(found.get(used.id)?.address, "203.0.113.9");
    assert.equal(found.get(exchanged.id)?.address, "203.0.113.10");
    assert.ok(Math.abs(found.get(used.id)!.at - Date.now()) < 60_000);
    assert.equal(found.get(unused.id), undefined);
  });
}
