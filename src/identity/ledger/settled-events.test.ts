import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines, failureFrom, newRequest, suiteStore, until } from "../identity.fixture.ts";
import { answering, PlayedUpstream, verified } from "../played-upstream.fixture.ts";
import { drainAuditOutbox } from "./audit-outbox.ts";
import { onlyRow } from "./ledger.fixture.ts";

const audit = async () => {};

for (const engine of engines)
  suite(`verifications that settle, on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const eventsOf = async (audience: string) => {
      const rows = await store.db.selectFrom("event").selectAll().where("audience", "=", audience).execute();
      return rows.map(({ type, mode, data, about }) => ({ type, mode, about, data: JSON.parse(data) }));
    };

    test("are announced once, with nothing of the person", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const outcomes = [{ kind: "unknown" as const }];
      const { upstream } = answering(async (question) => outcomes.shift() ?? verified(question));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "settles" });
      await failureFrom(identity.verify(mine));
      await drainAuditOutbox(store.db, audit);
      assert.deepEqual(await eventsOf(mine.accountId), [], "not while the outcome is unknown");
      const { record } = await identity.verify(mine);
      for (const _ of [1, 2]) await drainAuditOutbox(store.db, audit);
      const { reference } = await onlyRow(store.db, mine);
      const data = { request_reference: reference, kind: "bvn", state: "verified", charged: true };
      const event = { type: "verification.settled", mode: "test", about: reference, data };
      assert.deepEqual(await eventsOf(mine.accountId), [event]);
      const personal = [mine.number, mine.phone, record.personal_info.last_name, record.personal_info.date_of_birth];
      const text = JSON.stringify(await store.db.selectFrom("event").selectAll().execute());
      for (const canary of personal) assert.ok(!text.includes(canary), canary);
    });

    test("are announced although the outcome came before anybody looked", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const outcomes = [{ kind: "unknown" as const }, { kind: "not_found" as const }];
      const { upstream } = answering(async () => outcomes.shift()!);
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "soon" });
      await failureFrom(identity.verify(mine));
      await failureFrom(identity.verify(mine));
      await drainAuditOutbox(store.db, audit);
      assert.deepEqual(
        (await eventsOf(mine.accountId)).map(({ data }) => [data.state, data.charged]),
        [["not_found", false]],
      );
    });

    test("of a process that was gone are announced once a retry has the outcome", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const played = new PlayedUpstream();
      const crashed = await store.open(t, { upstreams: { test: played, live: [] } });
      const mine = newRequest({ idempotencyKey: "crash" });
      const lost = crashed.verify(mine).catch(() => undefined);
      await played.asked();
      await store.db
        .updateTable("verification")
        .set({ owner: "gone" })
        .where("account_id", "=", mine.accountId)
        .execute();
      const next = await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] } });
      await until(async () => {
        const { state } = await onlyRow(store.db, mine);
        return state === "unknown";
      });
      await next.verify(mine);
      await drainAuditOutbox(store.db, audit);
      assert.deepEqual(
        (await eventsOf(mine.accountId)).map(({ data }) => data.state),
        ["verified"],
      );
      played.answer({ kind: "not_found" });
      await lost;
    });

    test("are not announced if their outcome was never unknown, or if the trail cannot be written", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const outcomes = [{ kind: "unknown" as const }];
      const { upstream } = answering(async (question) => outcomes.shift() ?? verified(question));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "kept" });
      await failureFrom(identity.verify(mine));
      const ordinary = newRequest();
      await identity.verify(ordinary);
      await identity.verify(mine);
      const refuses = () => Promise.reject(new Error("played"));
      await assert.rejects(drainAuditOutbox(store.db, refuses), /played/);
      assert.deepEqual(await eventsOf(mine.accountId), []);
      await drainAuditOutbox(store.db, audit);
      assert.deepEqual([(await eventsOf(mine.accountId)).length, await eventsOf(ordinary.accountId)], [1, []]);
    });
  });
