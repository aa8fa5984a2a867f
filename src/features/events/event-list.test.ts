import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import type { Failure } from "../../declare/failures.ts";
import { type Mode, type Scope, scopes } from "../../declare/operation.ts";
import { newRing } from "../../keyring/file.ts";
import { announce, everyAccount, operators } from "../../storage/events/announce.ts";
import { newHistoryId } from "../../storage/history-id.ts";
import { removeBatches } from "../../storage/retention/retention-rule.ts";
import { openStore } from "../../storage/store.ts";
import { type KeptTimes, rulesIn } from "../../storage/tables/declared-table.ts";
import { eventTables } from "../../storage/tables/event-tables.ts";
import { openCursor, sealCursor } from "./cursors.ts";
import { eventsAfter } from "./event-list.ts";
import { eventStore } from "./events.fixture.ts";

const day = 86_400_000;

for (const engine of engines)
  suite(`the list of events on ${engine.name}`, () => {
    const store = eventStore(engine);
    const ring = newRing();
    const room = () => ({ db: store.db, keyring: { current: ring } });
    const list = (
      accountId: string,
      after?: string,
      { limit = 100, mode = "test", of = scopes }: { limit?: number; mode?: Mode; of?: readonly Scope[] } = {},
    ) => eventsAfter(room(), { after, limit }, { accountId, mode, scopes: of });
    const refusal = async (after: string) => {
      const failure = await list("acc_a", after).then(
        () => assert.fail("it lists"),
        (failure: Failure) => failure,
      );
      return [failure.code, failure.detail.fields?.[0]?.field, failure.message] as const;
    };
    const sweep = (times: KeptTimes = { keepsWaiting: true }) => {
      const [rule] = rulesIn(eventTables, { ...times, audit: async () => {}, trimTrail: async () => 0 });
      return removeBatches(store.db, rule!, store.at - 60 * day);
    };
    const publish = () =>
      announce(store.db, {
        type: "catalogue.published",
        audience: everyAccount,
        mode: null,
        about: "2",
        at: store.at,
        data: { revision: 2, added: 1, modified: 0, removed: 0, changes: "/api/v2/catalogue/changes?after=0" },
      });

    test("the event feed begins at the reader's cursor and continues page by page", async () => {
      const before = await list("acc_a");
      assert.deepEqual([before.data, before.more], [[], false]);
      const made: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        made.push(await store.event("acc_a"));
        await store.event("acc_b");
      }
      const read: string[] = [];
      let page = await list("acc_a", before.next, { limit: 2 });
      for (; page.more; page = await list("acc_a", page.next, { limit: 2 }))
        read.push(...page.data.map(({ id }) => id));
      read.push(...page.data.map(({ id }) => id));
      assert.deepEqual(read, made);
      assert.deepEqual((await list("acc_a", page.next)).data, []);
      const later = await store.event("acc_a");
      assert.deepEqual(
        (await list("acc_a", page.next)).data.map(({ id }) => id),
        [later],
      );
    });

    test("a cursor reveals nothing about other accounts' events, and works only for its own account", async () => {
      const { next } = await list("acc_a");
      const still = (await list("acc_a", next)).next;
      for (let n = 0; n < 20; n += 1) await store.event("acc_b");
      const later = (await list("acc_a", still)).next;
      assert.deepEqual(new Set([next, still, later].map(({ length }) => length)), new Set([72]));
      assert.equal(new Set([next, still, later]).size, 3);
      await assert.rejects(list("acc_b", later), /another history/);
    });

    test("the event feed shows the account's events in the key's mode and scopes", async () => {
      const { next } = await list("acc_c");
      const live = await store.event("acc_c", "live");
      const test = await store.event("acc_c", "test");
      await publish();
      const alarm = { vendor: "dojah", alarm: "no_money" };
      await announce(store.db, {
        type: "vendor.alarm",
        audience: operators,
        mode: null,
        about: "dojah",
        data: alarm,
        at: 1,
      });
      const shown = async (mode: Mode, of?: readonly Scope[]) =>
        (await list("acc_c", next, { mode, ...(of && { of }) })).data.map(({ id, type }) =>
          type === "key.revoked" ? id : type,
        );
      assert.deepEqual(await shown("live"), [live, "catalogue.published"]);
      assert.deepEqual(await shown("test"), [test, "catalogue.published"]);
      assert.deepEqual(await shown("test", ["identity:verify"]), [test]);
    });

    test("a cursor that expired, is of another history or lies ahead is refused", async () => {
      const { next } = await list("acc_a");
      const [number, history] = openCursor(ring, "acc_a", next)!.split("-") as [string, string];
      const at = (place: string) => sealCursor(ring, "acc_a", place);
      const isRefused = async (after: string, why: RegExp) => {
        const [code, field, message] = await refusal(after);
        assert.deepEqual([code, field], ["validation_failed", "after"]);
        assert.match(message, why);
      };
      await isRefused(at(`${number}-${newHistoryId()}`), /another history/);
      await isRefused(at(`${Number(number) + 1}-${history}`), /another history/);
      await isRefused(sealCursor(newRing(), "acc_a", `${number}-${history}`), /another history/);
      store.at += 61 * day;
      const young = [await store.event("acc_a"), await store.event("acc_a")];
      await sweep();
      await isRefused(at(`${Number(number) - 1}-${history}`), /older than the events that are kept/);
      for (const after of [next, "0"])
        assert.deepEqual(
          (await list("acc_a", after)).data.map(({ id }) => id),
          young,
        );
    });

    test("events that wait for an endpoint, and the newest event, are kept", async () => {
      await store.endpoint("acc_waits", "https://shop.example.com/");
      const waits = await store.event("acc_waits");
      await store.event("acc_a");
      store.at += 61 * day;
      await sweep();
      const ids = async () =>
        (await store.db.selectFrom("event").select("id").orderBy("number").execute()).map(({ id }) => id);
      assert.equal((await ids())[0], waits);
      await store.db.updateTable("event_delivery").set({ state: "dead" }).execute();
      await sweep();
      assert.equal((await ids()).length, 1);
      assert.deepEqual(await store.db.selectFrom("event_delivery").selectAll().execute(), []);
    });

    test("in a build without delivery, retention also deletes events that wait for an endpoint", async () => {
      await store.endpoint("acc_left", "https://shop.example.com/left");
      await store.event("acc_left");
      const newest = await store.event("acc_left");
      store.at += 61 * day;
      await sweep({});
      const left = await store.db.selectFrom("event").select("id").execute();
      assert.deepEqual(left, [{ id: newest }]);
    });

    test("the event feed misses no event while several processes write", async () => {
      let { next } = await list("acc_many");
      const others = await Promise.all([1, 2, 3].map(() => openStore({ ...store.settings, serving: false })));
      const wanted = 30;
      const seen = new Set<string>();
      const writing = others.map(async ({ db }, other) => {
        for (let n = 0; n < wanted / others.length; n += 1)
          await db.transaction().execute(async (trx) => {
            const data = { key: `key_${other}_${n}`, revoked_at: new Date(store.at).toISOString() };
            await announce(trx, {
              type: "key.revoked",
              audience: "acc_many",
              mode: "test",
              about: data.key,
              data,
              at: store.at,
            });
            // One more statement before the commit makes the transaction longer.
            await trx.selectFrom("event").select("number").limit(1).execute();
          });
      });
      const all = Promise.all(writing).then(() => true);
      for (let isDone = false; seen.size < wanted; ) {
        const page = await list("acc_many", next);
        for (const { id } of page.data) seen.add(id);
        next = page.next;
        if (isDone) break;
        isDone = await Promise.race([all, new Promise<false>((resolve) => setImmediate(resolve, false))]);
      }
      await all;
      await Promise.all(others.map((other) => other.close()));
      assert.equal(seen.size, wanted);
    });

    test("a rolled-back change leaves no event, and no event has undeclared data", async () => {
      const { next } = await list("acc_a");
      const undone = store.db.transaction().execute(async (trx) => {
        const data = { key: "k", revoked_at: new Date(store.at).toISOString() };
        await announce(trx, { type: "key.revoked", audience: "acc_a", mode: "test", about: "k", data, at: store.at });
        throw new Error("undone");
      });
      await assert.rejects(undone, /undone/);
      const wrong = { key: "Ada Obi, 08000000017", revoked_at: "now" };
      const event = {
        type: "key.revoked",
        audience: "acc_a",
        mode: "test",
        about: "k",
        data: wrong,
        at: store.at,
      } as const;
      await assert.rejects(announce(store.db, event), /breaks its schema at \/key pattern/);
      assert.deepEqual((await list("acc_a", next)).data, []);
    });
  });
