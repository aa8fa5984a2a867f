import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { openStore } from "../../storage/store.ts";
import { looseGuard, priced, removed } from "../catalogue.fixture.ts";
import { changesBetween } from "../changes/change.ts";
import { difference } from "../changes/difference.ts";
import { undo } from "../changes/rebase.ts";
import { groupIn } from "../model/snapshot.ts";
import { newestSnapshot, snapshotAt } from "./load.ts";
import { type Plan, publish } from "./publish.ts";
import { about, many, opened, priceOf, seenAnew } from "./publishing.fixture.ts";

for (const engine of engines)
  suite(`the stored revisions on ${engine.name}`, { concurrency: true }, () => {
    test("keeps every revision: each can be looked at, compared and undone", async () => {
      const { store, publisher } = await opened(engine);
      try {
        const first = await publisher.latest();
        await publish(publisher, priced("MTNDATA 104", 11_000), about);
        await publish(publisher, removed("MTNDATA 113"), about);
        await publish(publisher, priced("MTNDATA 104", 12_000), about);
        const newest = await seenAnew(store);
        const prices = await Promise.all(
          [1, 2, 3, 4].map(async (number) => priceOf(await snapshotAt(store.db, newest, number), "MTNDATA 104")),
        );
        assert.deepEqual(prices, [10_000, 11_000, 11_000, 12_000]);
        assert.deepEqual(await changesBetween(first, await snapshotAt(store.db, newest, 1)), []);
        await assert.rejects(snapshotAt(store.db, newest, 9), { message: /^There is no revision 9/ });

        const changes = await changesBetween(await snapshotAt(store.db, newest, 2), newest);
        assert.deepEqual(changes.map(({ key }) => key).sort(), ["MTNDATA 104", "MTNDATA 113"]);
        const undoPlan =
          (number: number): Plan =>
          async (base) => {
            const made = await changesBetween(
              await snapshotAt(store.db, base, number - 1),
              await snapshotAt(store.db, base, number),
            );
            return (await undo(base, made)).changes;
          };
        assert.deepEqual((await publish(publisher, undoPlan(2), about)).state, "unchanged");
        await publish(publisher, undoPlan(4), about);
        await publish(publisher, undoPlan(3), about);
        await publish(publisher, undoPlan(2), about);
        assert.deepEqual(await changesBetween(first, await seenAnew(store)), []);
        assert.equal((await seenAnew(store)).revision, 7);
      } finally {
        await store.close();
      }
    });

    test("the items are those of the newest revision: what it removed is gone", async () => {
      const { store, publisher } = await opened(engine, {}, true);
      try {
        await publish(publisher, (base) => difference(base, many(2_300, 10)), about);
        await publish(publisher, (base) => difference(base, many(2_200, 11)), about);
        await publish(publisher, priced("MANY C7", 12), about);
        const items = await store.db.selectFrom("catalogue_item").select("key").execute();
        assert.equal(items.length, 2_201);
        assert.equal(priceOf(await seenAnew(store), "MANY C7"), 12);
      } finally {
        await store.close();
      }
    });

    test("a snapshot is of one revision, whatever is published while it is read", async () => {
      const { store, publisher } = await opened(engine, { guard: looseGuard }, true);
      const reader = await openStore({ ...store.settings, serving: false });
      try {
        let publishing = true;
        const publishAll = async () => {
          for (let price = 10; price < 16; price++)
            await publish(publisher, (base) => difference(base, many(2_500 + price, price)), about);
          publishing = false;
        };
        const readAll = async () => {
          const seen = new Set<number>();
          for (;;) {
            const last = !publishing;
            const snapshot = await newestSnapshot(reader.db);
            const price = snapshot.revision + 9;
            const prices = groupIn(snapshot, "data-bundles", "MANY").map(({ content }) => content.price);
            assert.deepEqual([...new Set(prices)], snapshot.revision === 0 ? [] : [price]);
            assert.equal(prices.length, snapshot.revision === 0 ? 0 : 2_500 + price);
            seen.add(snapshot.revision);
            if (last) return seen;
          }
        };
        const [, seen] = await Promise.all([publishAll(), readAll()]);
        assert.ok(seen.has(6));
      } finally {
        await reader.close();
        await store.close();
      }
    });
  });
