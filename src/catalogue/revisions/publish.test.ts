import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { openStore } from "../../storage/store.ts";
import { freshStore, priced, publisherOf, type TestStore } from "../catalogue.fixture.ts";
import { groupIn, itemIn, type Snapshot } from "../snapshot.ts";
import { loadStarter } from "../starter.ts";
import { type Change, changesBetween } from "./change.ts";
import { approve, reject } from "./decide.ts";
import { difference, ListFault, type WantedList } from "./difference.ts";
import { Draft } from "./draft.ts";
import { listRevisions, listWaiting, showDraft } from "./history.ts";
import { allChangesOf, newestSnapshot, snapshotAt } from "./load.ts";
import { type Outcome, type Plan, publish } from "./publish.ts";
import { undoing } from "./rebase.ts";
import { publishDue } from "./schedule.ts";
import type { Publisher } from "./settle.ts";

const about = { author: "ops", source: "test", note: "a note" };
const start = Date.UTC(2026, 0, 31, 9, 30);
const hour = 3_600_000;

/** A store under a clock, and a publisher on it; with the starter catalogue unless it is to be empty. */
async function opened(engine: (typeof engines)[number], changes: Partial<Publisher> = {}, empty = false) {
  const store = await freshStore(engine);
  const clock = { time: start };
  const publisher = store.publisher({ now: () => clock.time, ...changes });
  if (!empty) await loadStarter(publisher);
  return { store, clock, publisher };
}

const priceOf = (snapshot: Snapshot, key: string) => itemIn(snapshot, "data-bundles", key)?.content.price;

/** The catalogue as a process sees it that starts now. */
const seenAnew = ({ db }: TestStore) => newestSnapshot(db);

/** Raises a price by a kobo. */
function dearer(key: string): Plan {
  return (base) => priced(key, Number(priceOf(base, key)) + 1)(base);
}

function draftOf(outcome: Outcome): number {
  assert.ok("draft" in outcome, outcome.state);
  return outcome.draft;
}

/** One provider with many bundles, every one at this price. */
function many(count: number, price: number): WantedList[] {
  const provider = { type: "MANY", id: 9, name: "", narration: "", image: "" };
  const bundle = { type: "MANY", description: "", amount: 1, value: "", duration: "" };
  const entries = Array.from({ length: count }, (_, n) => ({
    place: "",
    content: { ...bundle, code: `c${n}`, price },
  }));
  return [
    { list: "data-providers", entries: [{ place: "", content: provider }] },
    { list: "data-bundles", entries },
  ];
}

/** Takes the newest revision out of the items again, from this place of its changes on. */
async function unfold({ db }: TestStore, place: number): Promise<void> {
  const newest = await db
    .selectFrom("catalogue_revision")
    .selectAll()
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
  await db
    .updateTable("catalogue_revision")
    .set({ folded: 0, folded_to: place })
    .where("number", "=", newest.number)
    .execute();
  const changes = (await allChangesOf(db, newest.draft!)).filter((change) => change.place > place);
  await db.transaction().execute(async (trx) => {
    for (const { subject, key, old } of changes) {
      await trx.deleteFrom("catalogue_item").where("list", "=", subject).where("key", "=", key).execute();
      if (old === null) continue;
      const item = { list: subject, key, position: old.position, content: JSON.stringify(old.content) };
      await trx.insertInto("catalogue_item").values(item).execute();
    }
  });
}

