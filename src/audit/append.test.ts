import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { withRecordedTexts } from "../../test/support/recorded-texts.ts";
import { until } from "../../test/support/until.ts";
import { accessTrail } from "../declare/access-trail.ts";
import type { AuditEvent } from "../declare/audit-kind.ts";
import { booksTrail } from "../features/books/books-trail.ts";
import { subjectTrail } from "../features/data-subjects/subject-trail.ts";
import { ledgerTrail } from "../ledger/ledger-trail.ts";
import { everyAuditKind } from "../wire/every-audit-kind.ts";
import { append } from "./append.ts";
import { engines, trailStore } from "./audit.fixture.ts";
import { entriesOf, tail } from "./read.ts";

const bvn = "22000000017";

for (const engine of engines) {
  suite(`an event of the audit trail on ${engine.name}`, () => {
    const store = trailStore(engine);
    const entries = () => store.db.selectFrom("audit_entry").selectAll().orderBy("occurred_at").execute();

    test("each event is one row of the audit trail, with its facts in the declared order", async () => {
      const facts = { account: "acc_1AVZiWdEdtTu", key: "4Zq8mPx0LtV2" };
      const before = Date.now();
      await append(store.db, accessTrail.keyRevoked("operator:amina", facts));
      const [{ id, occurred_at, ...entry } = { id: "", occurred_at: 0 }, ...others] = await entries();
      assert.match(id, /^[\w-]{20}$/);
      assert.ok(occurred_at >= before && occurred_at <= Date.now());
      assert.deepEqual(entry, {
        kind: "key.revoked",
        actor: "operator:amina",
        facts: '{"key":"4Zq8mPx0LtV2","account":"acc_1AVZiWdEdtTu"}',
        batch: null,
        position: 0,
      });
      assert.deepEqual(others, []);
    });

    test("entries of one call are read in the order of the call", async () => {
      const accounts = Array.from({ length: 40 }, (_, at) => `acc_order${at}`);
      await append(store.db, ...accounts.map((account) => accessTrail.accountResumed("system", { account })));
      const read = await store.db
        .selectFrom("audit_entry")
        .select("facts")
        .where("facts", "like", "%acc_order%")
        .orderBy("occurred_at")
        .orderBy("id")
        .execute();
      assert.deepEqual(
        read.map(({ facts }) => JSON.parse(facts).account),
        accounts,
      );
    });

    test("appending any number of events uses few different SQL texts, so the store can cache them", async () => {
      const { db, texts } = withRecordedTexts(store.db);
      const event = accessTrail.keyRevoked("operator:amina", { key: "4Zq8mPx0LtV2" });
      const before = (await entries()).length;
      for (let count = 1; count <= 40; count += 1) await append(db, ...Array(count).fill(event));
      assert.equal((await entries()).length - before, 820);
      assert.equal(texts.size, 6);
    });

    test("audit entries are found by the verification that they mention, oldest first", async () => {
      const ended = (reference: string, state: string) =>
        ledgerTrail.verificationEnded("key:key_1", { reference, state });
      const adjusted = (reference: string | null) => booksTrail.adjusted("terminal:ada", { reference, fees: "-1" });
      await append(store.db, ended("aaaaaa000000001", "unknown"), ended("aaaaaa000000002", "verified"));
      // Entries of two calls in one millisecond have no order.
      const endedAt = Date.now();
      await until(() => Date.now() > endedAt);
      await append(store.db, adjusted(null), adjusted("aaaaaa000000001"));
      const entries = await tail(store.db, { most: 10, reference: "aaaaaa000000001" });
      assert.deepEqual(
        entries.map(({ kind }) => kind),
        ["verification.ended", "books.adjusted"],
      );
      assert.deepEqual(await tail(store.db, { most: 10, reference: "aaaaaa00000000" }), []);
    });

    test("a period contains an event at its beginning, and none at its end", async () => {
      await append(store.db, ledgerTrail.booksRebuilt("system", { sums: 1 }));
      const kind = "books.rebuilt";
      const [{ occurred_at: at } = { occurred_at: 0 }] = await tail(store.db, { most: 1, kind });
      const found = (since: number, until: number) => tail(store.db, { most: 10, kind, since, until });
      assert.deepEqual([(await found(at, at + 1)).length, (await found(at - 1, at)).length], [1, 0]);
      const before = async (until: number) => (await Array.fromAsync(entriesOf(store.db, [kind], until))).length;
      assert.deepEqual([await before(at + 1), await before(at)], [1, 0]);
    });

    test("an event is rolled back with the change that it records", async () => {
      const before = (await entries()).length;
      const change = store.db.transaction().execute(async (trx) => {
        await append(trx, accessTrail.accountResumed("system", { account: "acc_1" }));
        throw new Error("changed my mind");
      });
      await assert.rejects(change, /changed my mind/);
      assert.equal((await entries()).length, before);
    });

    test("each fact of every kind of event may be null, and one call appends several events", async () => {
      const sample = { reference: "a-1", text: "a word", number: 1, place: 1, flag: true, time: 1_800_000_000_000 };
      for (const { kind, types } of everyAuditKind) {
        const facts = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, sample[type]]));
        const nulls = Object.fromEntries(Object.keys(types).map((name) => [name, null]));
        const known = new Set((await entries()).map(({ id }) => id));
        const event = { kind, types, actor: "system" };
        await append(store.db, { ...event, facts }, { ...event, facts: nulls });
        const added = (await entries()).filter(({ id }) => !known.has(id));
        assert.deepEqual(
          new Set(added.map((entry) => entry.facts)),
          new Set([facts, nulls].map((it) => JSON.stringify(it))),
        );
      }
    });

    test("a fact of another name or type than the kind declares does not compile, and is refused", async () => {
      // @ts-expect-error: there is no such fact.
      const unknown = accessTrail.keyRevoked("system", { reason: "lost" });
      // @ts-expect-error: a reference is a text.
      const wrong = accessTrail.keyRevoked("system", { key: 7 });
      for (const event of [unknown, wrong]) await assert.rejects(append(store.db, event), TypeError);
    });

    for (const [problem, made, sentence] of [
      [
        "an unknown fact",
        { of: accessTrail.keyRevoked, facts: { bvn } },
        /A key\.revoked in the audit trail has no fact "bvn"/,
      ],
      ["a fact that every object has", { of: accessTrail.keyRevoked, facts: { valueOf: 1 } }, /has no fact "valueOf"/],
      [
        "a BVN for a reference",
        { of: accessTrail.keyRevoked, facts: { key: bvn } },
        /The fact key of a key\.revoked is not/,
      ],
      [
        "a phone number for a reference",
        { of: accessTrail.keyRevoked, facts: { key: "+2348000000017" } },
        /is not a refer/,
      ],
      ["a sentence for a reference", { of: accessTrail.keyRevoked, facts: { key: "a b" } }, /is not a reference/],
      ["a long reference", { of: accessTrail.keyRevoked, facts: { key: "k".repeat(129) } }, /is not a reference/],
      ["a BVN for a number", { of: subjectTrail.erased, facts: { records: Number(bvn) } }, /is not a number/],
      ["a fraction for a number", { of: subjectTrail.erased, facts: { records: 0.5 } }, /is not a number/],
      ["the place 0", { of: ledgerTrail.verificationEnded, facts: { journal: 0 } }, /is not a place/],
      ["a BVN for a time", { of: accessTrail.keyCreated, facts: { expires_at: Number(bvn) } }, /is not a time/],
      ["a word for a flag", { of: ledgerTrail.verificationEnded, facts: { charged: "yes" } }, /is not a flag/],
      ["a number for a text", { of: accessTrail.accountSuspended, facts: { reason: 7 } }, /is not a text/],
      [
        "a BVN for an actor",
        { of: accessTrail.keyRevoked, actor: `operator:${bvn}`, facts: {} },
        /The actor of a key\.revoked/,
      ],
      ["a sentence for an actor", { of: accessTrail.keyRevoked, actor: "the one who called", facts: {} }, /The actor/],
    ] as const) {
      test(`an event with ${problem} is refused, and the refusal repeats no value`, async () => {
        const before = (await entries()).length;
        const { kind, types } = made.of;
        const event = { actor: "system", kind, types, ...(made as object) } as AuditEvent;
        const appending = append(store.db, event);
        await assert.rejects(appending, (error: Error) => {
          assert.match(error.message, sentence);
          assert.doesNotMatch(error.message, /\d{10}/);
          return true;
        });
        assert.equal((await entries()).length, before);
      });
    }
  });
}

suite("a text in the audit trail", () => {
  const store = trailStore(engines[0]!);

  test("a text in the audit trail has at most 200 characters, and no ten digits in a row", async () => {
    const digits = fc.stringMatching(/^[0-9]([0-9]|[0-9] |[0-9]-){8,20}[0-9]$/);
    const words = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), digits), { maxLength: 12 });
    const texts = words.map((all) => all.join(" "));
    await fc.assert(
      fc.asyncProperty(texts, async (reason) => {
        const trx = await store.db.startTransaction().execute();
        await append(trx, accessTrail.accountSuspended("system", { reason }));
        const { facts } = await trx.selectFrom("audit_entry").select("facts").executeTakeFirstOrThrow();
        await trx.rollback().execute();
        const stored = JSON.parse(facts).reason as string;
        assert.doesNotMatch(stored, /\d([ -]?\d){9}/);
        assert.ok(stored.length <= 200);
        if (reason.length <= 200 && !/\d([ -]?\d){9}/.test(reason)) assert.equal(stored, reason);
      }),
      { numRuns: 200 },
    );
  });
});
