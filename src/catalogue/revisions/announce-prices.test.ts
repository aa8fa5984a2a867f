import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { priced, removed } from "../catalogue.fixture.ts";
import { joining, settingRule } from "../prices/price-rules.ts";
import { publish } from "./publish.ts";
import { about, hour, opened, start } from "./publishing.fixture.ts";
import { publishDue } from "./schedule.ts";

for (const engine of usualEngines)
  suite(`events of the catalogue on ${engine.name}`, () => {
    test("events announce a revision, and coming prices, to each account", async (t) => {
      const { store, clock, publisher } = await opened(t, engine);
      const told = async () => {
        const rows = await store.db.selectFrom("event").selectAll().orderBy("number").execute();
        return rows.map(({ type, audience, mode, data }) => ({ type, audience, mode, ...JSON.parse(data) }));
      };
      const to = { audience: "accounts", mode: null };
      const [starter, ...none] = await told();
      const { added, ...rest } = starter;
      assert.ok(added > 100 && none.length === 0);
      const feed = "/api/v2/catalogue/changes?after=";
      const counts = { modified: 0, removed: 0 };
      assert.deepEqual(rest, { type: "catalogue.published", ...to, revision: 1, ...counts, changes: `${feed}0` });

      const { id: history } = await store.db.selectFrom("catalogue_history").select("id").executeTakeFirstOrThrow();
      await publish(publisher, priced("MTNDATA 104", 10_500), about);
      const second = { revision: 2, added: 0, modified: 1, removed: 0, changes: `${feed}1-${history}` };
      assert.deepEqual((await told()).at(-1), { type: "catalogue.published", ...to, ...second });

      const holdsFrom = start + hour;
      await publish(publisher, priced("MTNDATA 104", 11_000), { ...about, holdsFrom });
      await publish(publisher, removed("MTNDATA 113"), { ...about, holdsFrom });
      const scheduled = (await told()).slice(2);
      const data = { draft: "d3", holds_from: new Date(holdsFrom).toISOString(), prices: 1 };
      assert.deepEqual(scheduled, [{ type: "price.scheduled", ...to, ...data }]);

      clock.time = holdsFrom;
      await publishDue(publisher);
      assert.deepEqual(
        (await told()).slice(3).map(({ type, revision }) => [type, revision]),
        [
          ["catalogue.published", 3],
          ["catalogue.published", 4],
        ],
      );
    });

    test("a revision of special prices alone is announced only to the accounts that pay them", async (t) => {
      const { store, publisher } = await opened(t, engine);
      const told = async () => {
        const rows = store.db.selectFrom("event").select(["audience", "data"]).where("about", "<>", "1");
        return (await rows.orderBy("number").execute()).map(({ audience, data }) => {
          const { revision, added } = JSON.parse(data);
          return [revision, audience, added];
        });
      };
      const rule = { of: "MTNDATA 104", rule: "percent", value: -500 } as const;
      await publish(publisher, settingRule({ ...rule, account: "group:agents" }), about);
      await publish(publisher, joining(["acc_one", "acc_two"], "group:agents"), about);
      const dearer = settingRule({ ...rule, account: "group:agents", value: -600, of: "MTNDATA 113" });
      await publish(publisher, dearer, about);
      await publish(publisher, settingRule({ ...rule, account: "acc_three" }), about);
      await publish(publisher, priced("MTNDATA 104", 10_500), about);
      assert.deepEqual(await told(), [
        [3, "acc_one", 1],
        [3, "acc_two", 1],
        [4, "acc_one", 1],
        [4, "acc_two", 1],
        [5, "acc_three", 1],
        [6, "accounts", 0],
      ]);
    });
  });
