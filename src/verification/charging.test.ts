import assert from "node:assert/strict";
import { mock, suite, test } from "node:test";
import fc from "fast-check";
import { feesOf, personOf } from "../checks/kinds.fixture.ts";
import { Failure } from "../declare/failures.ts";
import { summary } from "../ledger/reports/summary.ts";
import type { IdentityOutcome } from "../vendors/ports/identity-upstream.ts";
import {
  type Answer,
  type Expected,
  outcomeKinds,
  outcomeOf,
  type PlayedCall,
  Rules,
  ruled,
  type Step,
  type Told,
  type Waiting,
} from "./charging-rules.fixture.ts";
import { engines, newRequest, suiteStore, usualSettings } from "./identity.fixture.ts";
import { ledgerRows, quiet } from "./ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "./played-upstream.fixture.ts";
import type { VerifiedRecord } from "./request.ts";

const feeKobo = 12_345;

/** Calls about three people, with one of three keys or none: so few that calls often share a person or key. */
const calls = fc.array(
  fc.record({
    person: fc.nat(2),
    key: fc.option(fc.nat(2), { nil: undefined }),
    mode: fc.constantFrom("test" as const, "live" as const),
    outcome: fc.constantFrom(...outcomeKinds),
    /** Whether the call is sent together with the call before. */
    together: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

for (const engine of engines) {
  suite(`charging on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("after any sequence of calls, exactly the returned records are charged, once per reference", async (t) => {
      const outcomes = new Map<string, (typeof outcomeKinds)[number]>();
      const { upstream } = answering(async (attempt): Promise<IdentityOutcome> => {
        const kind = outcomes.get(attempt.number)!;
        if (kind === "verified") return verified(attempt);
        const outcome = outcomeOf(kind);
        if (outcome instanceof Error) throw outcome;
        return outcome;
      });
      const identity = await store.open(t, {
        upstreams: { test: upstream, live: [upstream] },
        settings: { fees: feesOf(1, { bvn: feeKobo }), limits: null },
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
            const request = newRequest({ accountId, number: bvn, mode: call.mode });
            if (call.key !== undefined) request.idempotencyKey = `key-${call.key}`;
            together.push(
              identity.verify(request).then(
                ({ record, replayed }) => {
                  assert.equal(personOf(record).bvn_number, bvn);
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

          const rows = await ledgerRows(store.db, { accountId });
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

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record<PlayedCall>({
        does: fc.constant("call"),
        // Mostly one person, so that calls share a verification.
        person: fc.constantFrom(0, 0, 0, 0, 1),
        key: fc.constantFrom(0, 0, 0, 0, 1, undefined),
        mode: fc.constantFrom("live", "live", "live", "test"),
        hangsUp: fc.constantFrom(false, false, true),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record<Answer>({
        does: fc.constant("answer"),
        nth: fc.nat(3),
        kind: fc.constantFrom("verified", "unknown", "unknown", "unknown", ...outcomeKinds),
      }),
    },
    { weight: 4, arbitrary: fc.constant<Step>({ does: "timeOut" }) },
    { weight: 1, arbitrary: fc.constant<Step>({ does: "kill" }) },
  ),
  { minLength: 1, maxLength: 40, size: "max" },
);

for (const engine of engines) {
  suite(`charging through time-outs, late outcomes, hang-ups, retries and kills on ${engine.name}`, () => {
    const store = suiteStore(engine, mock.timers);

    test("after any sequence of faults, responses and the ledger follow the charging rules", async (t) => {
      const upstream = new PlayedUpstream();
      const upstreams = { test: upstream, live: [upstream] };
      const open = () => store.open(t, { upstreams, settings: { fees: feesOf(1, { bvn: feeKobo }), limits: null } });
      let identity = await open();

      await fc.assert(
        fc.asyncProperty(steps, async (course) => {
          const { accountId } = newRequest();
          const rules = new Rules();
          let callers: { told?: Told; charged?: boolean; expected: Waiting }[] = [];
          const before = upstream.received.length;
          const attemptOf = ({ attempt }: Expected) => upstream.received[before + attempt! - 1]!;

          const take = {
            call(step: PlayedCall) {
              const caller: (typeof callers)[number] = { expected: rules.call(step) };
              if (!step.hangsUp) callers.push(caller);
              const request = newRequest({ accountId, mode: step.mode, number: `2200000000${step.person}` });
              if (step.key !== undefined) request.idempotencyKey = `key-${step.key}`;
              void toldBy(identity.verify(request)).then((heard) => Object.assign(caller, heard));
            },
            async answer({ nth, kind }: Answer) {
              const verification = rules.open[nth % rules.open.length];
              if (!verification) return;
              const outcome = kind === "verified" ? await verified(attemptOf(verification)) : outcomeOf(kind);
              upstream.answer(outcome, before + verification.attempt!);
              rules.answer(verification, kind);
            },
            async timeOut() {
              // The clock of the store's own time-outs is played as well, so no statement may run at this point.
              await quiet(store.usage);
              mock.timers.tick(usualSettings.timeLimit);
              rules.timeOut();
            },
            async kill() {
              // Late writes of the dead process reach no row, and its responses reach nobody.
              await store.db
                .updateTable("verification")
                .set({ owner: "killed" })
                .where("state", "=", "started")
                .where("account_id", "=", accountId)
                .execute();
              callers = callers.filter(({ told }) => told !== undefined);
              await store.end(identity);
              identity = await open();
              rules.kill();
            },
          };

          const references = new Map<Expected, string>();
          const check = async () => {
            await quiet(store.usage);
            for (const verification of rules.open) references.set(verification, attemptOf(verification).reference);
            assert.deepEqual(
              callers.map(({ told }) => told),
              callers.map(({ expected }) => expected.told),
            );
            for (const { told, charged } of callers)
              assert.ok(!charged || told === "idempotency_key_reused, final", `${told}`);
            const rows = await ledgerRows(store.db, { accountId });
            assert.deepEqual(
              new Map(rows.map((row) => [row.reference, ruled(row)])),
              new Map(rules.verifications.map((verification) => [references.get(verification)!, ruled(verification)])),
            );
            for (const row of rows) assert.ok(row.fee === feeKobo && row.unresolved <= row.attempts);
          };

          for (const step of course) {
            await take[step.does](step as never);
            await check();
          }
          while (rules.open.length > 0) await take.answer({ does: "answer", nth: 0, kind: "verified" });
          await check();
          const sums = await summary(store.db, { from: 0, to: Date.now() + 1, accountId });
          for (const { mode, charged, feeKobo: sum } of sums) {
            const due = rules.verifications.filter(
              (verification) => verification.mode === mode && verification.charged,
            );
            assert.deepEqual([charged, sum], [due.length, due.length * feeKobo], mode);
          }
        }),
        { numRuns: engine.name === "sqlite" ? 50 : 10, endOnFailure: true },
      );
    });
  });
}

/** The response a caller gets within the time limit; `charged` is that member of a failure. */
async function toldBy(call: Promise<VerifiedRecord>): Promise<{ told: Told; charged?: boolean }> {
  try {
    return { told: (await call).replayed ? "record again" : "record" };
  } catch (failure) {
    assert.ok(failure instanceof Failure, String(failure));
    const charged = failure.detail.facts?.charged;
    assert.ok(typeof charged === "boolean", failure.code);
    return { told: `${failure.code}, ${failure.retryable ? "retry" : "final"}`, charged };
  }
}
