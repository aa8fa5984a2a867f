import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { bvn } from "../checks/bvn.ts";
import { personOf } from "../checks/kinds.fixture.ts";
import type { PersonRecord } from "../declare/identity-record.ts";
import { newRequest, suiteStore, usualEngines } from "./identity.fixture.ts";
import { answering, PlayedUpstream, sandboxRecord, verified } from "./played-upstream.fixture.ts";

const listed = { kind: "bvn" as const, number: "00000000003", claims: { phone: "8000000017" } };

test("a masked answer states correctly whether the person is watchlisted", async () => {
  const record = await sandboxRecord(listed);
  for (const watchlisted of ["YES", "NO", null])
    assert.equal(bvn.mask({ ...record, watchlisted } as PersonRecord).watchlisted, watchlisted);
});

for (const engine of usualEngines) {
  suite(`the answers of an account, full or masked, on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("an account set to masked gets masked replays of earlier full answers", async (t) => {
      const room = await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "k" });
      const { record } = await room.verify(mine);
      assert.equal(personOf(record).bvn_number, mine.number);
      const { record: replayed } = await room.verify({ ...mine, answers: "masked" });
      const { request_reference, ...own } = record;
      assert.deepEqual(replayed, { request_reference, ...bvn.mask(personOf(own)) });
      assert.deepEqual(await room.verify(mine), { record, replayed: true });
    });

    test("a record verified as masked stays masked, whatever the account's setting later", async (t) => {
      const room = await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "k", answers: "masked" });
      const { record } = await room.verify(mine);
      assert.deepEqual(await room.verify({ ...mine, answers: "full" }), { record, replayed: true });
    });

    test("equal calls that share a verification each follow the account's setting at their own time", async (t) => {
      const upstream = new PlayedUpstream();
      const room = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest();
      const both = [room.verify(mine), room.verify({ ...mine, answers: "masked" })];
      upstream.answer(await verified(await upstream.asked()));
      const [full, narrow] = await Promise.all(both);
      assert.equal(personOf(full!.record).bvn_number, mine.number);
      assert.equal(personOf(narrow!.record).bvn_number, "*******0017");
      assert.equal(upstream.received.length, 1);
    });
  });
}
