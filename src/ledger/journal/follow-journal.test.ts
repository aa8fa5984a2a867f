import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { withRecordedTexts } from "../../../test/support/recorded-texts.ts";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { negative } from "../../vendors/ports/outcomes.ts";
import { engines, failureFrom, newRequest, suiteStore, until } from "../../verification/identity.fixture.ts";
import { onlyRow } from "../../verification/ledger.fixture.ts";
import { answering, verified } from "../../verification/played-upstream.fixture.ts";
import { Ledger } from "../ledger.ts";
import { found, placing } from "../ledger-moves.fixture.ts";
import { journaled, stored, storeRows, verifiedRow } from "../ledger-rows.fixture.ts";
import { ledgerTrail } from "../ledger-trail.ts";
import { followJournal, ledgerAuditEvents } from "./follow-journal.ts";

const zone = new TimeZone("Africa/Lagos");

for (const engine of engines) {
  suite(`outcomes on the audit trail, on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const told: AuditEvent[] = [];
    const audit = async (_: unknown, ...events: AuditEvent[]) => void told.push(...events);
    const toldOf = (reference: string) => told.filter(({ facts }) => facts.reference === reference);

    test("the audit trail gets each outcome once, without personal data", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const outcomes = new Map([["22000000021", negative("not_found")]]);
      const { upstream } = answering(async (attempt) => outcomes.get(attempt.number) ?? verified(attempt));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const [mine, other] = [newRequest(), newRequest({ number: "22000000021" })];
      await identity.verify(mine);
      await failureFrom(identity.verify(other));
      await followJournal({ db: store.db, audit, zone });
      await followJournal({ db: store.db, audit, zone });
      const row = await onlyRow(store.db, mine);
      const [ended, ...more] = toldOf(row.reference).map(({ facts: { journal, ...facts }, ...event }) => {
        assert.equal(typeof journal, engine.name === "postgres" ? "number" : "undefined");
        return { ...event, facts };
      });
      assert.deepEqual(more, []);
      assert.deepEqual(
        ended,
        ledgerTrail.verificationEnded("key:key_1", {
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
        }),
      );
      assert.deepEqual(
        toldOf((await onlyRow(store.db, other)).reference).map(({ facts }) => facts.state),
        ["not_found"],
      );
      assert.doesNotMatch(JSON.stringify(told), /22000000/);
    });

    test("following any number of journal rows uses few different SQL texts, so the store can cache them", async () => {
      const { db, texts } = withRecordedTexts(store.db);
      for (let count = 1; count <= 40; count += 1) {
        const rows = await storeRows(store.db, ...Array.from({ length: count }, () => verifiedRow("acc_many", count)));
        for (const { reference } of rows) await journaled(store.db, reference, {}).execute();
        assert.equal(await followJournal({ db, audit, zone }), count);
      }
      assert.ok(texts.size > 4 && texts.size < 40, [...texts].join("\n"));
    });

    test("an outcome that changes gets another audit entry", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const outcomes = [{ state: "unknown" as const, reason: "unclear" as const }];
      const { upstream } = answering(async (attempt) => outcomes.shift() ?? verified(attempt));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "again" });
      await failureFrom(identity.verify(mine));
      await followJournal({ db: store.db, audit, zone });
      await identity.verify(mine);
      await followJournal({ db: store.db, audit, zone });
      const { reference } = await onlyRow(store.db, mine);
      assert.deepEqual(
        toldOf(reference).map(({ facts }) => [facts.state, facts.attempts, facts.charged]),
        [
          ["unknown", 1, false],
          ["verified", 2, true],
        ],
      );
    });

    for (const ended of ["failed", "unknown"] as const)
      test(`a late answer to attempt 1 is audited with both attempts, after another process ended attempt 2 as ${ended}`, async () => {
        const { placed } = placing(store);
        const ledger = new Ledger(store.db);
        const row = await placed({ state: "unknown" });
        const start = { vendor: "next", at: 3, requestId: "another", price: null, begins: "attempt" } as const;
        const retried = await ledger.retry(row, { ...start, owner: "other" });
        await ledger.complete(retried!, found(ended, 2));
        assert.ok(await ledger.resolve(row, found("verified")));
        await followJournal({ db: store.db, audit, zone });

        const { reference } = row;
        const { journal: _, ...facts } = toldOf(reference).at(-1)!.facts;
        for await (const page of ledgerAuditEvents(store.db))
          for (const { event, ...one } of page) if (one.reference === reference) assert.deepEqual(facts, event!.facts);
        assert.deepEqual([facts.state, facts.attempts, facts.upstream], ["verified", 2, "next"]);
      });

    test("the changes of one verification are audited together, in their order", async () => {
      const [row] = await storeRows(store.db, verifiedRow("acc_often", 1));
      const { reference } = row!;
      for (const state of ["unknown", "failed", "unknown", "verified"] as const)
        await journaled(store.db, reference, { state }).execute();
      assert.equal(await followJournal({ db: store.db, audit, zone }), 4);
      assert.deepEqual(
        toldOf(reference).map(({ facts }) => facts.state),
        ["unknown", "failed", "unknown", "verified"],
      );
    });

    test("the audit trail records the outcome before a retry, and the retry's outcome at its end", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const asked = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<void>();
      const { upstream } = answering(async (attempt, nth) => {
        if (nth === 1) return { state: "unknown", reason: "unclear" };
        asked.resolve();
        await answer.promise;
        return verified(attempt);
      });
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "meanwhile" });
      await failureFrom(identity.verify(mine));
      const retry = identity.verify(mine);
      await asked.promise;
      const { reference, state } = await onlyRow(store.db, mine);
      assert.equal(state, "started");
      await followJournal({ db: store.db, audit, zone });
      answer.resolve();
      await retry;
      await followJournal({ db: store.db, audit, zone });
      assert.deepEqual(
        toldOf(reference).map(({ facts }) => [facts.state, facts.attempts]),
        [
          ["unknown", 1],
          ["verified", 2],
        ],
      );
    });

    test("no outcome is lost while the audit trail cannot be written", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const identity = await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] } });
      const mine = newRequest();
      await identity.verify(mine);
      const refuses = async () => {
        throw new Error("played");
      };
      await assert.rejects(followJournal({ db: store.db, audit: refuses, zone }), /played/);
      await followJournal({ db: store.db, audit, zone });
      assert.equal(toldOf((await onlyRow(store.db, mine)).reference).length, 1);
    });

    test("following the journal never waits for a locked row of the ledger", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const identity = await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] } });
      const mine = newRequest();
      await identity.verify(mine);
      const { reference } = await onlyRow(store.db, mine);
      const hold = store.db.updateTable("verification").set({ charge_mark: "held" }).where("reference", "=", reference);
      await store.db.transaction().execute(async (trx) => {
        await trx.executeQuery(hold.compile());
        // On SQLite transactions run one after another.
        if (engine.name === "postgres") await followJournal({ db: store.db, audit, zone });
      });
      await followJournal({ db: store.db, audit, zone });
      assert.equal(toldOf(reference).length, 1);
    });

    test("concurrent followers audit nothing twice and keep each verification's order", async () => {
      const rows = await storeRows(store.db, ...Array.from({ length: 60 }, () => verifiedRow("acc_turns", 1)));
      const states = ["unknown", "not_found", "failed"] as const;
      for (const state of states)
        for (const { reference } of rows)
          await journaled(store.db, reference, { ...stored(state), charged: 0, kobo: 0 }).execute();
      await Promise.all([1, 2, 3].map(() => followJournal({ db: store.db, audit, zone })));
      for (const { reference } of rows)
        assert.deepEqual(
          toldOf(reference).map(({ facts }) => facts.state),
          [...states],
        );
    });

    test("a running service writes outcomes to the audit trail without any command", async (t) => {
      const identity = await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] }, audit });
      const mine = newRequest();
      await identity.verify(mine);
      const { reference } = await onlyRow(store.db, mine);
      await until(() => toldOf(reference).length === 1);
    });
  });
}
