import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { suite, test } from "node:test";
import { startService } from "../../../test/support/service.ts";
import { eraseSubject } from "../../features/data-subjects/subjects.ts";
import { KeyedHashes } from "../../keyring/keyed-hash.ts";
import { callOf, engines, failureFrom, keyring, newRequest, suiteStore } from "../identity.fixture.ts";
import type { Identity } from "../identity.ts";
import { answering, verified } from "../played-upstream.fixture.ts";
import { findKnownPerson } from "./findKnownPerson.ts";

const nobody = { known: false, request_reference: null, verified_at: null, record_held_until: null };
const day = 24 * 60 * 60_000;

for (const engine of engines)
  suite(`whether a person was verified before, on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const ask = async (identity: Identity, caller: object, input: Record<string, string> = { bvn: "22000000017" }) =>
      (await callOf(findKnownPerson, identity, { input, caller })).answer.data;

    test("findKnownPerson returns the newest verification, and how long its record is kept", async (t) => {
      let time = Date.UTC(2026, 0, 15, 9, 30);
      const { upstream, received } = answering((attempt) => verified(attempt));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] }, now: () => time });
      const mine = newRequest();
      assert.deepEqual(await ask(identity, mine), nobody);
      await identity.verify({ ...mine, idempotencyKey: "first" });
      time += 60_000;
      const { record } = await identity.verify({ ...mine, idempotencyKey: "second" });
      const newest = {
        known: true,
        request_reference: record.request_reference,
        verified_at: "2026-01-15T09:31:00.000Z",
        record_held_until: "2026-01-16T09:31:00.000Z",
      };
      for (const bvn of ["22000000017", "220 000 000 17"]) assert.deepEqual(await ask(identity, mine, { bvn }), newest);
      assert.deepEqual(await ask(identity, mine, { nin: "22000000017" }), nobody);
      assert.deepEqual(await ask(identity, { ...mine, mode: "live" }), nobody);
      time += day;
      assert.deepEqual(await ask(identity, mine), { ...newest, record_held_until: null });
      time += 731 * day;
      assert.deepEqual(await ask(identity, mine), nobody, "after 24 months");
      assert.equal(received.length, 2, "it asks no source");
    });

    test("without an idempotency key no record is held, and a number without a match is not known", async (t) => {
      const identity = await store.open(t);
      const mine = newRequest();
      const { record } = await identity.verify(mine);
      const { known, request_reference, record_held_until } = (await ask(identity, mine)) as typeof nobody;
      assert.deepEqual([known, request_reference, record_held_until], [true, record.request_reference, null]);
      await failureFrom(identity.verify({ ...mine, number: "00000000001" }));
      assert.deepEqual(await ask(identity, mine, { bvn: "00000000001" }), nobody);
    });

    test("a person known to another account is answered like an unknown person, by a single statement", async (t) => {
      const statements: string[] = [];
      const db = store.db.withPlugin({
        transformQuery: ({ node }) => {
          statements.push(node.kind);
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      const identity = await store.open(t, { db });
      await identity.verify(newRequest({ idempotencyKey: "theirs", number: "22000000555" }));
      const stranger = newRequest();
      statements.length = 0;
      const [theirs, of] = [await ask(identity, stranger, { bvn: "22000000555" }), statements.splice(0)];
      const [nobodys, others] = [await ask(identity, stranger, { bvn: "22000000556" }), statements.splice(0)];
      assert.deepEqual([theirs, nobodys], [nobody, nobody]);
      assert.deepEqual([of, others], [["RawNode"], ["RawNode"]]);
    });

    test("a person is known under every hash key of the ring, until erased", async (t) => {
      const mine = newRequest({ number: "22000000777" });
      const before = await store.open(t);
      await before.verify(mine);
      await store.end(before);
      const rotated = { ...keyring, hmac: [{ version: 2, key: randomBytes(32) }, ...keyring.hmac] };
      const identity = await store.open(t, { keyring: { current: rotated } });
      const known = async () => ((await ask(identity, mine, { bvn: mine.number })) as typeof nobody).known;
      assert.equal(await known(), true);
      const keyedHashes = new KeyedHashes({ current: rotated });
      const parts = { db: store.db, audit: async () => {}, actor: "officer", keyedHashes };
      await eraseSubject(parts, { kind: "bvn", number: mine.number });
      assert.equal(await known(), false);
    });

    test("findKnownPerson refuses no number and two numbers", async (t) => {
      const identity = await store.open(t);
      for (const input of [{}, { bvn: "22000000017", nin: "22000000017" }]) {
        const { code, detail } = await failureFrom(callOf(findKnownPerson, identity, { input }));
        assert.deepEqual([code, detail.fields?.map(({ field }) => field)], ["validation_failed", ["bvn", "nin"]]);
      }
    });
  });

test("an account may call findKnownPerson 60 times a minute, and no answer may be cached", async () => {
  await using service = await startService({});
  const ask = (body: object) => service.ask("/api/v2/kyc/known", { method: "POST", body });
  assert.equal((await ask({ bvn: 22000000017 })).status, 422);
  const first = await ask({ bvn: "22000000017" });
  assert.deepEqual([first.status, first.json.data, first.headers["duba-mode"]], [200, nobody, "test"]);
  assert.equal(first.headers["cache-control"], "no-store");
  for (let more = 2; more < 60; more += 1) assert.equal((await ask({ bvn: "22000000017" })).status, 200);
  const refused = await ask({ bvn: "22000000017" });
  assert.deepEqual([refused.status, refused.json.error.code], [429, "rate_limited"]);
});
