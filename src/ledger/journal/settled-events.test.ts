import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { personOf } from "../../checks/kinds.fixture.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { negative, unknown } from "../../vendors/ports/outcomes.ts";
import { engines, failureFrom, newRequest, suiteStore, until } from "../../verification/identity.fixture.ts";
import { onlyRow, rowOf, withoutLedger } from "../../verification/ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "../../verification/played-upstream.fixture.ts";
import { Charges } from "../charges.ts";
import { Ledger } from "../ledger.ts";
import { found, placing } from "../ledger-moves.fixture.ts";
import { followJournal } from "./follow-journal.ts";

const audit = async () => {};
const zone = new TimeZone("Africa/Lagos");

for (const engine of engines)
  suite(`verifications that settle, on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const eventsOf = async (audience: string) => {
      const rows = await store.db.selectFrom("event").selectAll().where("audience", "=", audience).execute();
      return rows.map(({ type, mode, data, about }) => ({ type, mode, about, data: JSON.parse(data) }));
    };

    test("a verification with an unknown outcome is announced once it settles, without personal data", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const outcomes = [{ state: "unknown" as const, reason: "unclear" as const }];
      const { upstream } = answering(async (attempt) => outcomes.shift() ?? verified(attempt));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "settles" });
      await failureFrom(identity.verify(mine));
      await followJournal({ db: store.db, audit, zone });
      assert.deepEqual(await eventsOf(mine.accountId), [], "not while the outcome is unknown");
      const { personal_info } = personOf((await identity.verify(mine)).record);
      for (const _ of [1, 2]) await followJournal({ db: store.db, audit, zone });
      const { reference } = await onlyRow(store.db, mine);
      const data = { request_reference: reference, kind: "bvn", state: "verified", charged: true };
      const event = { type: "verification.settled", mode: "test", about: reference, data };
      assert.deepEqual(await eventsOf(mine.accountId), [event]);
      const { last_name, date_of_birth } = personal_info;
      const personal = [mine.number, mine.claims.phone!, last_name, date_of_birth];
      const text = JSON.stringify(await store.db.selectFrom("event").selectAll().execute());
      for (const canary of personal) assert.ok(!text.includes(canary), canary);
    });

    for (const reason of ["phone_mismatch", "blocked"] as const)
      test(`an event tells ${reason} only if the API tells it as well`, async (t) => {
        t.mock.timers.enable({ apis: ["setInterval"] });
        for (const [negativeDetail, state] of [
          ["full", reason],
          ["coarse", "not_found"],
        ] as const) {
          const outcomes = [unknown, negative(reason)];
          const { upstream } = answering(async () => outcomes.shift()!);
          const settings = { negativeDetail };
          const identity = await store.open(t, { upstreams: { test: upstream, live: [] }, settings });
          const mine = newRequest({ idempotencyKey: "told" });
          for (const _ of [1, 2]) await failureFrom(identity.verify(mine));
          await identity.follow();
          assert.deepEqual(
            (await eventsOf(mine.accountId)).map(({ data }) => data.state),
            [state],
          );
        }
      });

    test("a verification that settles before the journal is followed is announced", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const outcomes = [unknown, negative("not_found")];
      const { upstream } = answering(async () => outcomes.shift()!);
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "soon" });
      await failureFrom(identity.verify(mine));
      await failureFrom(identity.verify(mine));
      await followJournal({ db: store.db, audit, zone });
      assert.deepEqual(
        (await eventsOf(mine.accountId)).map(({ data }) => [data.state, data.charged]),
        [["not_found", false]],
      );
    });

    test("the outcome of a dead process's verification is announced when a retry learns it", async (t) => {
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
      await followJournal({ db: store.db, audit, zone });
      assert.deepEqual(
        (await eventsOf(mine.accountId)).map(({ data }) => data.state),
        ["verified"],
      );
      played.answer({ state: "negative", reason: "not_found" });
      await lost;
    });

    test("nothing is announced if the outcome was never unknown or the audit trail cannot be written", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const outcomes = [{ state: "unknown" as const, reason: "unclear" as const }];
      const { upstream } = answering(async (attempt) => outcomes.shift() ?? verified(attempt));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "kept" });
      await failureFrom(identity.verify(mine));
      const ordinary = newRequest();
      await identity.verify(ordinary);
      await identity.verify(mine);
      const refuses = () => Promise.reject(new Error("played"));
      await assert.rejects(followJournal({ db: store.db, audit: refuses, zone }), /played/);
      assert.deepEqual(await eventsOf(mine.accountId), []);
      await followJournal({ db: store.db, audit, zone });
      assert.deepEqual([(await eventsOf(mine.accountId)).length, await eventsOf(ordinary.accountId)], [1, []]);
    });

    test("an outcome is announced even if the store was away when its caller got an error", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
      const upstream = new PlayedUpstream();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] }, settings: { timeLimit: 1000 } });
      const mine = newRequest({ idempotencyKey: "away" });
      const told = failureFrom(identity.verify(mine));
      await upstream.asked();
      let answered = false;
      void told.then(() => {
        answered = true;
      });
      await withoutLedger(store.db, async () => {
        await until(() => {
          t.mock.timers.tick(100);
          return answered;
        });
        upstream.answer(await verified(mine));
      });
      assert.equal((await told).code, "upstream_timeout");
      await until(async () => {
        t.mock.timers.tick(5_000);
        const { state } = await onlyRow(store.db, mine);
        return state === "verified";
      });
      // The service's own job processes the journal as well, so either may announce the event.
      await until(async () => {
        await followJournal({ db: store.db, audit, zone });
        return (await eventsOf(mine.accountId)).length > 0;
      });
      const told504 = (await eventsOf(mine.accountId)).map(({ type, data }) => [type, data.state, data.charged]);
      assert.deepEqual(told504, [["verification.settled", "verified", false]]);
    });

    test("a retry's charge and its reversal are each announced by an event", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const { upstream } = answering(async () => ({ state: "unknown", reason: "unclear" }));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "charged later" });
      await failureFrom(identity.verify(mine));
      const ledger = new Ledger(store.db);
      const row = (await rowOf(store.db, mine))!;
      await ledger.resolve(row, { state: "verified", attempt: 1, at: 5 });
      const charges = new Charges(store.db, () => Date.UTC(2026, 10, 2));
      await charges.charge((await rowOf(store.db, mine))!, "mark");
      await charges.withdraw(row.reference, { mark: "mark", replaces: "" });
      await followJournal({ db: store.db, audit, zone });
      const change = {
        request_reference: row.reference,
        kind: "bvn",
        fee: "100",
        charged_at: "2026-11-02T00:00:00.000Z",
      };
      assert.deepEqual(
        (await eventsOf(mine.accountId)).map(({ type, data }) => [type, data]),
        [
          [
            "verification.settled",
            { request_reference: row.reference, kind: "bvn", state: "verified", charged: false },
          ],
          ["verification.charged", change],
          ["verification.reversed", change],
        ],
      );
    });

    test("a charge makes no event if callers never got unknown", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const identity = await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "ordinary" });
      await identity.verify(mine);
      await identity.verify(mine);
      const { placed, nowOf } = placing(store);
      const uncharged = await placed();
      await new Ledger(store.db).complete(uncharged, { ...found("verified"), charge: null });
      await new Charges(store.db, () => 40).charge(await nowOf(uncharged), "later");
      assert.equal((await nowOf(uncharged)).charged, 1);
      await followJournal({ db: store.db, audit, zone });
      assert.deepEqual(await eventsOf(mine.accountId), []);
      assert.deepEqual(await eventsOf(uncharged.account_id), []);
    });
  });
