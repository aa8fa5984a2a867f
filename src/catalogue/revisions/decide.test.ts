import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { priced, publisherOf } from "../catalogue.fixture.ts";
import { type WantedList, withLists } from "../document/replace-lists.ts";
import { groupIn } from "../model/snapshot.ts";
import { approve, reject } from "./decide.ts";
import { findDraft, listWaiting } from "./draft.ts";
import { publish } from "./publish.ts";
import { about, draftOf, hour, opened, priceOf, seenAnew, start } from "./publishing.fixture.ts";
import type { Plan } from "./review.ts";
import { publishDue } from "./schedule.ts";

for (const engine of usualEngines)
  suite(`what the guard holds on ${engine.name}`, { concurrency: true }, () => {
    test("a change that the guard stops is held until it is approved", async (t) => {
      const { store, publisher } = await opened(t, engine);
      const outcome = await publish(publisher, priced("MTNDATA 104", 100), about);
      assert.equal(outcome.state, "held");
      assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 10_000);
      const [held] = await listWaiting(store.db);
      assert.deepEqual([held!.id, held!.state, held!.modified], [draftOf(outcome), "held", 1]);
      assert.match(held!.reasons, /^\["MTNDATA 104: price ₦100 → ₦1 /);
      await assert.rejects(approve(publisher, 99, "boss"), { message: /^There is no draft d99/ });

      // A later revision of other entries makes no difference.
      await publish(publisher, priced("MTNDATA 113", 20_100), about);
      const approval = await approve(publisher, draftOf(outcome), "boss");
      assert.equal(approval.state, "published");
      assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 100);
      assert.deepEqual(await listWaiting(store.db), []);
      assert.equal((await findDraft(store.db, draftOf(outcome))).decided_by, "boss");
      await assert.rejects(approve(publisher, draftOf(outcome), "boss"), {
        message: /is published: only what is held/,
      });
    });

    test("the first approval publishes another vendor's lists, with the ids that the draft showed", async (t) => {
      const { store, publisher } = await opened(t, engine);
      const content = { type: "dstv", name: "", description: "", price: 100_000, amount: 100_000 };
      const entries = ["a", "b", "c"].map((code) => ({ content: { ...content, code }, place: "" }));
      const gone: WantedList = { list: "cable-add-ons", entries: [] };
      const plan: Plan = (base) => withLists(base, [{ list: "cable-products", entries }, gone]);
      const outcome = await publish(publisher, plan, about);
      assert.equal((await approve(publisher, draftOf(outcome), "boss")).state, "published");
      const products = groupIn(await seenAnew(store), "cable-products", "DSTV");
      assert.deepEqual(
        products.map(({ content }) => [content.code, content.id]),
        [
          ["a", 1],
          ["b", 2],
          ["c", 3],
        ],
      );
    });

    test("if a draft's difference has changed, an approval shows the new one and publishes nothing", async (t) => {
      const { store, publisher } = await opened(t, engine);
      const id = draftOf(await publish(publisher, priced("MTNDATA 104", 100), about));
      await publish(publisher, priced("MTNDATA 104", 12_000), about);
      const first = await approve(publisher, id, "boss");
      assert.equal(first.state, "recomputed");
      assert.match((await findDraft(store.db, id)).reasons, /₦120 → ₦1 /);
      assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 12_000);
      assert.equal((await approve(publisher, id, "boss", 2)).state, "published");
      assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 100);

      const empty = draftOf(await publish(publisher, priced("MTNDATA 104", 10_000), about));
      await approve(publisher, draftOf(await publish(publisher, priced("MTNDATA 104", 10_000), about)), "boss");
      assert.deepEqual(await approve(publisher, empty, "boss"), { state: "empty" });
      assert.equal((await findDraft(store.db, empty)).state, "rejected");
    });

    test("if two people approve a draft at once, one publishes it and the other gets an error", async (t) => {
      const { store, publisher } = await opened(t, engine);
      const other = await store.beside();
      const now = draftOf(await publish(publisher, priced("MTNDATA 104", 100), about));
      const later = { ...about, holdsFrom: start + hour };
      const then = draftOf(await publish(publisher, priced("MTNDATA 113", 100), later));
      const clock = { now: publisher.now };
      for (const [id, state] of [
        [now, "published"],
        [then, "scheduled"],
      ] as const) {
        const approvals = [publisher, publisherOf(other.db, clock)].map((each) => approve(each, id, "boss"));
        const [refused] = (await Promise.allSettled(approvals)).filter(({ status }) => status === "rejected");
        assert.match(String((refused as PromiseRejectedResult).reason), new RegExp(`Draft d${id} is ${state}:`));
        assert.equal((await findDraft(store.db, id)).state, state);
      }
      assert.equal((await seenAnew(store)).revision, 2);
    });

    for (const [what, holdsFrom] of [
      ["held", undefined],
      ["scheduled", start + 2 * hour],
    ] as const)
      test(`two people who approve a ${what} draft with an outdated difference never publish changes that they have not seen`, async (t) => {
        const { store, publisher } = await opened(t, engine);
        const other = await store.beside();
        const id = draftOf(await publish(publisher, priced("MTNDATA 104", 100), { ...about, holdsFrom }));
        // A scheduled change alters the difference of a later one, and makes no revision.
        const before = holdsFrom === undefined ? about : { ...about, holdsFrom: holdsFrom - hour };
        await publish(publisher, priced("MTNDATA 104", 12_000), before);
        const both = [publisher, publisherOf(other.db, { now: publisher.now })];
        const approvals = await Promise.all(both.map((each) => approve(each, id, "boss")));
        approvals.push(await approve(publisher, id, "late"));
        for (const approval of approvals) {
          assert.ok(approval.state === "recomputed");
          assert.deepEqual([approval.seen.version, approval.changes[0]!.old!.price], [2, 12_000]);
        }
        assert.equal((await findDraft(store.db, id)).state, "held");
        await assert.rejects(approve(publisher, id, "boss", 3), {
          message: `There is no d${id}.3: the draft is d${id}.2.`,
        });
        const state = holdsFrom === undefined ? "published" : "scheduled";
        assert.equal((await approve(publisher, id, "boss", 2)).state, state);
      });

    test("a held or a scheduled change is never served once it is rejected", async (t) => {
      const { store, clock, publisher } = await opened(t, engine);
      const held = draftOf(await publish(publisher, priced("MTNDATA 104", 100), about));
      const later = { ...about, holdsFrom: start + hour };
      const scheduled = draftOf(await publish(publisher, priced("MTNDATA 113", 21_000), later));
      for (const id of [held, scheduled]) await reject(publisher, id, "boss");
      clock.time = start + 2 * hour;
      await publishDue(publisher);
      assert.equal((await seenAnew(store)).revision, 1);
      assert.deepEqual(await listWaiting(store.db), []);
      for (const id of [held, scheduled]) {
        await assert.rejects(reject(publisher, id, "boss"), { message: /is rejected: only what is held or scheduled/ });
        const { content } = await store.db
          .selectFrom("catalogue_draft")
          .select("content")
          .where("id", "=", id)
          .executeTakeFirstOrThrow();
        assert.equal(content, null);
      }
    });
  });
