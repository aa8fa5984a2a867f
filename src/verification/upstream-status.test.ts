import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { UpstreamHealth } from "../vendors/circuit-breaker.ts";
import { suiteStore, usualEngines } from "./identity.fixture.ts";
import { UpstreamNotes, upstreamStatus } from "./routes/upstream-status.ts";

const paidElsewhere = () => assert.fail("no attempt was answered");

const fine: UpstreamHealth = {
  name: "first",
  state: "ready",
  alarm: null,
  lastAnswerAt: 5,
  balance: 70,
  kinds: ["bvn"],
  illSince: null,
  lastFailures: {},
};

for (const engine of usualEngines) {
  suite(`how processes see their upstreams on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("each process notes its vendors' status at start and at changes, and deletes it at the end", async () => {
      const health = { ...fine };
      const upstream = { health: () => health, paidElsewhere };
      const notes = new UpstreamNotes(store.db, "one", [upstream]);
      const other = new UpstreamNotes(store.db, "two", [
        { health: () => ({ ...fine, name: "second" }), paidElsewhere },
      ]);
      assert.deepEqual([notes.isDue(), other.isDue()], [true, true]);
      await notes.note();
      await other.note();
      assert.equal(notes.isDue(), false);

      Object.assign(health, { state: "open", alarm: "no_money", lastFailures: { no_money: 7 } });
      notes.changed();
      assert.equal(notes.isDue(), true);
      await notes.note();
      const [first, second] = await upstreamStatus(store.db);
      const { instance, noted_at, ...seen } = first!;
      assert.deepEqual(seen, {
        upstream: "first",
        last_answer_at: 5,
        ill_since: null,
        balance: 70,
        kinds: ["bvn"],
        state: "open",
        alarm: "no_money",
        last_failures: { no_money: 7 },
      });
      assert.notEqual(instance, second!.instance);
      assert.ok(Math.abs(Date.now() - noted_at) < 60_000);

      await notes.stop();
      assert.deepEqual(
        (await upstreamStatus(store.db)).map(({ upstream }) => upstream),
        ["second"],
      );
      assert.deepEqual(await upstreamStatus(store.db, Date.now() + 61_000), [], "of a process that is gone");
      await other.stop();
    });

    test("operators get one event when a vendor's alarm begins and one when it ends, from any process", async () => {
      const health: UpstreamHealth[] = [1, 2].map(() => ({ ...fine, name: "alarming" }));
      const seen = health.map(
        (one, index) => new UpstreamNotes(store.db, `${index}`, [{ health: () => one, paidElsewhere }]),
      );
      const told = async () => {
        const rows = await store.db
          .selectFrom("event")
          .selectAll()
          .where("about", "=", "alarming")
          .orderBy("number")
          .execute();
        return rows.map(({ type, audience, mode, data }) => ({ type, audience, mode, ...JSON.parse(data) }));
      };
      const event = { type: "vendor.alarm", audience: "operators", mode: null, vendor: "alarming" };
      for (const alarm of ["no_money", null] as const) {
        for (const [index, one] of health.entries()) {
          one.alarm = alarm;
          await seen[index]!.note();
        }
      }
      for (const one of seen) await one.stop();
      assert.deepEqual(await told(), [
        { ...event, alarm: "no_money" },
        { ...event, alarm: null },
      ]);
    });

    test("a service without live vendors notes no status", async () => {
      assert.equal(new UpstreamNotes(store.db, "none", []).isDue(), false);
    });
  });
}
