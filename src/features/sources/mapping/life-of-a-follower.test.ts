import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import { catalogueServer } from "../../../../test/support/catalogue-server.ts";
import { engines } from "../../../../test/support/engines.ts";
import { ask } from "../../../../test/support/service.ts";
import { looseGuard, priced, publishTo, removed } from "../../../catalogue/catalogue.fixture.ts";
import { threeWay } from "../../../catalogue/document/three-way.ts";
import { wireValuesOf } from "../../../catalogue/files/json.ts";
import { priceListOf } from "../../../catalogue/model/price-lists.ts";
import { inOrder } from "../../../catalogue/model/snapshot.ts";
import { isAvailable, soldLists } from "../../../catalogue/model/supply.ts";
import { settingRule } from "../../../catalogue/prices/price-rules.ts";
import { draftDocuments, listRevisions } from "../../../catalogue/revisions/load.ts";
import { nairaOf } from "../../../declare/money.ts";
import { lists } from "../../../lists/index.ts";
import type { ChangeList } from "../../change-feed/change-feed.ts";
import { aboutTest, bundle, codesOf, openFollowing } from "./change-of-source.fixture.ts";

for (const engine of engines)
  suite(`the life of a catalogue on ${engine.name}`, () => {
    test("after 25 changes of a catalogue, a follower of the feed has exactly the served lists", async (t) => {
      const { db, clock, offers, at, restart, pull, pullApproved, run } = await openFollowing(t, engine);
      const account = "acc_1";
      const served = () => {
        const { snapshot } = at.catalogue.responses;
        const prices = priceListOf(snapshot, account);
        return new Map(
          soldLists.flatMap((list) =>
            Array.from(inOrder(snapshot, list))
              .filter(({ content }) => isAvailable(content))
              .map(({ key, content }) => {
                const price = "price" in lists[list].kinds && { price: nairaOf(prices.priceOf(list, key, content)) };
                return [`${list} ${key}`, { ...wireValuesOf(list, content), ...price }] as const;
              }),
          ),
        );
      };
      const keyOf = (list: string, entry: Record<string, unknown>) =>
        [list, ...lists[list as "data-bundles"].key.map((name) => String(entry[name]).toUpperCase())].join(" ");
      const app = catalogueServer({
        db,
        get responses() {
          return at.catalogue.responses;
        },
        get freshness() {
          return at.catalogue.freshness;
        },
      });
      t.after(() => app.close());
      await app.listen({ host: "127.0.0.1", port: 0 });
      const { port } = app.server.address() as AddressInfo;
      const read = async (after?: string): Promise<ChangeList> => {
        const path = `/api/v2/catalogue/changes?limit=7${after === undefined ? "" : `&after=${after}`}`;
        const { status, text } = await ask(port, path, { credential: account });
        assert.equal(status, 200, text);
        return JSON.parse(text);
      };
      let copy: Map<string, object> = served();
      let { next } = await read();
      const follow = async () => {
        for (;;) {
          const page = await read(next);
          next = page.next;
          for (const { list, old, new: now } of page.data) {
            if (list === "prices") copy = served();
            else if (list !== "data-providers" && list !== "cable-providers") {
              if (old) copy.delete(keyOf(list, old));
              if (now) copy.set(keyOf(list, now), now);
            }
          }
          if (!page.more) break;
        }
        assert.deepEqual(copy, served());
      };
      const dearer = (name: string, n: number, by: number) => {
        const old = offers[name]![n]!;
        offers[name]![n] = { ...old, price: String(Number(old.price) + by) };
      };
      const change = (plan: Parameters<typeof publishTo>[1], more = {}) =>
        publishTo(at.catalogue, plan, { ...aboutTest, ...more }, { guard: looseGuard });
      const pullAfter = (act: () => unknown) => () => {
        act();
        return pull();
      };
      const followed = (name: string) => async () => {
        at.catalogue = await restart(name);
        await pull();
      };
      const revert = async () => {
        const [revision] = await listRevisions(db, 1);
        const { before, after } = await draftDocuments(db, revision!.draft);
        await change(async (base) => (await threeWay(after, before, base)).document);
      };
      const approveAll = async () => {
        await run("approve", { source: "ebills" });
        await pull();
      };
      const steps: (() => unknown)[] = [
        () => pullApproved("vtpass"),
        pullAfter(() => dearer("vtpass", 0, 10)),
        () => change(priced("MTNDATA MTN-2GB", 66_600)),
        followed("ebills"),
        () => run("set", { source: "ebills", list: "data-bundles", source_code: "MTNDATA 94GB", own: "mtn-4gb" }),
        pull,
        revert,
        approveAll,
        pullAfter(() => dearer("ebills", 3, 20)),
        () => change(settingRule({ account, of: "MTNDATA", rule: "percent", value: -1_000 })),
        () => change(priced("MTNDATA MTN-3GB", 77_700), { holdsFrom: clock.time + 300_000 }),
        pullAfter(() => offers.ebills!.push(bundle("new", "MTN Data 40GB 30 days", 9_000))),
        approveAll,
        pull,
        pullAfter(() => offers.ebills!.splice(2, 2)),
        revert,
        () => change(removed("MTNDATA MTN-7GB")),
        pullAfter(() => dearer("ebills", 5, 30)),
        async () => {
          const whole = offers.ebills!;
          offers.ebills = [];
          await pullApproved("ebills");
          offers.ebills = whole;
        },
        pull,
        () => change(settingRule({ account, of: "MTNDATA MTN-9GB", rule: "price", value: 100_000 })),
        () => {
          offers.vtpass!.push(bundle("mtn-40gb", "MTN 40GB 30 days", 9_900));
          return followed("vtpass")();
        },
        () => run("approve", { source: "vtpass" }),
        pull,
        followed("ebills"),
      ];
      assert.equal(steps.length, 25);
      const first = new Set(offers.vtpass!.map(({ code }) => `MTNDATA ${code}`.toUpperCase()));
      for (const [n, step] of steps.entries()) {
        await step();
        await follow();
        // Our codes, and the one that came with ebills: never another code of ebills.
        const strange =
          n === 0 ? [] : codesOf(at.catalogue).filter((code) => !first.has(code) && code !== "MTNDATA NEW");
        assert.deepEqual(strange, [], `step ${n + 1}`);
      }
      assert.ok(copy.has("data-bundles MTNDATA NEW"));
      assert.ok(!copy.has("data-bundles MTNDATA MTN-40GB"), "no doublet of what came with ebills");
    });
  });
