import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import type { Caller } from "../../declare/operation.ts";
import { listCatalogueChanges } from "../../features/change-feed/listCatalogueChanges.ts";
import { pickFrom, priced, publishingStore, publishTo, textOf } from "../catalogue.fixture.ts";
import { type OpenCatalogue, openCatalogue } from "../catalogue.ts";
import { itemIn, withEntries } from "../model/snapshot.ts";
import { lookupDataBundles } from "../operations/lookupDataBundles.ts";
import type { Plan } from "../revisions/review.ts";
import { joining, removingRules, settingRule } from "./price-rules.ts";

const about = { author: "ops", source: "test", note: "" };
const start = Date.UTC(2026, 0, 31, 9, 30);
const minute = 60_000;
const agents = "group:agents";

const bodyOf = async (catalogue: OpenCatalogue, account?: string, provider?: string) =>
  (await pickFrom(catalogue, lookupDataBundles, provider ? { provider } : {}, account).form("identity", false)).body;
const pays = (catalogue: OpenCatalogue, account?: string, provider = "MTNDATA") =>
  JSON.parse(textOf(pickFrom(catalogue, lookupDataBundles, { provider }, account))).data.data[0].price;

async function feed(catalogue: OpenCatalogue, account: string, after?: string) {
  const caller = { accountId: account } as Caller;
  const call = { input: { ...(after && { after }) }, headers: {}, caller, requestId: "t", address: "127.0.0.1" };
  const { answer } = (await listCatalogueChanges.run!(call, catalogue)) as {
    answer: {
      data: { list: string; change: string; old: unknown; new: Record<string, unknown> | null }[];
      next: string;
    };
  };
  return answer;
}

function costing(key: string, cost: number): Plan {
  return (base) => {
    const { content } = itemIn(base, "data-bundles", key)!;
    return withEntries(base, [
      { subject: "data-bundles", key, content: { ...content, cost, cost_since: 1, cost_by: "me" } },
    ]);
  };
}

