import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { Failure } from "../contract/failures.ts";
import type { IdentityOutcome } from "../upstreams/identity-upstream.ts";
import { answering, engines, newRequest, rowsOf, suiteStore, verified } from "./identity.fixture.ts";

const feeKobo = 12_345;
const kinds = ["verified", "not_found", "phone_mismatch", "unavailable", "bad_response", "unknown", "throws"] as const;

/** Three people, three keys or none: small, so that calls meet. */
const calls = fc.array(
  fc.record({
    person: fc.nat(2),
    key: fc.option(fc.nat(2), { nil: undefined }),
    mode: fc.constantFrom("test" as const, "live" as const),
    outcome: fc.constantFrom(...kinds),
    /** Whether it is sent together with the call before it. */
    together: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

for (const engine of engines) {
  suite(`charging on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("for any calls, what is charged are the records given, once for each reference", async (t) => {
      const outcomes = new Map<string, (typeof kinds)[number]>();
      const { upstream } = answering(async (question): Promise<IdentityOutcome> => {
        const kind = outcomes.get(question.bvn)!;
        if (kind === "verified") return verified(question);
        if (kind === "throws") throw new Error("played");
        return { kind };
      });
      const identity = await store.open(t, {
        upstreams: { test: upstream, live: [upstream] },
        settings: { feeKobo, limits: false },
      });

      await fc.assert(
        fc.asyncProperty(calls, async (plan) => {
          const { accountId } = newRequest();
          const given = new Map<string, string>();
          const answers = { given: 0, asked: 0 };
          let together: Promise<void>[] = [];
          for (const call of plan) {
            if (!call.together) {
              await Promise.all(together);
              together = [];
            }
            const bvn = `2200000000${call.person}`;
            if (together.length === 0) outcomes.set(bvn, call.outcome);
            else if (!outcomes.has(bvn)) outcomes.set(bvn, call.outcome);
            const request = newRequest({ accountId, bvn, mode: call.mode });
            if (call.key !== undefined) request.idempotencyKey = `key-${call.key}`;
            together.push(
              identity.verify(request).then(
                ({ record, replayed }) => {
                  assert.equal(record.bvn_number, bvn);
                  assert.ok(!replayed || given.has(record.request_reference), "a replay is of what was given before");
                  given.set(record.request_reference, call.mode);
                  answers.given += 1;
                },
                (failure) => {
                  assert.ok(failure instanceof Failure, String(failure));
                  if (failure.code !== "idempotency_key_reused")
                    assert.equal(failure.detail.facts?.charged, false, failure.code);
                },
              ),
            );
          }
          await Promise.all(together);

          const rows = await rowsOf(store.db, { accountId });
          for (const mode of ["test", "live"] as const) {
            const mine = rows.filter((row) => row.mode === mode);
            const charged = mine.filter((row) => row.charged === 1);
            const expected = [...given].filter(([, of]) => of === mode).map(([reference]) => reference);
            assert.deepEqual(charged.map((row) => row.reference).toSorted(), expected.toSorted());
            assert.equal(
              charged.reduce((sum, row) => sum + row.fee, 0),
              expected.length * feeKobo,
            );
          }
          for (const row of rows) {
            assert.notEqual(row.state, "started");
            assert.equal(row.charged === 1, row.state === "verified");
          }
        }),
        { numRuns: engine.name === "sqlite" ? 40 : 20 },
      );
    });
  });
}
