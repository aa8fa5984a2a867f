import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { listChanges } from "../../features/change-feed/change-feed.ts";
import { looseGuard } from "../catalogue.fixture.ts";
import { removingRules, settingRule } from "../prices/price-rules.ts";
import { approve, reject } from "./decide.ts";
import { changesOf, findRevision, listRevisions, newestSnapshot, snapshotAt } from "./load.ts";
import { publish } from "./publish.ts";
import { about, dearer, draftOf, hour, opened, priceOf, removeHistory, seenAnew, start } from "./publishing.fixture.ts";

const day = 24 * hour;

for (const engine of usualEngines)
  suite(`the history that is kept on ${engine.name}`, { concurrency: true }, () => {
    /** The starter catalogue, then a dearer bundle each day: revisions 1 to 5. */
    const withDays = async (t: TestContext) => {
      const at = await opened(t, engine);
      for (let revision = 2; revision <= 5; revision += 1) {
        at.clock.time += day;
        await publish(at.publisher, dearer("MTNDATA 104"), about);
      }
      const numbers = async () => (await listRevisions(at.store.db, 100)).map(({ number }) => number).sort();
      /** How many drafts and documents there are. */
      const stored = async () => [
        (await at.store.db.selectFrom("catalogue_draft").select("id").execute()).length,
        (await at.store.db.selectFrom("catalogue_document").select("revision").execute()).length,
      ];
      return { ...at, numbers, stored };
    };

    test("retention deletes the oldest revisions, and does not change what is served", async (t) => {
      const { store, publisher, numbers, stored } = await withDays(t);
      const before = await seenAnew(store);
      await removeHistory(publisher, start + 2 * day);
      assert.deepEqual(await numbers(), [3, 4, 5]);
      assert.deepEqual(await stored(), [3, 3]);
      assert.deepEqual(await seenAnew(store), before);
      assert.equal(priceOf(await snapshotAt(store.db, before, 3), "MTNDATA 104"), 10_002);
      await publish(publisher, dearer("MTNDATA 104"), about);
      assert.deepEqual(await numbers(), [3, 4, 5, 6]);
    });

    test("the newest revision is kept with its changes, however old it is", async (t) => {
      const { store, publisher, numbers, stored } = await withDays(t);
      await removeHistory(publisher, start + 999 * day);
      assert.deepEqual([await numbers(), await stored()], [[5], [1, 1]]);
      const { draft } = await findRevision(store.db, 5);
      assert.deepEqual(
        (await changesOf(store.db, draft)).map(({ old, new: now }) => [old!.price, now!.price]),
        [[10_003, 10_004]],
      );
      await removeHistory(publisher, start + 999 * day);
      assert.deepEqual(await numbers(), [5]);
    });

    test("the error about a removed revision names the first one kept, and older cursors are refused", async (t) => {
      const { store, publisher } = await withDays(t);
      const { db } = store;
      await removeHistory(publisher, start + 2 * day);
      const sentence = "Revision 2 is no longer kept: the history begins with revision 3.";
      await assert.rejects(findRevision(db, 2), { message: sentence });
      await assert.rejects(snapshotAt(db, await publisher.latest(), 2), { message: sentence });
      await assert.rejects(findRevision(db, 6), {
        message: "There is no revision 6.",
      });

      const newest = await publisher.latest();
      const listed = (after: string | undefined) => listChanges(db, newest, { after, limit: 10 }, undefined);
      const [, history] = (await listed(undefined)).next.split("-");
      for (const after of ["0", `1-${history}`, `2.1-${history}`])
        await assert.rejects(listed(after), {
          code: "validation_failed",
          message: "after is older than the changes that are kept: begin anew without it, and fetch the lists.",
        });
      const { data } = await listed(`2-${history}`);
      assert.deepEqual(
        data.map(({ revision }) => revision),
        [3, 4, 5],
      );
      assert.deepEqual((await listed(`5-${history}`)).data, []);
    });

    test("retention removes old rejected drafts, but no held or scheduled draft", async (t) => {
      const { store, publisher, clock } = await opened(t, engine, { guard: { ...looseGuard, factor: 1 } });
      const held = async () => draftOf(await publish(publisher, dearer("MTNDATA 104"), about));
      const [rejected, waiting, later] = [await held(), await held(), await held()];
      await reject(publisher, rejected, "ops");
      await approve(publisher, later, "ops");
      const holdsFrom = start + 900 * day;
      const scheduled = draftOf(await publish(publisher, dearer("MTNDATA 113"), { ...about, holdsFrom }));
      await approve(publisher, scheduled, "ops");
      const last = await held();
      await reject(publisher, last, "ops");
      clock.time += 500 * day;
      await removeHistory(publisher, clock.time - 400 * day);
      const drafts = await store.db.selectFrom("catalogue_draft").select(["id", "state"]).orderBy("id").execute();
      assert.deepEqual(
        drafts.map(({ id, state }) => `${id} ${state}`),
        // The last draft's row stays, so that no later draft gets its number.
        [`${waiting} held`, `${later} published`, `${scheduled} scheduled`, `${last} rejected`],
      );
    });

    test("retention removes only lists and price lists that the oldest kept revision has replaced", async (t) => {
      const { store, publisher, clock } = await opened(t, engine);
      const rule = { account: "acc_1", of: "MTNDATA", rule: "percent", value: -100 } as const;
      const plans = [
        settingRule(rule),
        settingRule({ ...rule, account: "acc_2" }),
        removingRules("acc_1", undefined),
        settingRule({ ...rule, value: -200 }),
      ];
      for (const plan of plans) {
        clock.time += day;
        await publish(publisher, plan, about);
      }
      const newest = await publisher.latest();
      const third = await snapshotAt(store.db, newest, 3);
      await removeHistory(publisher, start + 2 * day);
      assert.deepEqual(await seenAnew(store), newest);
      assert.deepEqual(await snapshotAt(store.db, newest, 3), third);
      await removeHistory(publisher, start + 999 * day);
      assert.deepEqual(await seenAnew(store), newest);
      const rows = await store.db
        .selectFrom("catalogue_price_list")
        .select(["account", "revision"])
        .orderBy("account")
        .execute();
      assert.deepEqual(rows, [
        { account: "acc_1", revision: 5 },
        { account: "acc_2", revision: 3 },
      ]);
      assert.deepEqual(await store.db.selectFrom("catalogue_document").select("revision").execute(), [{ revision: 1 }]);
    });

    test("history is removed in audited batches, and not after a stop", async (t) => {
      const told: unknown[] = [];
      const { store, publisher, clock } = await opened(t, engine, {
        audit: async (_, { kind, facts }) => void told.push(kind, facts),
      });
      for (let revision = 2; revision <= 24; revision += 1) await publish(publisher, dearer("MTNDATA 104"), about);
      clock.time += day;
      await publish(publisher, dearer("MTNDATA 104"), about);
      told.length = 0;
      await removeHistory(publisher, start + day, AbortSignal.abort());
      assert.deepEqual(told, []);
      await removeHistory(publisher, start + day);
      assert.deepEqual(told, [
        ...["catalogue.swept", { revisions: 20, drafts: 20 }],
        ...["catalogue.swept", { revisions: 4, drafts: 4 }],
      ]);
      assert.deepEqual(
        (await listRevisions(store.db, 9)).map(({ number }) => number),
        [25],
      );
    });

    test("a process that slept through retention still serves the present catalogue", async (t) => {
      const { store, publisher } = await opened(t, engine);
      const known = await newestSnapshot(store.db);
      for (const key of ["MTNDATA 104", "MTNDATA 113"]) await publish(publisher, dearer(key), about);
      await removeHistory(publisher, Number.MAX_SAFE_INTEGER);
      const awake = await newestSnapshot(store.db, known);
      assert.deepEqual(awake, await seenAnew(store));
      assert.equal(priceOf(awake, "MTNDATA 104"), 10_001);
    });
  });
