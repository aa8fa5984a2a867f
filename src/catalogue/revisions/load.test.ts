import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { looseGuard, priced, removed } from "../catalogue.fixture.ts";
import { difference } from "../document/difference.ts";
import { withLists } from "../document/replace-lists.ts";
import { threeWay } from "../document/three-way.ts";
import { groupIn } from "../model/snapshot.ts";
import { settingRule } from "../prices/price-rules.ts";
import { newestSnapshot, snapshotAt } from "./load.ts";
import { publish } from "./publish.ts";
import { about, many, opened, priceOf, seenAnew } from "./publishing.fixture.ts";
import type { Plan } from "./review.ts";

for (const engine of engines)
  suite(`the stored revisions on ${engine.name}`, { concurrency: true }, () => {
    test("the store keeps every revision, and each can be shown, compared and undone", async (t) => {
      const { store, publisher } = await opened(t, engine);
      const first = await publisher.latest();
      await publish(publisher, priced("MTNDATA 104", 11_000), about);
      await publish(publisher, removed("MTNDATA 113"), about);
      await publish(publisher, priced("MTNDATA 104", 12_000), about);
      const newest = await seenAnew(store);
      const prices = await Promise.all(
        [1, 2, 3, 4].map(async (number) => priceOf(await snapshotAt(store.db, newest, number), "MTNDATA 104")),
      );
      assert.deepEqual(prices, [10_000, 11_000, 11_000, 12_000]);
      assert.deepEqual(await difference(first, await snapshotAt(store.db, newest, 1)), []);
      await assert.rejects(snapshotAt(store.db, newest, 9), { message: /^There is no revision 9/ });

      const changes = await difference(await snapshotAt(store.db, newest, 2), newest);
      assert.deepEqual(changes.map(({ key }) => key).sort(), ["MTNDATA 104", "MTNDATA 113"]);
      const undoPlan =
        (number: number): Plan =>
        async (base) => {
          const [before, after] = [
            await snapshotAt(store.db, base, number - 1),
            await snapshotAt(store.db, base, number),
          ];
          return (await threeWay(after, before, base)).document;
        };
      assert.deepEqual((await publish(publisher, undoPlan(2), about)).state, "unchanged");
      await publish(publisher, undoPlan(4), about);
      await publish(publisher, undoPlan(3), about);
      await publish(publisher, undoPlan(2), about);
      assert.deepEqual(await difference(first, await seenAnew(store)), []);
      assert.equal((await seenAnew(store)).revision, 7);
    });

    test("a process that reads revisions keeps unchanged parts, and equals a process that starts anew", async (t) => {
      const { store, publisher } = await opened(t, engine);
      const rule = { account: "acc_1", of: "MTNDATA", rule: "percent", value: -100 } as const;
      await publish(publisher, settingRule(rule), about);
      const known = await newestSnapshot(store.db);
      await publish(publisher, priced("MTNDATA 104", 11_000), about);
      const next = await newestSnapshot(store.db, known);
      await publish(publisher, settingRule({ ...rule, account: "acc_2" }), about);
      const last = await newestSnapshot(store.db, next);
      assert.deepEqual(last, await seenAnew(store));
      assert.equal(next.groups.prices.get("acc_1"), known.groups.prices.get("acc_1"));
      assert.equal(next.groups["cable-products"], known.groups["cable-products"]);
      assert.equal(groupIn(next, "data-bundles", "GLODATA"), groupIn(known, "data-bundles", "GLODATA"));
      assert.notEqual(groupIn(next, "data-bundles", "MTNDATA"), groupIn(known, "data-bundles", "MTNDATA"));
      assert.equal(last.groups["data-bundles"], next.groups["data-bundles"]);
      assert.deepEqual(await snapshotAt(store.db, last, 3), { ...next, changes: 0 });
    });

    test("a snapshot contains exactly one revision, even if another is published meanwhile", async (t) => {
      const { store, publisher } = await opened(t, engine, { guard: looseGuard }, true);
      const reader = await store.beside();
      let publishing = true;
      const publishAll = async () => {
        for (let price = 10; price < 16; price++)
          await publish(publisher, (base) => withLists(base, many(2_500 + price, price)), about);
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
    });
  });
