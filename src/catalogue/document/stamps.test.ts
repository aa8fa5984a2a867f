import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { backup } from "../../features/backup/backup.ts";
import { restore } from "../../features/backup/restore.ts";
import type { ListName } from "../../lists/index.ts";
import { priced, publishingStore, removed } from "../catalogue.fixture.ts";
import { type Snapshot, stampOf } from "../model/snapshot.ts";
import { removingRules, settingRule } from "../prices/price-rules.ts";
import { newestSnapshot } from "../revisions/load.ts";
import { publish } from "../revisions/publish.ts";
import { about, opened, removeHistory, seenAnew, start } from "../revisions/publishing.fixture.ts";

/** The revision of a group's last change, and the milliseconds from the start to that change. */
function changeOf(snapshot: Snapshot, list: ListName, key?: string): [number, number] {
  const { revision, publishedAt } = stampOf(snapshot, list, key);
  return [revision, publishedAt - start];
}

for (const engine of usualEngines)
  suite(`when a list changed last on ${engine.name}`, { concurrency: true }, () => {
    test("every process knows when each provider's list changed last, even once the history is removed", async (t) => {
      const { store, publisher, clock } = await opened(t, engine);
      const known = await newestSnapshot(store.db);
      clock.time += 60_000;
      await publish(publisher, priced("MTNDATA 104", 11_000), about);
      clock.time += 60_000;
      const glo = known.groups["data-bundles"].get("GLODATA")![0]!.key;
      await publish(publisher, removed(glo), about);
      const expected = { MTNDATA: [2, 60_000], GLODATA: [3, 120_000], AIRTELDATA: [1, 0] };
      const check = (snapshot: Snapshot) => {
        for (const [key, change] of Object.entries(expected))
          assert.deepEqual(changeOf(snapshot, "data-bundles", key), change);
        assert.deepEqual(changeOf(snapshot, "data-bundles"), [3, 120_000]);
        assert.deepEqual(changeOf(snapshot, "corporate-bundles"), [1, 0]);
        // The product never had an add-on, so its empty list is as old as the product's.
        assert.deepEqual(changeOf(snapshot, "cable-add-ons", "GOTV GOTVMAX"), [1, 0]);
      };
      check(await newestSnapshot(store.db, known));
      check(await seenAnew(store));
      await removeHistory(publisher, start + 999_999_999);
      check(await seenAnew(store));
    });

    test("Last-Modified moves by at least a second with each change", async (t) => {
      const { store, publisher, clock } = await opened(t, engine);
      const times: number[] = [];
      for (const price of [11_000, 12_000, 13_000]) {
        clock.time += 10;
        await publish(publisher, priced("MTNDATA 104", price), about);
        times.push(changeOf(await seenAnew(store), "data-bundles", "MTNDATA")[1]);
      }
      assert.deepEqual(times, [1_000, 2_000, 3_000]);
    });

    test("the last change of an account's prices is known even after all are removed", async (t) => {
      const { store, publisher, clock } = await opened(t, engine);
      const rule = { account: "acc_1", of: "MTNDATA", rule: "percent", value: -100 } as const;
      await publish(publisher, settingRule(rule), about);
      clock.time += 5_000;
      await publish(publisher, removingRules("acc_1", undefined), about);
      const { stamps, groups } = await seenAnew(store);
      assert.equal(groups.prices.get("acc_1"), undefined);
      assert.deepEqual(stamps.prices.get("acc_1"), { revision: 3, publishedAt: start + 5_000 });
    });

    test("a restore counts as a change of every list, because clients may have newer lists", async (t) => {
      const { publisher } = await opened(t, engine);
      const other = await publishingStore(t, engine);
      const folder = mkdtempSync(join(tmpdir(), "duba-stamps-"));
      t.after(() => rmSync(folder, { recursive: true }));
      await publish(publisher, priced("MTNDATA 104", 11_000), about);
      await backup(publisher, join(folder, "backup"), { madeBy: "test", sign: () => "unsigned" });
      const before = Date.now();
      await restore(other.publisher(), join(folder, "backup"), { sign: null });
      const restored = await seenAnew(other);
      for (const [list, key, revision] of [
        ["data-bundles", "MTNDATA", 2],
        ["data-bundles", "GLODATA", 1],
        ["corporate-bundles", "", 1],
      ] as const) {
        const stamp = stampOf(restored, list, key);
        assert.equal(stamp.revision, revision);
        assert.ok(stamp.publishedAt >= before);
      }
    });
  });
