import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { priced, removed } from "../catalogue.fixture.ts";
import { itemIn, withEntries } from "../model/snapshot.ts";
import { approve } from "./decide.ts";
import { listWaiting } from "./draft.ts";
import { listRevisions } from "./load.ts";
import { publish } from "./publish.ts";
import { about, draftOf, hour, opened, priceOf, seenAnew, start } from "./publishing.fixture.ts";
import type { Plan } from "./review.ts";
import { publishDue } from "./schedule.ts";

for (const engine of usualEngines)
  suite(`what is scheduled on ${engine.name}`, { concurrency: true }, () => {
    test("scheduled changes are published at their times and in order, on top of other revisions", async (t) => {
      const { store, clock, publisher } = await opened(t, engine);
      const described =
        (description: string): Plan =>
        (base) => {
          const { key, content } = itemIn(base, "data-bundles", "MTNDATA 104")!;
          return withEntries(base, [{ subject: "data-bundles", key, content: { ...content, description } }]);
        };
      await publish(publisher, priced("MTNDATA 104", 13_000), { ...about, note: "third", holdsFrom: start + 3 * hour });
      await publish(publisher, priced("MTNDATA 104", 12_000), {
        ...about,
        note: "second",
        holdsFrom: start + 2 * hour,
      });
      await publish(publisher, priced("MTNDATA 113", 19_000), { ...about, note: "gone", holdsFrom: start + 2 * hour });
      assert.deepEqual(
        (await listWaiting(store.db)).map(({ note }) => note),
        ["second", "gone", "third"],
      );
      assert.equal((await seenAnew(store)).revision, 1);

      await publish(publisher, described("Other words"), about);
      await publish(publisher, removed("MTNDATA 113"), about);
      clock.time = start + 2 * hour;
      await publishDue(publisher);
      const between = await seenAnew(store);
      const { price, description } = itemIn(between, "data-bundles", "MTNDATA 104")!.content;
      assert.deepEqual([between.revision, price, description], [4, 12_000, "Other words"]);
      assert.equal(priceOf(between, "MTNDATA 113"), undefined);

      // Due drafts are published before a new publication.
      clock.time = start + 4 * hour;
      await publish(publisher, described("Last words"), about);
      const revisions = await listRevisions(store.db, 9);
      assert.deepEqual(revisions.map(({ note }) => note).slice(0, 3), ["a note", "third", "second"]);
      assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 13_000);
      assert.deepEqual(await listWaiting(store.db), []);
    });

    test("a scheduled change is compared with the catalogue that is expected at its time", async (t) => {
      const { store, clock, publisher } = await opened(t, engine);
      await publish(publisher, priced("MTNDATA 104", 11_000), { ...about, holdsFrom: start + hour });
      const back = await publish(publisher, priced("MTNDATA 104", 10_000), { ...about, holdsFrom: start + 2 * hour });
      assert.equal(back.state, "scheduled");
      clock.time = start + hour;
      await publishDue(publisher);
      assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 11_000);
      clock.time = start + 2 * hour;
      await publishDue(publisher);
      assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 10_000);
    });

    test("the guard checks a scheduled change again at its time, unless it was approved", async (t) => {
      const { store, clock, publisher } = await opened(t, engine);
      const later = { ...about, holdsFrom: start + hour };
      await publish(publisher, priced("MTNDATA 104", 15_000), later);
      const approved = draftOf(await publish(publisher, priced("MTNDATA 113", 70_000), later));
      assert.equal((await approve(publisher, approved, "boss")).state, "scheduled");
      await publish(publisher, priced("MTNDATA 104", 7_000), about);
      clock.time = start + hour;
      await publishDue(publisher);
      const now = await seenAnew(store);
      assert.deepEqual([priceOf(now, "MTNDATA 104"), priceOf(now, "MTNDATA 113")], [7_000, 70_000]);
      const [held] = await listWaiting(store.db);
      assert.match(held!.reasons, /₦70 → ₦150 /);
      assert.equal((await approve(publisher, held!.id, "boss")).state, "recomputed");
      assert.equal((await approve(publisher, held!.id, "boss", 2)).state, "published");
      assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 15_000);
    });
  });