for (const engine of engines)
  suite(`publishing on ${engine.name}`, { concurrency: true }, () => {
    test("makes one revision of all changes, and none of no change", async () => {
      const { store, publisher } = await opened(engine);
      try {
        const outcome = await publish(publisher, priced("MTNDATA 104", 11_000), about);
        assert.equal(outcome.state, "published");
        const [revision] = await listRevisions(store.db, 1);
        const { draft, ...facts } = revision!;
        assert.deepEqual(facts, { number: 2, publishedAt: start, ...about, added: 0, modified: 1, removed: 0 });
        assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 11_000);
        const again = await publish(publisher, priced("MTNDATA 104", 11_000), about);
        assert.deepEqual(again, { state: "unchanged", revision: 2 });
        assert.equal((await listRevisions(store.db, 9)).length, 2);
      } finally {
        await store.close();
      }
    });

    test("changes nothing when the plan throws", async () => {
      const { store, publisher } = await opened(engine);
      try {
        const wanted = many(2, 1).slice(1);
        await assert.rejects(
          publish(publisher, (base) => difference(base, wanted), about),
          ListFault,
        );
        assert.equal((await seenAnew(store)).revision, 1);
        assert.equal((await store.db.selectFrom("catalogue_draft").selectAll().execute()).length, 1);
      } finally {
        await store.close();
      }
    });

    test("keeps every revision: each can be looked at, compared and undone", async () => {
      const { store, publisher } = await opened(engine);
      try {
        const first = await publisher.latest();
        await publish(publisher, priced("MTNDATA 104", 11_000), about);
        await publish(
          publisher,
          (base) => {
            const old = itemIn(base, "data-bundles", "MTNDATA 113")!;
            return [{ subject: "data-bundles", key: old.key, old, new: null }];
          },
          about,
        );
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
        const undo =
          (number: number): Plan =>
          async (base) => {
            const made = await changesBetween(
              await snapshotAt(store.db, base, number - 1),
              await snapshotAt(store.db, base, number),
            );
            return (await undoing(base, made)).changes;
          };
        assert.deepEqual((await publish(publisher, undo(2), about)).state, "unchanged");
        await publish(publisher, undo(4), about);
        await publish(publisher, undo(3), about);
        await publish(publisher, undo(2), about);
        assert.deepEqual(await changesBetween(first, await seenAnew(store)), []);
        assert.equal((await seenAnew(store)).revision, 7);
      } finally {
        await store.close();
      }
    });

    test("holds what the guard does not let pass, until it is approved", async () => {
      const { store, publisher } = await opened(engine);
      try {
        const outcome = await publish(publisher, priced("MTNDATA 104", 100), about);
        assert.equal(outcome.state, "held");
        assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 10_000);
        const [held] = await listWaiting(store.db);
        assert.deepEqual([held!.id, held!.state, held!.modified], [draftOf(outcome), "held", 1]);
        assert.match(held!.reasons[0]!, /^MTNDATA 104: price moves from 100 to 1,/);
        await assert.rejects(approve(publisher, 99, "boss"), { message: /^There is no draft d99/ });

        // Another revision that has nothing to do with it makes no difference.
        await publish(publisher, priced("MTNDATA 113", 20_100), about);
        const approval = await approve(publisher, draftOf(outcome), "boss");
        assert.equal(approval.state, "published");
        assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 100);
        assert.deepEqual(await listWaiting(store.db), []);
        assert.equal((await showDraft(store.db, draftOf(outcome))).decidedBy, "boss");
        await assert.rejects(approve(publisher, draftOf(outcome), "boss"), {
          message: /is published: only what is held/,
        });
      } finally {
        await store.close();
      }
    });

    test("tells the difference of what is held anew when the catalogue was changed since, and asks again", async () => {
      const { store, publisher } = await opened(engine);
      try {
        const id = draftOf(await publish(publisher, priced("MTNDATA 104", 100), about));
        await publish(publisher, priced("MTNDATA 104", 12_000), about);
        const first = await approve(publisher, id, "boss");
        assert.equal(first.state, "recomputed");
        assert.match((await showDraft(store.db, id)).reasons[0]!, /moves from 120 to 1,/);
        assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 12_000);
        assert.equal((await approve(publisher, id, "boss")).state, "published");
        assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 100);

        const empty = draftOf(await publish(publisher, priced("MTNDATA 104", 10_000), about));
        await approve(publisher, draftOf(await publish(publisher, priced("MTNDATA 104", 10_000), about)), "boss");
        assert.deepEqual(await approve(publisher, empty, "boss"), { state: "empty" });
        assert.equal((await showDraft(store.db, empty)).state, "rejected");
      } finally {
        await store.close();
      }
    });

    test("never serves what is rejected, held or scheduled", async () => {
      const { store, clock, publisher } = await opened(engine);
      try {
        const held = draftOf(await publish(publisher, priced("MTNDATA 104", 100), about));
        const later = { ...about, holdsFrom: start + hour };
        const scheduled = draftOf(await publish(publisher, priced("MTNDATA 113", 21_000), later));
        for (const id of [held, scheduled]) await reject(publisher, id, "boss");
        clock.time = start + 2 * hour;
        await publishDue(publisher);
        assert.equal((await seenAnew(store)).revision, 1);
        assert.deepEqual(await listWaiting(store.db), []);
        for (const id of [held, scheduled]) {
          await assert.rejects(reject(publisher, id, "boss"), {
            message: /is rejected: only what is held or scheduled/,
          });
          const left = await store.db.selectFrom("catalogue_change").selectAll().where("draft", "=", id).execute();
          assert.deepEqual(left, []);
        }
      } finally {
        await store.close();
      }
    });

    test("publishes what is scheduled at its time, in the order of the times, on top of what came between", async () => {
      const { store, clock, publisher } = await opened(engine);
      try {
        const described =
          (description: string): Plan =>
          (base) => {
            const old = itemIn(base, "data-bundles", "MTNDATA 104")!;
            const state = { position: old.position, content: { ...old.content, description } };
            return [{ subject: "data-bundles", key: old.key, old, new: state }];
          };
        await publish(publisher, priced("MTNDATA 104", 13_000), {
          ...about,
          note: "third",
          holdsFrom: start + 3 * hour,
        });
        await publish(publisher, priced("MTNDATA 104", 12_000), {
          ...about,
          note: "second",
          holdsFrom: start + 2 * hour,
        });
        await publish(publisher, priced("MTNDATA 113", 19_000), {
          ...about,
          note: "gone",
          holdsFrom: start + 2 * hour,
        });
        assert.deepEqual(
          (await listWaiting(store.db)).map(({ note }) => note),
          ["second", "gone", "third"],
        );
        assert.equal((await seenAnew(store)).revision, 1);

        await publish(publisher, described("Other words"), about);
        await publish(
          publisher,
          (base) => {
            const old = itemIn(base, "data-bundles", "MTNDATA 113")!;
            return [{ subject: "data-bundles", key: old.key, old, new: null }];
          },
          about,
        );
        clock.time = start + 2 * hour;
        await publishDue(publisher);
        const between = await seenAnew(store);
        const { price, description } = itemIn(between, "data-bundles", "MTNDATA 104")!.content;
        assert.deepEqual([between.revision, price, description], [4, 12_000, "Other words"]);
        assert.equal(priceOf(between, "MTNDATA 113"), undefined);

        // What is due comes before what is published next.
        clock.time = start + 4 * hour;
        await publish(publisher, described("Last words"), about);
        const revisions = await listRevisions(store.db, 9);
        assert.deepEqual(revisions.map(({ note }) => note).slice(0, 3), ["a note", "third", "second"]);
        assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 13_000);
        assert.deepEqual(await listWaiting(store.db), []);
      } finally {
        await store.close();
      }
    });

    test("tells what is scheduled against what will be there then", async () => {
      const { store, clock, publisher } = await opened(engine);
      try {
        await publish(publisher, priced("MTNDATA 104", 11_000), { ...about, holdsFrom: start + hour });
        const back = await publish(publisher, priced("MTNDATA 104", 10_000), { ...about, holdsFrom: start + 2 * hour });
        assert.equal(back.state, "scheduled");
        clock.time = start + hour;
        await publishDue(publisher);
        assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 11_000);
        clock.time = start + 2 * hour;
        await publishDue(publisher);
        assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 10_000);
      } finally {
        await store.close();
      }
    });

    test("holds at its time what the guard would hold then, unless it was approved", async () => {
      const { store, clock, publisher } = await opened(engine);
      try {
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
        assert.match(held!.reasons[0]!, /moves from 70 to 150,/);
        assert.equal((await approve(publisher, held!.id, "boss")).state, "published");
        assert.equal(priceOf(await seenAnew(store), "MTNDATA 104"), 15_000);
      } finally {
        await store.close();
      }
    });

    test("two imports at once are two whole revisions, one after the other", async () => {
      const { store, publisher } = await opened(engine, {}, true);
      const other = await openStore({ ...store.settings, serving: false });
      try {
        const outcomes = await Promise.all([
          publish(publisher, (base) => difference(base, many(1_200, 10)), about),
          publish(publisherOf(other.db), (base) => difference(base, many(900, 11)), about),
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
      } finally {
        await other.close();
        await store.close();
      }
    });

    test("many that publish at once all get through, and revisions have no gaps", async () => {
      const { store, publisher } = await opened(engine);
      const others = await Promise.all([1, 2, 3].map(() => openStore({ ...store.settings, serving: false })));
      try {
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
      } finally {
        await Promise.all(others.map((each) => each.close()));
        await store.close();
      }
    });

    test("sweeps what a process left behind that ended while it wrote, and stops one that was only asleep", async () => {
      const { store, clock, publisher } = await opened(engine);
      try {
        const draft = new Draft(publisher, about);
        const changes: Change[] = Array.from({ length: 1_200 }, (_, n) => ({
          subject: "corporate-bundles",
          key: `C${n}`,
          old: null,
          new: { position: n, content: { code: `c${n}`, description: "" } },
        }));
        await draft.write(changes);
        clock.time += 29_000;
        await publish(publisher, priced("MTNDATA 104", 11_000), about);
        assert.equal((await showDraft(store.db, draft.id)).state, "staged");
        assert.equal(groupIn(await seenAnew(store), "corporate-bundles").length, 22);

        clock.time += 2_000;
        await publish(publisher, priced("MTNDATA 104", 12_000), about);
        await assert.rejects(showDraft(store.db, draft.id), { message: /^There is no draft/ });
        const left = await store.db.selectFrom("catalogue_change").selectAll().where("draft", "=", draft.id).execute();
        assert.deepEqual(left, []);
        const more = changes.map((change) => ({ ...change, key: `MORE ${change.key}` }));
        await assert.rejects(draft.write(more), { message: /swept it away/ });
      } finally {
        await store.close();
      }
    });

    test("a start sees each revision whole, wherever the taking into the items was broken off", async () => {
      const { store, publisher } = await opened(engine, {}, true);
      try {
        await publish(publisher, (base) => difference(base, many(2_300, 10)), about);
        await publish(publisher, (base) => difference(base, many(2_200, 11)), about);
        const whole = await seenAnew(store);
        for (const place of [2_000, 0]) {
          await unfold(store, place);
          assert.deepEqual(await changesBetween(whole, await seenAnew(store)), []);
        }
        await publish(publisher, priced("MANY C7", 12), about);
        const items = await store.db.selectFrom("catalogue_item").select("key").execute();
        assert.equal(items.length, 2_201);
        assert.equal(priceOf(await seenAnew(store), "MANY C7"), 12);
      } finally {
        await store.close();
      }
    });

    test("a snapshot is of one revision, whatever is published while it is read", async () => {
      const { store, publisher } = await opened(engine, {}, true);
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

    test("tells the audit trail of each change in the transaction of the change", async () => {
      const events: string[] = [];
      let broken = false;
      const { store, publisher } = await opened(engine, {
        audit: async (_, ...told) => {
          if (broken) throw new Error("the audit trail is full");
          for (const { kind, actor, facts } of told) events.push([kind, actor, ...Object.values(facts)].join(" "));
        },
      });
      try {
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
      } finally {
        await store.close();
      }
    });
  });
