import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { priced, publisherOf } from "../catalogue.fixture.ts";
import { ListError, withLists } from "../document/replace-lists.ts";
import { groupIn, type Snapshot } from "../model/snapshot.ts";
import { reject } from "./decide.ts";
import { listRevisions, snapshotAt } from "./load.ts";
import { publish } from "./publish.ts";
import { about, dearer, draftOf, hour, many, opened, priceOf, seenAnew, start } from "./publishing.fixture.ts";

for (const engine of engines)
  suite(`publishing on ${engine.name}`, { concurrency: true }, () => {
    test("publishing makes one revision of all changes, and none without a change", async (t) => {
      const { store, publisher } = await opened(t, engine);
      const outcome = await publish(publisher, priced("MTNDATA 104", 11_000), about);
      assert.equal(outcome.state, "published");
      const [revision] = await listRevisions(store.db, 1);
      const { draft, ...facts } = revision!;
      assert.deepEqual(facts, { number: 2, created_at: start, ...about, added: 0, modified: 1, removed: 0 });
      assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 11_000);
      const again = await publish(publisher, priced("MTNDATA 104", 11_000), about);
      assert.deepEqual(again, { state: "unchanged", revision: 2 });
      assert.equal((await listRevisions(store.db, 9)).length, 2);
    });

    test("publishing changes nothing when its plan throws", async (t) => {
      const { store, publisher } = await opened(t, engine);
      const wanted = many(2, 1).slice(1);
      await assert.rejects(
        publish(publisher, (base) => withLists(base, wanted), about),
        ListError,
      );
      assert.equal((await seenAnew(store)).revision, 1);
      assert.equal((await store.db.selectFrom("catalogue_draft").selectAll().execute()).length, 1);
    });

    test("two concurrent imports become two complete revisions, one after the other", async (t) => {
      const { store, publisher } = await opened(t, engine, {}, true);
      const other = await store.beside();
      const outcomes = await Promise.all([
        publish(publisher, (base) => withLists(base, many(1_200, 10)), about),
        publish(publisherOf(other.db), (base) => withLists(base, many(900, 11)), about),
      ]);
      const published = outcomes.map((outcome) => outcome.state === "published" && outcome.revision);
      assert.deepEqual(published.toSorted(), [1, 2]);
      const pricesOf = (snapshot: Snapshot) =>
        groupIn(snapshot, "data-bundles", "MANY").map(({ content }) => content.price);
      const lists = [new Array(1_200).fill(10), new Array(900).fill(11)];
      const [first, last] = published[0] === 1 ? lists : lists.toReversed();
      const newest = await seenAnew(store);
      assert.deepEqual(pricesOf(newest), last);
      assert.deepEqual(pricesOf(await snapshotAt(store.db, newest, 1)), first);
      assert.equal((await store.db.selectFrom("catalogue_draft").select("id").execute()).length, 2);
    });

    test("many concurrent publications all succeed, and their revisions have no gaps", async (t) => {
      const { store, publisher } = await opened(t, engine);
      const others = await Promise.all([1, 2, 3].map(() => store.beside()));
      const keys = groupIn(await publisher.latest(), "data-bundles", "MTNDATA").map(({ key }) => key);
      const publishers = [store, ...others].map(({ db }) => publisherOf(db));
      await Promise.all(
        publishers.map(async (each, at) => {
          for (const key of keys.slice(at * 5, at * 5 + 5)) await publish(each, dearer(key), about);
        }),
      );
      const numbers = (await listRevisions(store.db, 99)).map(({ number }) => number);
      assert.deepEqual(
        numbers,
        Array.from({ length: 21 }, (_, n) => 21 - n),
      );
    });

    test("each change is audited in the transaction of the change", async (t) => {
      const events: string[] = [];
      let broken = false;
      const { store, publisher } = await opened(t, engine, {
        audit: async (_, ...told) => {
          if (broken) throw new Error("the audit trail is full");
          for (const { kind, actor, facts } of told) events.push([kind, actor, ...Object.values(facts)].join(" "));
        },
      });
      await publish(publisher, priced("MTNDATA 104", 11_000), about);
      const held = draftOf(await publish(publisher, priced("MTNDATA 104", 100), about));
      await reject(publisher, held, "boss");
      await publish(publisher, priced("MTNDATA 104", 12_000), { ...about, holdsFrom: start + hour });
      assert.deepEqual(events.slice(1), [
        "catalogue.revised operator 2 ops test a note",
        `catalogue.held operator ${held} ops test a note`,
        `catalogue.rejected operator ${held} boss test a note`,
        `catalogue.scheduled operator ${held + 1} ${start + hour} ops test a note`,
      ]);
      broken = true;
      await assert.rejects(publish(publisher, priced("MTNDATA 104", 13_000), about), /the audit trail is full/);
      assert.equal((await seenAnew(store)).revision, 2);
    });
  });
