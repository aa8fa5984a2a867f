import assert from "node:assert/strict";
import { mock, suite, test } from "node:test";
import { engines, newRequest, suiteStore, until } from "./identity.fixture.ts";
import { copyRow, onlyRow, withoutLedger } from "./ledger.fixture.ts";
import { PlayedUpstream, verified } from "./played-upstream.fixture.ts";

for (const engine of engines)
  suite(`rows whose outcome waits for the store on ${engine.name}`, () => {
    const store = suiteStore(engine, mock.timers);

    test("a row whose outcome waits for the store gets that outcome, and abandoned rows fail", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const upstream = new PlayedUpstream();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const [mine, lost] = [newRequest({ idempotencyKey: "waits" }), newRequest()];
      const told = identity.verify(mine).catch(() => undefined);
      await upstream.asked();
      await withoutLedger(store.db, async () => {
        upstream.answer(await verified(mine));
        await told;
        await until(() => store.log.lines.some(({ message }) => message.endsWith("waits for the store")));
      });
      // An orphan: this process owns the row and has no running verification for it.
      await copyRow(store.db, { ...(await onlyRow(store.db, mine)), account_id: lost.accountId }, 1);
      t.mock.timers.tick(5_000);
      await until(async () => (await onlyRow(store.db, lost)).state !== "started");
      assert.equal((await onlyRow(store.db, mine)).state, "started");
      mock.timers.tick(250);
      await until(async () => (await onlyRow(store.db, mine)).state === "verified");
    });
  });