for (const engine of usualEngines)
  suite(`prices of groups on ${engine.name}`, { concurrency: true }, () => {
    const opened = async (t: Parameters<typeof publishingStore>[0]) => {
      const store = await publishingStore(t, engine);
      const clock = { time: start };
      const now = () => clock.time;
      const catalogue = await openCatalogue({ db: store.db, now });
      const publishes = async (plan: Plan, state = "published") => {
        clock.time += minute;
        const outcome = await publishTo(catalogue, plan, about);
        assert.equal(outcome.state, state, JSON.stringify("reasons" in outcome && outcome.reasons));
        return outcome;
      };
      return { store, clock, catalogue, publishes, now };
    };

    test("members of a price group share one response, unless a member has its own rule or leaves it", async (t) => {
      const { store, catalogue, publishes } = await opened(t);
      await publishes(settingRule({ account: agents, of: "MTNDATA", rule: "percent", value: 301, round: 500 }));
      await publishes(joining(["acc_1", "acc_2", "acc_3"], agents));
      await publishes(settingRule({ account: "acc_3", of: "MTNDATA 104", rule: "price", value: 9_900 }));
      assert.deepEqual(
        ["acc_1", "acc_3", "acc_4", undefined].map((account) => pays(catalogue, account)),
        ["105", "99", "100", "100"],
      );
      for (const provider of [undefined, "MTNDATA"])
        assert.equal(await bodyOf(catalogue, "acc_1", provider), await bodyOf(catalogue, "acc_2", provider));
      assert.equal(await bodyOf(catalogue, "acc_1", "GLODATA"), await bodyOf(catalogue, undefined, "GLODATA"));
      const all = JSON.parse((await bodyOf(catalogue, "acc_3")).toString()).data.data as Record<string, string>[];
      assert.deepEqual(
        all.slice(0, 2).map(({ price }) => price),
        ["99", "210"],
      );
      // A process that starts now has the same prices.
      const other = await openCatalogue({ db: store.db, now: catalogue.responses.now });
      assert.deepEqual(
        ["acc_1", "acc_3"].map((account) => pays(other, account)),
        ["105", "99"],
      );
      await publishes(joining(["acc_1", "acc_3"], undefined));
      assert.deepEqual(
        ["acc_1", "acc_2", "acc_3"].map((account) => pays(catalogue, account)),
        ["100", "105", "99"],
      );
      assert.throws(() => joining(["acc_1"], "group:agnets")(catalogue.responses.snapshot), /There is no group agnets/);
    });

    test("whenever the price of a group's member changes, its ETag, Last-Modified and feed change", async (t) => {
      const { store, catalogue, publishes, clock } = await opened(t);
      await publishes(settingRule({ account: agents, of: "MTNDATA", rule: "percent", value: -1_000 }));
      const seen = () => {
        const [one, all] = [{ provider: "MTNDATA" }, {}].map((input) =>
          pickFrom(catalogue, lookupDataBundles, input, "acc_1"),
        );
        return { etags: [one!.etag, all!.etag], modified: one!.modifiedAt, price: pays(catalogue, "acc_1") };
      };
      const moves = async (plan: Plan, price: string) => {
        const [before, { next }] = [seen(), await feed(catalogue, "acc_1")];
        await publishes(plan);
        const after = seen();
        assert.equal(after.price, price);
        for (const at of [0, 1]) assert.notEqual(after.etags[at], before.etags[at]);
        assert.equal(after.modified, Math.floor(clock.time / 1000) * 1000);
        return (await feed(catalogue, "acc_1", next)).data;
      };
      const [joined] = await moves(joining(["acc_1"], agents), "90");
      assert.deepEqual([joined!.list, joined!.change, joined!.new], ["prices", "added", { of: "" }]);
      const anonymous = pickFrom(catalogue, lookupDataBundles).etag;
      const events = () =>
        store.db.selectFrom("event").select("about").where("type", "=", "catalogue.published").execute();

      // A cost below the group's price changes nothing that callers see.
      const quiet = [seen(), (await events()).length];
      await publishes(costing("MTNDATA 104", 8_999));
      assert.deepEqual([seen(), (await events()).length], quiet);
      // A cost above the group's price is the floor of that price.
      await publishes(settingRule({ account: "acc_5", of: "GLODATA", rule: "margin", value: 100 }));
      await publishes(joining(["acc_5"], agents));
      const ofFive = () => pickFrom(catalogue, lookupDataBundles, {}, "acc_5").etag;
      const five = ofFive();
      const [floor] = await moves(costing("MTNDATA 104", 9_125), "91.25");
      assert.notEqual(ofFive(), five);
      assert.deepEqual([floor!.list, floor!.new!.price], ["data-bundles", "91.25"]);
      assert.ok(!JSON.stringify(floor).includes("cost"));
      assert.equal((await events()).length, Number(quiet[1]) + 3);
      assert.equal(pickFrom(catalogue, lookupDataBundles).etag, anonymous);
      // A process that starts now has the same ETag and date.
      const other = await openCatalogue({ db: store.db, now: () => clock.time });
      const again = pickFrom(other, lookupDataBundles, { provider: "MTNDATA" }, "acc_1");
      assert.deepEqual([again.etag, again.modifiedAt], [seen().etags[0], seen().modified]);

      // A provider's rule is nearer than that of a size.
      const { etags, price } = seen();
      await publishes(settingRule({ account: agents, of: "size=50MB", rule: "margin", value: 100 }));
      assert.deepEqual([seen().etags, seen().price], [etags, price]);
      const [changed] = await moves(
        settingRule({ account: agents, of: "MTNDATA", rule: "percent", value: -500 }),
        "95",
      );
      assert.deepEqual([changed!.list, changed!.new], ["prices", { of: "MTNDATA" }]);
      assert.deepEqual((await feed(catalogue, "acc_2", undefined)).data, []);
    });

    test("a dated rule begins and ends with a revision each, even if no service ran at that time", async (t) => {
      const { store, catalogue, publishes, clock, now } = await opened(t);
      await publishes(settingRule({ account: agents, of: "MTNDATA", rule: "percent", value: -1_000 }));
      await publishes(joining(["acc_1"], agents));
      const [from, until] = [clock.time + 60 * minute, clock.time + 120 * minute];
      const december = { account: agents, of: "MTNDATA", rule: "percent", value: -2_000, from, until } as const;
      const { next } = await feed(catalogue, "acc_1");
      await publishes((base) => settingRule(december, now())(base));
      assert.equal(pays(catalogue, "acc_1"), "90");
      assert.deepEqual((await feed(catalogue, "acc_1", next)).data, [], "nothing to fetch yet");
      assert.equal(catalogue.state().due, from);
      clock.time = from;
      await catalogue.refresh();
      assert.equal(pays(catalogue, "acc_1"), "80");
      assert.deepEqual(
        (await feed(catalogue, "acc_1", next)).data.map(({ list, new: now }) => [list, now]),
        [["prices", { of: "MTNDATA" }]],
      );
      const modified = pickFrom(catalogue, lookupDataBundles, { provider: "MTNDATA" }, "acc_1").modifiedAt;
      assert.equal(modified, Math.floor(from / 1000) * 1000);
      clock.time = until + 5 * minute;
      const later = await openCatalogue({ db: store.db, now });
      await later.refresh();
      assert.equal(pays(later, "acc_1"), "90");
      assert.equal(later.state().due, null);
      const made = await store.db
        .selectFrom("catalogue_revision")
        .select("author")
        .orderBy("number", "desc")
        .limit(2)
        .execute();
      assert.deepEqual(made, [{ author: "system" }, { author: "system" }]);
    });

    test("the guard checks a price rule when it is set, not when it begins, and names prices below cost", async (t) => {
      const { catalogue, publishes, now } = await opened(t);
      const later = { from: start + 9_000 * minute };
      const far = { account: agents, of: "MTNDATA 104", rule: "percent", value: -6_000, ...later } as const;
      const held = await publishes((base) => settingRule(far, now())(base), "held");
      assert.deepEqual("reasons" in held && held.reasons, [
        "MTNDATA 104: price for group:agents ₦100 → ₦40 (−60 %), beyond the guard's factor of 2.",
      ]);
      await publishes(costing("MTNDATA 104", 9_500));
      // A group never pays less than the cost.
      await publishes(settingRule({ account: agents, of: "MTNDATA 104", rule: "percent", value: -4_000 }));
      await publishes(joining(["acc_1"], agents));
      assert.equal(pays(catalogue, "acc_1"), "95");
      const own = { account: "acc_1", of: "MTNDATA 104", rule: "price", value: 9_499 } as const;
      const below = await publishes(settingRule(own), "held");
      assert.deepEqual("reasons" in below && below.reasons, ["MTNDATA 104: acc_1 pays ₦94.99, below its cost of ₦95."]);
      await publishes(settingRule({ ...own, rule: "margin", value: -500 }));
      const cheaper = await publishes(priced("MTNDATA 104", 9_900), "held");
      assert.deepEqual("reasons" in cheaper && cheaper.reasons, [
        "MTNDATA 104: acc_1 pays ₦94, below its cost of ₦95.",
      ]);
      await publishes(removingRules("acc_1", undefined));
      assert.equal(pays(catalogue, "acc_1"), "95");
    });
  });
