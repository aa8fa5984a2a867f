import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { newRequest, suiteStore, until, usualEngines } from "./identity.fixture.ts";
import { onlyRow } from "./ledger.fixture.ts";
import { PlayedUpstream, verified } from "./played-upstream.fixture.ts";

for (const engine of usualEngines)
  suite(`errors of the store on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("store errors are logged by code only, since messages may hold values of a statement", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
      let isBroken = false;
      const db = store.db.withPlugin({
        transformQuery: ({ node }) => {
          if (isBroken)
            throw Object.assign(new Error("Key (subject)=(22000000017) SECRET"), { code: "23505", detail: "SECRET" });
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      const upstream = new PlayedUpstream();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] }, db });
      const mine = newRequest({ idempotencyKey: "k" });
      const told = identity.verify(mine).catch(() => undefined);
      await upstream.asked();
      isBroken = true;
      upstream.answer(await verified(mine));
      await told;
      const logged = (end: string) => store.log.lines.find(({ message }) => message.endsWith(end));
      const ends = ["did not take an outcome", "waits for the store", "failed and is tried again"];
      await until(() => {
        t.mock.timers.tick(1_000);
        return ends.every((end) => logged(end) !== undefined);
      });
      for (const end of ends) assert.equal(logged(end)!.fields.code, "23505", end);
      assert.doesNotMatch(JSON.stringify(store.log.lines), /SECRET|22000000017|Key/);
      isBroken = false;
      await until(async () => {
        t.mock.timers.tick(5_000);
        return (await onlyRow(store.db, mine)).state === "verified";
      });
    });
  });
