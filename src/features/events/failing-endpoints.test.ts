import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import type { Audit } from "../../storage/audited.ts";
import { endpointTrail } from "../../storage/events/endpoint-trail.ts";
import { failingEndpoints } from "../../storage/events/undelivered.ts";
import { resend } from "./deliveries.ts";
import { removeEndpoint } from "./endpoints.ts";
import { eventStore, openReceiver, round } from "./events.fixture.ts";

const hour = 3_600_000;

for (const engine of usualEngines)
  suite(`an endpoint on ${engine.name}`, () => {
    const store = eventStore(engine);

    const receiving = async (t: TestContext, account: string) => {
      const receiver = await openReceiver();
      t.after(() => receiver.close());
      return { receiver, ...(await store.endpoint(account, receiver.url)) };
    };

    test("a 410 switches an endpoint off, so that waiting events are dead and later events are not sent", async (t) => {
      const account = "acc_gone";
      const { receiver, id } = await receiving(t, account);
      const before = store.at;
      receiver.behaves = () => 410;
      const events = [await store.event(account), await store.event(account)];
      const told: unknown[] = [];
      const audit: Audit = async (_, ...entries) => void told.push(...entries);
      await round(store.deliverer({ audit }));
      for (const event of events) assert.equal((await store.delivery(id, event)).state, "dead");
      const { host } = new URL(receiver.url);
      const facts = { endpoint: id, account, mode: "test", host };
      assert.deepEqual(told, [endpointTrail.endpointOff("system", facts)]);
      const failing = async () => (await failingEndpoints(store.db, store.at)).filter((one) => one.id === id);
      assert.deepEqual(await failing(), [{ id, isOff: true, since: before, waiting: 0 }]);
      const missed = await store.event(account);
      await assert.rejects(store.delivery(id, missed), /no result/);
      assert.equal(receiver.received.length, 1);

      receiver.behaves = () => 204;
      assert.equal(await resend(store.place(), { endpoint: id }, store.at), 2);
      const last = await store.event(account);
      await round(store.deliverer());
      assert.deepEqual(receiver.ids().slice(1), [...events, last]);
      assert.deepEqual(await failing(), []);
    });

    test("a 410 ends only its own endpoint's deliveries, and a resend touches no other endpoint", async (t) => {
      const account = "acc_two";
      const [gone, stays] = [await receiving(t, account), await receiving(t, account)];
      const took = await store.event(account);
      await round(store.deliverer());
      gone.receiver.behaves = () => 410;
      stays.receiver.behaves = () => 500;
      const event = await store.event(account);
      await round(store.deliverer());
      const states = async () => {
        const all = [gone, stays].flatMap(({ id }) => [took, event].map((each) => store.delivery(id, each)));
        return (await Promise.all(all)).map(({ state }) => state);
      };
      assert.deepEqual(await states(), ["delivered", "dead", "delivered", "waiting"]);
      await resend(store.place(), { endpoint: gone.id, event: took }, store.at);
      assert.deepEqual(await states(), ["waiting", "dead", "delivered", "waiting"]);
    });

    test("an endpoint that is removed while it answers 410 is not switched off", async (t) => {
      const account = "acc_removed";
      const { receiver, id } = await receiving(t, account);
      const removed = Promise.withResolvers<unknown>();
      receiver.behaves = () => (response) => {
        removed.resolve(removeEndpoint(store.place(), { id }).finally(() => response.writeHead(410).end()));
      };
      await store.event(account);
      const told: unknown[] = [];
      const audit: Audit = async (_, ...entries) => void told.push(...entries);
      await round(store.deliverer({ audit }));
      await removed.promise;
      assert.deepEqual(told, []);
      assert.doesNotMatch(JSON.stringify(store.log.lines), new RegExp(id));
    });

    test("resent events queue in order behind waiting events, and are moved in transactions of 200", async (t) => {
      const account = "acc_many";
      const { id } = await receiving(t, account);
      const events: string[] = [];
      for (let count = 0; count < 250; count += 1) events.push(await store.event(account));
      await store.db.updateTable("event_delivery").set({ state: "dead" }).where("endpoint_id", "=", id).execute();
      const waits = await store.event(account);
      const pieces: unknown[] = [];
      const audit: Audit = async (_, ...entries) => void pieces.push(...entries.map(({ facts }) => facts.events));
      assert.equal(await resend({ ...store.place(), audit }, { endpoint: id }, store.at), 250);
      assert.deepEqual(pieces, [200, 50]);
      const queue = await store.db
        .selectFrom("event_delivery as delivery")
        .innerJoin("event", "event.number", "delivery.number")
        .select(["event.id", "state"])
        .where("endpoint_id", "=", id)
        .orderBy("place")
        .execute();
      const inOrder = [waits, ...events].map((event) => ({ id: event, state: "waiting" }));
      assert.deepEqual(queue, inOrder);
    });

    test("a live endpoint without TLS gets nothing if no operator opened its network", async () => {
      const { id } = await store.endpoint("acc_plain", "http://8.8.8.8/", [], "live");
      const event = await store.event("acc_plain", "live");
      await round(store.deliverer({ timeout: 1_000 }));
      assert.equal((await store.delivery(id, event)).outcome, "https_required");
      await removeEndpoint(store.place(), { id });
    });

    test("an endpoint that accepts nothing for more than an hour is marked for attention", async (t) => {
      const account = "acc_failing";
      const { receiver, id } = await receiving(t, account);
      receiver.behaves = () => 500;
      const since = store.at;
      for (const _ of [1, 2]) await store.event(account);
      await round(store.deliverer());
      const failing = async () => (await failingEndpoints(store.db, store.at)).filter((one) => one.id === id);
      store.at += hour;
      assert.deepEqual(await failing(), []);
      store.at += 1;
      assert.deepEqual(await failing(), [{ id, isOff: false, since, waiting: 2 }]);
      receiver.behaves = () => 204;
      await round(store.deliverer());
      assert.deepEqual(await failing(), []);
    });
  });
