import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { withRecordedTexts } from "../../../test/support/recorded-texts.ts";
import type { AuditEvent } from "../../storage/audited.ts";
import { engines, failureFrom, newRequest, suiteStore, until } from "../identity.fixture.ts";
import { answering, verified } from "../played-upstream.fixture.ts";
import { drainAuditOutbox } from "./audit-outbox.ts";
import { onlyRow } from "./ledger.fixture.ts";
import { storeRows, verifiedRow } from "./ledger-rows.fixture.ts";

for (const engine of engines) {
  suite(`outcomes on the audit trail, on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const told: AuditEvent[] = [];
    const audit = async (_: unknown, ...events: AuditEvent[]) => void told.push(...events);
    const toldOf = (reference: string) => told.filter(({ facts }) => facts.reference === reference);

    test("each is told once, with nothing of the person", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const outcomes = new Map([["22000000021", { kind: "not_found" as const }]]);
      const { upstream } = answering(async (question) => outcomes.get(question.number) ?? verified(question));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const [mine, other] = [newRequest(), newRequest({ number: "22000000021" })];
      await identity.verify(mine);
      await failureFrom(identity.verify(other));
      await drainAuditOutbox(store.db, audit);
      await drainAuditOutbox(store.db, audit);
      const row = await onlyRow(store.db, mine);
      assert.deepEqual(toldOf(row.reference), [
        {
          kind: "verification.ended",
          actor: "key:key_1",
          facts: {
            reference: row.reference,
            account: mine.accountId,
            key: "key_1",
            mode: "test",
            kind: "bvn",
            state: "verified",
            upstream: "answering",
            attempts: 1,
            charged: true,
            fee: "100",
          },
        },
      ]);
      assert.deepEqual(
        toldOf((await onlyRow(store.db, other)).reference).map(({ facts }) => facts.state),
        ["not_found"],
      );
      assert.doesNotMatch(JSON.stringify(told), /22000000/);
    });

    test("any number of them is read by few statements, which the store can keep", async () => {
      const { db, texts } = withRecordedTexts(store.db);
      for (let count = 1; count <= 40; count += 1) {
        const rows = await storeRows(store.db, ...Array.from({ length: count }, () => verifiedRow("acc_many", count)));
        const due = rows.map(({ reference }) => ({ reference }));
        await store.db.insertInto("verification_audit_due").values(due).execute();
        assert.equal(await drainAuditOutbox(db, audit), count);
      }
      assert.ok(texts.size > 4 && texts.size < 20, [...texts].join("\n"));
    });

    test("an outcome that changes is told again", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const outcomes = [{ kind: "unknown" as const }];
      const { upstream } = answering(async (question) => outcomes.shift() ?? verified(question));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "again" });
      await failureFrom(identity.verify(mine));
      await drainAuditOutbox(store.db, audit);
      await identity.verify(mine);
      await drainAuditOutbox(store.db, audit);
      const { reference } = await onlyRow(store.db, mine);
      assert.deepEqual(
        toldOf(reference).map(({ facts }) => [facts.state, facts.attempts, facts.charged]),
        [
          ["unknown", 1, false],
          ["verified", 2, true],
        ],
      );
    });

    test("an outcome that is tried again meanwhile is recorded when the retry ends", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const asked = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<void>();
      const { upstream } = answering(async (question, nth) => {
        if (nth === 1) return { kind: "unknown" };
        asked.resolve();
        await answer.promise;
        return verified(question);
      });
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "meanwhile" });
      await failureFrom(identity.verify(mine));
      const retry = identity.verify(mine);
      await asked.promise;
      const { reference, state } = await onlyRow(store.db, mine);
      assert.equal(state, "started");
      await drainAuditOutbox(store.db, audit);
      assert.deepEqual(toldOf(reference), []);
      answer.resolve();
      await retry;
      await drainAuditOutbox(store.db, audit);
      assert.deepEqual(
        toldOf(reference).map(({ facts }) => [facts.state, facts.attempts]),
        [["verified", 2]],
      );
    });

    test("none is lost when the trail cannot be written", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const identity = await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] } });
      const mine = newRequest();
      await identity.verify(mine);
      const refuses = async () => {
        throw new Error("played");
      };
      await assert.rejects(drainAuditOutbox(store.db, refuses), /played/);
      await drainAuditOutbox(store.db, audit);
      assert.equal(toldOf((await onlyRow(store.db, mine)).reference).length, 1);
    });

    test("goes on by itself while the room is open", async (t) => {
      const identity = await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] }, audit });
      const mine = newRequest();
      await identity.verify(mine);
      const { reference } = await onlyRow(store.db, mine);
      await until(() => toldOf(reference).length === 1);
    });
  });
}
