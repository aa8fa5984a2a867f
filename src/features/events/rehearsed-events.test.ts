import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { scopes } from "../../declare/operation.ts";
import { newRing } from "../../keyring/file.ts";
import { deliveryTime, lastEvent, rehearsed } from "../../storage/events/announce.ts";
import { piecesOf } from "../../storage/queries/pieces.ts";
import { eventsAfter } from "./event-list.ts";
import { eventStore } from "./events.fixture.ts";
import { mostRehearsed, rehearse } from "./rehearsed-events.ts";

for (const engine of engines)
  suite(`rehearsed events on ${engine.name}`, () => {
    const store = eventStore(engine);
    const room = { db: undefined!, keyring: { current: newRing() } };
    const list = (accountId: string, after?: string) =>
      eventsAfter({ ...room, db: store.db }, { after, limit: 100 }, { accountId, mode: "test", scopes });
    const rehearseFor = (accountId: string) =>
      rehearse(store.db, { type: "key.revoked", accountId, at: store.at }).then(({ id }) => id);
    /** Rehearsed events as an older version stored them, without a limit. */
    const rehearseMany = async (audience: string, endpoint_id: string, count: number) => {
      const last = await lastEvent(store.db);
      const numbers = Array.from({ length: count }, (_, at) => last + 1 + at);
      for (const some of piecesOf(numbers)) {
        const event = {
          type: "key.revoked",
          audience,
          mode: "test",
          about: rehearsed,
          at: store.at,
          data: "{}",
        } as const;
        await store.db
          .insertInto("event")
          .values(some.map((number) => ({ ...event, number, id: `evt_${number}` })))
          .execute();
        const waits = { endpoint_id, state: "waiting", attempts: 0, give_up_at: store.at + deliveryTime } as const;
        const deliveries = some.map((number) => ({ ...waits, number, place: number, tried_at: null, outcome: null }));
        await store.db.insertInto("event_delivery").values(deliveries).execute();
      }
    };
    const idsOf = async (table: "event" | "event_delivery", account: string) => {
      const rows = store.db.selectFrom("event").where("audience", "=", account).where("about", "=", rehearsed);
      const found =
        table === "event"
          ? rows.select("id")
          : rows.innerJoin("event_delivery", "event_delivery.number", "event.number").select("event.id");
      return (await found.orderBy("event.number").execute()).map(({ id }) => id);
    };

    test("an account keeps at most 1,000 rehearsed events, and loses no real event or cursor", async () => {
      const first = await rehearseFor("acc_busy");
      const place = (await list("acc_other")).next;
      const ofOthers = await rehearseFor("acc_other");
      const real = await store.event("acc_busy");
      const { id: endpoint } = await store.endpoint("acc_busy", "http://127.0.0.1:9/hook", ["key.revoked"]);
      await rehearseMany("acc_busy", endpoint, mostRehearsed + 2);
      const before = await idsOf("event", "acc_busy");
      assert.deepEqual([before.length, before[0]], [mostRehearsed + 3, first]);

      const made = await rehearseFor("acc_busy");
      // The oldest event of the store stays, so that another account's cursor remains valid.
      const kept = [first, ...before.slice(5), made];
      assert.equal(kept.length, mostRehearsed);
      assert.deepEqual(await idsOf("event", "acc_busy"), kept);
      assert.deepEqual(await idsOf("event_delivery", "acc_busy"), kept.slice(1));
      assert.deepEqual(
        (await list("acc_other", place)).data.map(({ id }) => id),
        [ofOthers],
      );
      assert.equal((await list("acc_busy", "0")).data.filter(({ id }) => id === real).length, 1);
    });

    test("each new rehearsed event removes at most 200 of the rehearsed events beyond an account's limit", async () => {
      const { id: endpoint } = await store.endpoint("acc_old", "http://127.0.0.1:9/old", ["key.revoked"]);
      await rehearseMany("acc_old", endpoint, mostRehearsed + 299);
      const left: number[] = [];
      for (let n = 0; n < 4; n += 1) {
        await rehearseFor("acc_old");
        left.push((await idsOf("event", "acc_old")).length);
      }
      assert.deepEqual(left, [mostRehearsed + 100, mostRehearsed, mostRehearsed, mostRehearsed]);
    });

    test("rehearsed events that are made at once stay within the limit", async () => {
      await Promise.all(Array.from({ length: 6 }, () => rehearseFor("acc_old")));
      assert.equal((await idsOf("event", "acc_old")).length, mostRehearsed);
    });
  });
