import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { until } from "../../../test/support/until.ts";
import { storeAccount } from "../../ledger/ledger-rows.fixture.ts";
import { renewDeliveries } from "../../storage/events/served-endpoints.ts";
import { failingEndpoints, undelivered } from "../../storage/events/undelivered.ts";
import { backOff } from "./deliver.ts";
import { resend } from "./deliveries.ts";
import { rollSecret } from "./endpoints.ts";
import { eventKeyring, eventStore, openReceiver, readDelivery, round } from "./events.fixture.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

suite("the pause after failures", () => {
  test("the pause after failures grows from 5 s to an hour, plus up to 20 %", () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 50].map((failures) => backOff(failures, () => 0));
    assert.deepEqual(pauses, [5_000, 20_000, 80_000, 320_000, 1_280_000, hour, hour, hour]);
    assert.equal(
      backOff(1, () => 1),
      6_000,
    );
  });
});

for (const engine of engines)
  suite(`deliveries on ${engine.name}`, () => {
    const store = eventStore(engine);

    /** A receiver and its endpoint, of an account of its own. */
    const receiving = async (t: TestContext, account: string) => {
      const receiver = await openReceiver();
      t.after(() => receiver.close());
      return { receiver, account, ...(await store.endpoint(account, receiver.url)) };
    };

    test("deliveries mark the live events of a rehearsal, and no other events", async (t) => {
      const receiver = await openReceiver();
      t.after(() => receiver.close());
      for (const mode of ["test", "live"] as const) await store.endpoint("acc_rehearsal", receiver.url, [], mode);
      const marks = async (standIns: boolean) => {
        for (const mode of ["test", "live"] as const) await store.event("acc_rehearsal", mode);
        await round(store.deliverer({ standIns }));
        const received = receiver.received
          .splice(0)
          .map(({ headers, body }) => [JSON.parse(body).mode, headers["duba-mode"]]);
        return Object.fromEntries(received);
      };
      assert.deepEqual(await marks(true), { test: undefined, live: "stand-in" });
      assert.deepEqual(await marks(false), { test: undefined, live: undefined });
    });

    test("deliveries are signed by the standard, and go only to the event's account and mode", async (t) => {
      const shop = await receiving(t, "acc_shop");
      const other = await receiving(t, "acc_other");
      const live = await openReceiver();
      const picky = await openReceiver();
      for (const receiver of [live, picky]) t.after(() => receiver.close());
      await store.endpoint("acc_shop", live.url, [], "live");
      await store.endpoint("acc_shop", picky.url, ["key.expiring"]);
      const id = await store.event("acc_shop");
      await round(store.deliverer());
      const [delivery] = shop.receiver.received;
      assert.deepEqual(shop.receiver.ids(), [id]);
      const body = readDelivery(shop.secret, delivery!);
      const { data, ...rest } = body as { data: { revoked_at: string } };
      const timestamp = new Date(store.at).toISOString();
      assert.deepEqual(rest, { id, type: "key.revoked", timestamp, mode: "test" });
      assert.equal(data.revoked_at, timestamp);
      assert.equal(delivery!.headers["content-type"], "application/json");
      assert.throws(() => readDelivery(other.secret, delivery!), /No matching signature/);
      assert.deepEqual(
        [other.receiver, live, picky].map((receiver) => receiver.received.length),
        [0, 0, 0],
      );
      await round(store.deliverer());
      assert.equal(shop.receiver.received.length, 1, "it is delivered once");
    });

    test("deliveries survive an hour of a receiver's absence, complete and in order", async (t) => {
      const { receiver, account, id } = await receiving(t, "acc_down");
      const deliverer = store.deliverer();
      const { port } = new URL(receiver.url);
      receiver.close();
      const events: string[] = [];
      const begun = store.at;
      for (let minutes = 0; minutes < 60; minutes += 1) {
        if (minutes % 6 === 0) events.push(await store.event(account));
        await round(deliverer);
        store.at += minute;
      }
      assert.equal((await store.delivery(id, events[0]!)).outcome, "ECONNREFUSED");
      const again = await openReceiver(Number(port));
      t.after(() => again.close());
      while (again.received.length === 0) {
        store.at += minute;
        await round(deliverer);
      }
      assert.deepEqual(again.ids(), events);
      assert.ok(store.at - begun < 3 * hour, "it comes within two hours after the receiver is back");
    });

    test("a delivery is repeated after a 500 or a cut response, and later deliveries wait", async (t) => {
      const { receiver, account, id, secret } = await receiving(t, "acc_500");
      const answers = [500, "break", 301, 204] as const;
      receiver.behaves = () => answers[receiver.received.length - 1] ?? 204;
      const [first, second] = [await store.event(account), await store.event(account)];
      const deliverer = store.deliverer();
      const outcomes: (string | null)[] = [];
      for (const pause of [0, 7_000, 30_000, 120_000]) {
        store.at += pause;
        await round(deliverer);
        outcomes.push((await store.delivery(id, first)).outcome);
      }
      assert.deepEqual(outcomes, ["500", "ECONNRESET", "301", "204"]);
      assert.deepEqual(receiver.ids(), [first, first, first, first, second]);
      const times = receiver.received.map(({ headers }) => headers["webhook-timestamp"]);
      assert.equal(new Set(times.slice(0, 4)).size, 4, "each attempt has a time of its own");
      for (const delivery of receiver.received) readDelivery(secret, delivery);
    });

    test("a delivery is dead after 3 days, the next one goes on, and a command resends it", async (t) => {
      const { receiver, account, id } = await receiving(t, "acc_dead");
      const poison = await store.event(account);
      receiver.behaves = ({ headers }) => (headers["webhook-id"] === poison ? 500 : 204);
      const behind = await store.event(account);
      const deliverer = store.deliverer();
      await round(deliverer);
      store.at += 3 * day - minute;
      await round(deliverer);
      assert.equal((await store.delivery(id, poison)).state, "waiting");
      store.at += 2 * minute;
      await round(deliverer);
      assert.equal((await store.delivery(id, poison)).state, "dead");
      store.at += 10_000;
      await round(deliverer);
      assert.equal((await store.delivery(id, behind)).state, "delivered");
      assert.ok(deliverer.counts.dead === 1 && deliverer.counts.failed === 2 && deliverer.counts.delivered === 1);

      receiver.behaves = () => 204;
      assert.equal(await resend(store.place(), { endpoint: id }, store.at), 1);
      assert.equal(await resend(store.place(), { endpoint: id }, store.at), undefined);
      await round(deliverer);
      assert.equal(receiver.ids().at(-1), poison);
      await resend(store.place(), { endpoint: id, event: behind }, store.at);
      const last = await store.event(account);
      await round(deliverer);
      assert.deepEqual(receiver.ids().slice(-2), [behind, last]);
    });

    test("a resent delivery gets 3 new days, and its old outcome is removed", async (t) => {
      const { receiver, account, id } = await receiving(t, "acc_again");
      receiver.behaves = () => 500;
      const event = await store.event(account);
      const deliverer = store.deliverer();
      for (const wait of [0, 3 * day + minute]) {
        store.at += wait;
        await round(deliverer);
      }
      const { state, outcome } = await store.delivery(id, event);
      assert.deepEqual([state, outcome], ["dead", "500"]);
      await resend(store.place(), { endpoint: id }, store.at);
      const again = await store.delivery(id, event);
      assert.deepEqual(
        [again.state, again.attempts, again.tried_at, again.outcome, again.give_up_at],
        ["waiting", 0, null, null, store.at + 3 * day],
      );
      for (const [wait, becomes] of [
        [0, "waiting"],
        [3 * day - minute, "waiting"],
        [2 * minute, "dead"],
      ] as const) {
        store.at += wait;
        await round(deliverer);
        assert.equal((await store.delivery(id, event)).state, becomes);
      }
    });

    test("endpoints that do not answer do not delay deliveries to other endpoints", async (t) => {
      const slow = await Promise.all(["s1", "s2", "s3"].map((name) => receiving(t, `acc_${name}`)));
      for (const { receiver } of slow) receiver.behaves = () => "hang";
      const quick = await receiving(t, "acc_quick");
      for (const { account } of slow) for (const _ of [1, 2, 3]) await store.event(account);
      const deliverer = store.deliverer();
      await deliverer.begin();
      await until(() => slow.every(({ receiver }) => receiver.received.length === 1));
      const events = [await store.event(quick.account), await store.event(quick.account)];
      await deliverer.begin();
      await until(() => quick.receiver.received.length === 2);
      assert.deepEqual(quick.receiver.ids(), events);
      assert.deepEqual(
        slow.map(({ receiver }) => receiver.received.length),
        [1, 1, 1],
      );
      await deliverer.stop();
      const impatient = store.deliverer({ timeout: 1000 });
      await round(impatient);
      for (const { id, receiver } of slow) {
        const row = store.db.selectFrom("event_delivery").selectAll().where("endpoint_id", "=", id).orderBy("place");
        const rows = await row.execute();
        assert.deepEqual(
          rows.map(({ attempts, outcome }) => [attempts, outcome]),
          [
            [1, "timed_out"],
            [0, null],
            [0, null],
          ],
        );
        assert.equal(receiver.received.length, 2, "what was broken off at the stop counts as not tried");
      }
    });

    test("many slow endpoints of one account do not delay other accounts", async (t) => {
      const slow = await openReceiver();
      t.after(() => slow.close());
      slow.behaves = () => "hang";
      const deliverer = store.deliverer({ timeout: 60_000 });
      t.after(() => deliverer.stop());
      for (const [mode, endpoints, taken] of [
        ["test", 6, 6],
        ["live", 10, 10],
      ] as const) {
        for (let n = 0; n < endpoints; n += 1) await store.endpoint("acc_many_slow", `${slow.url}?${n}`, [], mode);
        await store.event("acc_many_slow", mode);
        await deliverer.begin();
        await until(() => slow.received.length >= taken);
      }
      const others = await Promise.all(["o1", "o2", "o3"].map((name) => receiving(t, `acc_${name}`)));
      for (const { account } of others) await store.event(account);
      await deliverer.begin();
      await until(() => others.every(({ receiver }) => receiver.received.length === 1));
      assert.equal(slow.received.length, 10, "the account has its 10 places and no more");
    });

    test("a suspended account's deliveries wait without alarm, and get 3 more days after the suspension", async (t) => {
      const { receiver, account, id } = await receiving(t, "acc_suspended");
      receiver.behaves = () => 500;
      await storeAccount(store.db, account);
      const suspended = (at: number | null) =>
        store.db.updateTable("account").set({ suspended_at: at }).where("id", "=", account).execute();
      const event = await store.event(account);
      const deliverer = store.deliverer();
      await round(deliverer);
      await store.db.deleteFrom("event_delivery").where("endpoint_id", "<>", id).execute();
      await suspended(store.at);
      store.at += 5 * day;
      await round(deliverer);
      assert.equal(receiver.received.length, 1);
      assert.partialDeepStrictEqual(await undelivered(store.db), { waiting: 1, oldest: null });
      assert.deepEqual(
        (await failingEndpoints(store.db, store.at)).filter((one) => one.id === id),
        [],
      );
      assert.equal((await store.delivery(id, event)).state, "waiting");

      await suspended(null);
      await renewDeliveries(store.db, account, store.at);
      await round(deliverer);
      const { state, give_up_at } = await store.delivery(id, event);
      assert.deepEqual([state, give_up_at], ["waiting", store.at + 3 * day]);
      receiver.behaves = () => 204;
      store.at += minute;
      await round(deliverer);
      assert.deepEqual(receiver.ids(), [event, event, event]);
    });

    test("deliveries stop at once when the account is suspended", async (t) => {
      const { receiver, account } = await receiving(t, "acc_suspended_in_turn");
      for (const _ of [1, 2, 3]) await store.event(account);
      receiver.behaves = () => (response) => {
        const suspends = storeAccount(store.db, account, { suspended_at: store.at });
        suspends.then(() => response.writeHead(204).end());
      };
      await round(store.deliverer());
      assert.equal(receiver.received.length, 1);
    });

    test("two instances deliver each event once, in order, and never two at a time to one endpoint", async (t) => {
      const all = await Promise.all(["a", "b", "c"].map((name) => receiving(t, `acc_two_${name}`)));
      let atOnce = 0;
      let most = 0;
      const { receiver: watched } = all[0]!;
      watched.behaves = () => (response) => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        setImmediate(() => {
          atOnce -= 1;
          response.writeHead(204).end();
        });
      };
      const sent = new Map(all.map(({ account }) => [account, [] as string[]]));
      for (let n = 0; n < 15; n += 1)
        for (const { account } of all) sent.get(account)!.push(await store.event(account));
      const instances = [store.deliverer(), store.deliverer()];
      while (all.some(({ receiver }) => receiver.received.length < 15)) await round(...instances);
      await round(...instances);
      for (const { account, receiver } of all) assert.deepEqual(receiver.ids(), sent.get(account));
      assert.equal(most, 1);
    });

    test("deliveries of a frozen process are taken over once its lease ends", async (t) => {
      const { receiver, account } = await receiving(t, "acc_frozen");
      receiver.behaves = () => "hang";
      const id = await store.event(account);
      const frozen = store.deliverer();
      await frozen.begin();
      await until(() => receiver.received.length === 1);
      receiver.behaves = () => 204;
      const next = store.deliverer();
      await round(next);
      assert.equal(receiver.received.length, 1, "nobody else sends while the lease lasts");
      store.at += 31_000;
      await round(next);
      assert.deepEqual(receiver.ids(), [id, id]);
      await frozen.stop();
      const { state, attempts } = await store.delivery((await endpointOf(account)).id, id);
      assert.deepEqual([state, attempts], ["delivered", 1]);
    });

    const endpointOf = async (account: string) =>
      store.db.selectFrom("event_endpoint").selectAll().where("audience", "=", account).executeTakeFirstOrThrow();

    test("during the overlap of a roll, deliveries are signed with both secrets, then with the new one", async (t) => {
      const { receiver, account, id, secret: before } = await receiving(t, "acc_roll");
      const { secret } = await rollSecret(store.place(), { id, overlap: hour });
      await store.event(account);
      await round(store.deliverer());
      store.at += hour;
      await store.event(account);
      await round(store.deliverer());
      const [during, later] = receiver.received;
      for (const each of [before, secret]) readDelivery(each, during!);
      readDelivery(secret, later!);
      assert.throws(() => readDelivery(before, later!), /No matching signature/);
      assert.notEqual(before, secret);
    });

    test("waiting deliveries are signed with the new secret, even if a batch began before the roll", async (t) => {
      const { receiver, account, id, secret: before } = await receiving(t, "acc_roll_in_turn");
      for (const _ of [1, 2]) await store.event(account);
      let rolled: ReturnType<typeof rollSecret> | undefined;
      receiver.behaves = () => (response) => {
        rolled ??= rollSecret(store.place(), { id, overlap: 0 });
        rolled.then(() => response.writeHead(204).end());
      };
      await round(store.deliverer());
      const [first, second] = receiver.received;
      readDelivery(before, first!);
      readDelivery((await rolled!).secret, second!);
    });

    test("deliveries wait while the key ring cannot open the secret, and the log says what to do", async (t) => {
      const { receiver, account, id } = await receiving(t, "acc_ring");
      const event = await store.event(account);
      const other = { ...eventKeyring, records: [{ id: "r9", key: Buffer.alloc(32, 9) }] };
      await round(store.deliverer({ keyring: { current: other } }));
      assert.deepEqual([receiver.received.length, (await store.delivery(id, event)).outcome], [0, "secret_unreadable"]);
      assert.ok(store.log.lines.some(({ message }) => message.includes("duba events endpoints roll")));
      store.at += 10_000;
      await round(store.deliverer());
      assert.deepEqual(receiver.ids(), [event]);
    });
  });
