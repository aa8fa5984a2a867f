import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { AnsweredRecord } from "../../checks/index.ts";
import { feesOf, personOf } from "../../checks/kinds.fixture.ts";
import type { IdentityUpstream } from "../../vendors/ports/identity-upstream.ts";
import { callOf, failureFrom, newRequest, suiteStore, usualEngines, usualLimits } from "../identity.fixture.ts";
import { ledgerRows, onlyRow } from "../ledger.fixture.ts";
import { answering, sandboxRecord, verified } from "../played-upstream.fixture.ts";
import { verifyBvn } from "./verifyBvn.ts";
import { verifyNin } from "./verifyNin.ts";

const number = "22000000017";
const input = { nin: number, phone: "08000000017", amount: "100" };

for (const engine of usualEngines) {
  suite(`verifyNin on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("verifyNin answers the members of a BVN's record, with the NIN and without a BVN", async (t) => {
      const identity = await store.open(t);
      const { answer } = await callOf(verifyNin, identity, { input: verifyNin.examples[0]!.input! });
      const record = personOf(answer.data as AnsweredRecord);
      assert.deepEqual([record.nin, record.bvn_number, record.enrolment_bank], ["00123456789", "", ""]);
      assert.equal(record.service_type, "NIN Verification without Image");
      const [example] = verifyNin.examples;
      const { request_reference } = record;
      const shown = example!.answer as { data: AnsweredRecord };
      assert.deepEqual(answer, { ...shown, data: { ...shown.data, request_reference } });
    });

    test("verifyNin is charged by its own fee: the account's, else that of the fee schedule", async (t) => {
      const identity = await store.open(t, { settings: { fees: feesOf(10_000, { nin: 7_500 }) } });
      for (const [fees, fee] of [
        [{}, 7_500],
        [{ bvn: 1 }, 7_500],
        [{ bvn: 1, nin: 6_050 }, 6_050],
      ] as const) {
        const caller = { accountId: newRequest().accountId, fees };
        await callOf(verifyNin, identity, { input, caller });
        const row = await onlyRow(store.db, caller);
        assert.deepEqual([row.kind, row.fee, row.charged, row.amount_differs], ["nin", fee, 1, 1]);
      }
    });

    test("an idempotency key used for a BVN is refused for the same digits as a NIN", async (t) => {
      const identity = await store.open(t);
      const caller = { accountId: newRequest().accountId };
      const headers = { "idempotency-key": "one-key" };
      await callOf(verifyBvn, identity, { input: { ...input, bvn: number }, headers, caller });
      const { code } = await failureFrom(callOf(verifyNin, identity, { input, headers, caller }));
      assert.equal(code, "idempotency_key_reused");
    });

    test("equal calls of two kinds at once are two verifications", async (t) => {
      const identity = await store.open(t);
      const caller = { accountId: newRequest().accountId };
      await Promise.all([
        callOf(verifyBvn, identity, { input: { ...input, bvn: number }, caller }),
        callOf(verifyNin, identity, { input, caller }),
      ]);
      const rows = await ledgerRows(store.db, caller);
      assert.deepEqual(rows.map(({ kind }) => kind).sort(), ["bvn", "nin"]);
      assert.equal(new Set(rows.map(({ subject_hash }) => subject_hash)).size, 2);
    });

    test("a replay gives the same record without a charge; masked accounts see four digits", async (t) => {
      const identity = await store.open(t);
      const caller = { accountId: newRequest().accountId };
      const headers = { "idempotency-key": "k" };
      const first = await callOf(verifyNin, identity, { input, headers, caller });
      const again = await callOf(verifyNin, identity, { input, headers, caller });
      assert.deepEqual(again, { answer: first.answer, headers: { "Idempotency-Replayed": "true" } });
      const masked = await callOf(verifyNin, identity, { input, headers, caller: { ...caller, answers: "masked" } });
      const { nin, bvn_number, personal_info } = personOf(masked.answer.data as AnsweredRecord);
      assert.deepEqual([nin, bvn_number, personal_info.phone_number], ["*******0017", "", ""]);
      assert.equal((await onlyRow(store.db, caller)).charged, 1);
    });

    test("the limit on one NIN leaves the BVN of the same digits alone, and names the NIN", async (t) => {
      const { upstream } = answering(verified);
      const live = { ...upstream, kinds: ["bvn", "nin"] as const };
      const limits = { ...usualLimits, subject: { count: 1, seconds: 3600 } };
      const identity = await store.open(t, { upstreams: { test: live, live: [live] }, settings: { limits } });
      const mine = newRequest({ mode: "live", kind: "nin" });
      await identity.verify(mine);
      const { code, message } = await failureFrom(identity.verify(mine));
      assert.equal(code, "subject_rate_limited");
      assert.match(message, /at one NIN/);
      await identity.verify({ ...mine, kind: "bvn" });
    });

    test("only vendors that offer NINs are asked, and without such a vendor no vendor counts as set up", async (t) => {
      const answeringBvn = answering(verified);
      const onlyBvn = { ...answeringBvn, upstream: { ...answeringBvn.upstream, kinds: ["bvn"] as const } };
      const both = answering(verified);
      const offering = { ...both.upstream, name: "both", kinds: ["bvn", "nin"] as const };
      const open = (live: IdentityUpstream[]) =>
        store.open(t, { upstreams: { test: offering, live }, settings: { limits: null } });
      const mine = newRequest({ mode: "live", kind: "nin" });
      const { code } = await failureFrom((await open([onlyBvn.upstream])).verify(mine));
      assert.equal(code, "upstream_not_configured");
      assert.deepEqual(await ledgerRows(store.db, mine), []);
      await (await open([onlyBvn.upstream, offering])).verify(mine);
      assert.deepEqual([onlyBvn.received.length, both.received.length], [0, 1]);
      assert.equal((await onlyRow(store.db, mine)).upstream, "both");
    });

    test("a record of another NIN is rejected, and a BVN sent along is dropped", async (t) => {
      const record = await sandboxRecord({ kind: "nin", number, claims: { phone: "8000000017" } });
      let nin = number;
      const { upstream } = answering(async () => ({
        state: "verified",
        record: { ...record, nin, bvn_number: "22000000099" },
      }));
      const test = { ...upstream, kinds: ["nin"] as const };
      const identity = await store.open(t, { upstreams: { test, live: [] } });
      const given = personOf((await identity.verify(newRequest({ kind: "nin" }))).record);
      assert.deepEqual([given.nin, given.bvn_number], [number, ""]);
      nin = "22000000018";
      assert.equal((await failureFrom(identity.verify(newRequest({ kind: "nin" })))).code, "upstream_bad_response");
    });
  });
}
