import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type SqlBool, sql } from "kysely";
import { KeyedHashes } from "../keyring/keyed-hash.ts";
import { slotAt } from "../storage/record-keys.ts";
import { engines, keyring, suiteStore, usualLimits, usualSettings } from "../verification/identity.fixture.ts";
import { wrappedKeys } from "../verification/ledger.fixture.ts";
import { VerificationLimits } from "../verification/limits.ts";
import { isNotSent, newAttempt, type RunOutcome, unsentOutcome } from "./attempts.ts";
import { leasesOf } from "./leases.ts";
import { Ledger, type Row } from "./ledger.ts";
import { found, newRow, placing } from "./ledger-moves.fixture.ts";
import { type PublicState, publicState, publicStates, storedState } from "./public-state.ts";
import { newReference } from "./reference.ts";
import { settle, settledAfter } from "./settle.ts";
import { abandonAll } from "./statements/abandon-rows.ts";
import { type Transition, transitions, type VerificationState } from "./transitions.ts";

for (const engine of engines) {
  suite(`the ledger on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const { placed, nowOf } = placing(store);
    const next = { vendor: "next", at: 3, requestId: "another", price: null };

    /** Tries a change of a row's state. Returns true if the ledger reports the change. */
    const tried = async (move: Transition, row: Row, to: PublicState): Promise<boolean> => {
      const ledger = new Ledger(store.db);
      if (move === "retry")
        return (await ledger.retry(row, { ...next, owner: "other", begins: "attempt" })) !== undefined;
      if (move === "failOver") return (await ledger.failOver(row, found("failed"), next)) !== undefined;
      if (move === "abandon") return ledger.abandon(row, { isOwnerGone: sql<SqlBool>`1 = 1` }, () => 3);
      if (move === "settle") {
        const room = {
          db: store.db,
          actor: "terminal:ada",
          audit: async () => {},
          config: { vendorPrices: {} },
          now: () => row.started_at + settledAfter,
        };
        const said = { reference: row.reference, as: to as "failed", reason: "Their invoice" };
        return settle(room, said).then(
          () => true,
          () => false,
        );
      }
      const verb = move === "complete" ? "complete" : "resolve";
      return ledger[verb](row, found(to));
    };

    test("a verification changes state only as the table of transitions says", async () => {
      for (const move of Object.keys(transitions) as Transition[]) {
        const { from, to }: { from: readonly VerificationState[]; to: readonly VerificationState[] } =
          transitions[move];
        for (const target of publicStates.filter((each) => to.includes(storedState(each).state)))
          for (const state of publicStates) {
            const row = await placed({ state });
            const moved = await tried(move, row, target);
            assert.equal(moved, from.includes(storedState(state).state), `${move}: ${state} to ${target}`);
            assert.equal(publicState(await nowOf(row)), moved ? target : state);
          }
      }
    });

    test("writing an outcome with a state that the transition does not allow throws", async () => {
      const row = await placed();
      await assert.rejects(new Ledger(store.db).complete(row, found("refused")), /No verification goes to refused/);
      assert.equal((await nowOf(row)).state, "started");
    });

    test("how an outcome is written does not depend on the outcomes written before it", async () => {
      const used = new Ledger(store.db);
      const sealed = { sealed_record: "s1:r1:record", sealed_key: "s1:r1:key" };
      const more = [
        {},
        { sealed, charge: "mark" },
        { notSent: true },
        { attempt: null },
        { reason: "shape", reference: "theirs" },
      ];
      for (const state of ["verified", "not_found", "failed", "unknown"] as const)
        for (const changes of more) {
          const [one, other] = [await placed({ run: 2, attempts: 2 }), await placed({ run: 2, attempts: 2 })];
          const outcome = { ...found(state), ...changes } as RunOutcome;
          assert.ok(await used.complete(one, outcome));
          assert.ok(await new Ledger(store.db).complete(other, outcome));
          const { reference, attempts, ...written } = await nowOf(one);
          const same = attempts.map((attempt) => ({ ...attempt, reference: other.reference }));
          const expected = { reference: other.reference, attempts: same, ...written };
          assert.deepEqual(expected, await nowOf(other), JSON.stringify(outcome));
          assert.equal(attempts.length, isNotSent(outcome) ? 1 : 2);
          const keys = [reference, other.reference].map((name) =>
            new Ledger(store.db).recordKey({ reference: name, completed_at: 2 }),
          );
          const [key, otherKey] = await Promise.all(keys);
          assert.equal(key, otherKey);
        }
    });

    test("an attempt counts with its price as the bill as soon as it starts", async () => {
      const row = await placed({ attempts: 1 });
      const next = { vendor: "other", at: 2, requestId: "request", price: 700 };
      assert.ok(await new Ledger(store.db).failOver(row, found("failed"), next));
      const { price, bill, bill_certain, outcome } = (await nowOf(row)).attempts.at(-1)!;
      assert.deepEqual(
        { price, bill, bill_certain, outcome },
        { price: 700, bill: 700, bill_certain: 0, outcome: "unknown" },
      );
    });

    test("only a verified outcome with a charge mark is charged, in the row and in the journal", async () => {
      const ledger = new Ledger(store.db);
      for (const [outcome, kobo] of [
        [found("verified"), 10_000],
        [{ ...found("verified"), charge: null }, 0],
        [found("not_found"), 0],
        [found("failed"), 0],
        [found("unknown"), 0],
      ] as const) {
        const row = await placed();
        assert.ok(await ledger.complete(row, outcome));
        const { charged, charged_at, charge_mark, completed_at } = await nowOf(row);
        const entries = await store.db
          .selectFrom("verification_journal")
          .select(["charged", "kobo", "at", "told_unknown"])
          .where("reference", "=", row.reference)
          .execute();
        const isCharged = kobo > 0 ? 1 : 0;
        const isUnknown = outcome.state === "unknown" ? 1 : 0;
        assert.deepEqual(
          { charged, charged_at, charge_mark, completed_at, entries },
          {
            charged: isCharged,
            charged_at: isCharged ? 2 : null,
            charge_mark: isCharged ? "mark" : "",
            completed_at: isUnknown ? null : 2,
            entries: [{ charged: isCharged, kobo, at: 2, told_unknown: isUnknown }],
          },
        );
      }
    });

    test("a row counts only in the limits of its own mode and state, whatever rows were written before", async () => {
      const rules = { ...usualSettings, limits: usualLimits, vendorAttemptsPerDay: 2 };
      const limits = new VerificationLimits(store.db, rules, new KeyedHashes({ current: keyring }));
      const ledger = new Ledger(store.db);
      const account_id = newReference(Date.now());
      const make = async (mode: Row["mode"], state: "started" | "refused", attempts: number) => {
        const row = { ...newRow({ account_id, mode, attempts: Math.min(attempts, 1) }), state };
        const request = { kind: "bvn", claims: {}, number: "22000000017", terms: {} } as const;
        return ledger.insert(row, [], await limits.of(row, request));
      };
      assert.ok(await make("live", "refused", 0));
      assert.ok(await make("live", "started", 1));
      assert.ok(await make("live", "started", 1));
      assert.equal(await make("live", "started", 1), false);
      assert.ok(await make("live", "refused", 0));
      assert.ok(await make("test", "started", 1));
      assert.equal(await make("live", "started", 1), false);
    });

    test("only the owner's current run can end a verification", async () => {
      const ledger = new Ledger(store.db);
      const row = await placed({ run: 2 });
      assert.equal(await ledger.complete({ ...row, owner: "other" }, found("verified")), false);
      assert.equal(await ledger.complete({ ...row, run: 1 }, found("verified")), false);
      assert.equal(await ledger.complete(row, found("verified", 2)), true);
      assert.equal(await ledger.complete(row, found("verified", 2)), false);
      const charge = { charged: 1, charged_at: 2, charge_mark: "mark" } as const;
      const attempts = [{ ...row.attempts[0]!, outcome: "verified", answered_at: 2, bill_certain: 1 }];
      const expected = { ...row, state: "verified", ...charge, completed_at: 2, attempts };
      assert.deepEqual(await nowOf(row), expected);
    });

    test("a failover adds an attempt, and only the verification's current run can fail over", async () => {
      const ledger = new Ledger(store.db);
      const row = await placed();
      const timedOut = { state: "unknown", reason: "timed_out", attempt: 1, at: 2 } as const;
      const turned = await ledger.failOver(row, timedOut, next);
      const attempts = [{ ...row.attempts[0], reason: "timed_out" }, newAttempt({ ...row, run: 2 }, next)];
      const known = { ...row, run: 2, attempts };
      assert.deepEqual(turned, { ...known, journaled: { toldUnknown: false, attempts: 1 } });
      assert.equal(await ledger.failOver(row, timedOut, next), undefined);
      assert.equal(await ledger.complete(row, found("failed")), false);
      assert.deepEqual(await nowOf(row), known);
    });

    test("a failover from a vendor that was not called replaces its attempt by the next vendor's", async () => {
      const row = await placed();
      const turned = (await new Ledger(store.db).failOver(row, unsentOutcome(1, 2), next))!;
      assert.deepEqual(
        turned.attempts.map(({ number, vendor }) => [number, vendor]),
        [[2, "next"]],
      );
      const { attempts, run } = await nowOf(row);
      assert.deepEqual([attempts, run], [turned.attempts, 2]);
    });

    test("a verification is resumed by one of several concurrent retries", async () => {
      const ledger = new Ledger(store.db);
      const row = await placed({ state: "failed", completed_at: 2 });
      const resumed = await Promise.all(
        Array.from({ length: 8 }, (_, n) => ledger.retry(row, { ...next, owner: `o${n}`, begins: "attempt" })),
      );
      assert.equal(resumed.filter((one) => one !== undefined).length, 1);
      const now = await nowOf(row);
      assert.deepEqual([now.state, now.attempts.length, now.started_at, now.completed_at], ["started", 2, 3, null]);
    });

    test("an idempotency key makes one row for each account and mode", async () => {
      const ledger = new Ledger(store.db);
      const keyed = (changes: Parameters<typeof newRow>[0] = {}) =>
        newRow({ idempotency_hash: "v1:key", ...changes }) as never;
      const made = await Promise.all(Array.from({ length: 8 }, () => ledger.insert(keyed())));
      assert.equal(made.filter((one) => one).length, 1);
      assert.ok(await ledger.insert(keyed({ account_id: "acc_2" })));
      assert.ok(await ledger.insert(keyed({ mode: "live" })));
      assert.ok(await ledger.insert(newRow() as never));
      assert.ok(await ledger.insert(newRow() as never));
    });

    test("a late failure ends a verification only if no other attempt is open and its owner reports it", async () => {
      const ledger = new Ledger(store.db);
      const open = { state: "unknown" } as const;
      assert.equal(await ledger.resolve(await placed({ ...open, attempts: 2, run: 2 }), found("failed", 2)), false);
      const later = await placed({ ...open, run: 2 });
      assert.equal(await ledger.resolve({ ...later, run: 1 }, found("failed")), false);
      assert.equal(await ledger.resolve({ ...later, owner: "other" }, found("failed")), false);
      assert.equal(await ledger.resolve(later, found("failed", 2)), true);
      const { state, attempts } = await nowOf(later);
      assert.deepEqual([state, attempts.map(({ outcome }) => outcome)], ["failed", ["failed"]]);
      assert.equal(await ledger.resolve(await placed(open), found("unknown")), false);
    });

    test("an unsent attempt is ended by its own run, not by another process's run with an equal number", async () => {
      const [ledger, row] = [new Ledger(store.db), await placed({ state: "unknown" })];
      const outcomeOf = async () => (await nowOf(row)).attempts[0]?.outcome;
      await ledger.endAttempt({ ...row, owner: "other" }, unsentOutcome(1, 5));
      assert.equal(await outcomeOf(), "unknown");
      await ledger.endAttempt(row, unsentOutcome(1, 5));
      assert.equal(await outcomeOf(), "failed");
    });

    test("an outcome and the key of its record are stored together or not at all", async () => {
      const ledger = new Ledger(store.db);
      const finding = { ...found("verified"), sealed: { sealed_record: "s1:r1:b", sealed_key: "s1:r1:a" } };
      const rows = await Promise.all([placed(), placed(), placed()]);
      const [whole, ...broken] = rows;
      const slot = slotAt(finding.at);
      const keys = broken.map(({ reference }) => ({ slot, reference, sealed_key: "in the way" }));
      await store.db.insertInto("record_key").values(keys).execute();
      const settled = await Promise.allSettled(rows.map((row) => ledger.complete(row, finding)));
      assert.deepEqual(
        settled.map(({ status }) => status),
        ["fulfilled", "rejected", "rejected"],
      );
      await assert.rejects(ledger.complete(broken[0]!, finding));
      for (const row of broken) assert.equal((await nowOf(row)).state, "started");
      assert.equal((await nowOf(whole!)).state, "verified");
      assert.equal((await wrappedKeys(store.db)).get(whole!.reference), "s1:r1:a");
    });

    test("the running rows of one owner, or of all dead processes, become unknown", async () => {
      await store.db.deleteFrom("verification").execute();
      const [mine, other, done] = [
        await placed(),
        await placed({ owner: "other" }),
        await placed({ state: "verified" }),
      ];
      assert.equal(await abandonAll(store.db, { owner: "me" }, () => 3), 1);
      const statesOf = async () => [(await nowOf(mine)).state, (await nowOf(other)).state, (await nowOf(done)).state];
      assert.deepEqual(await statesOf(), ["unknown", "started", "verified"]);
      const hasPeers = engine.name === "postgres";
      const here = leasesOf({ id: "here", hasPeers, isValid: () => true, renewIfExpired: async () => {} });
      assert.equal(await abandonAll(store.db, here, () => 3), 1);
      assert.deepEqual(await statesOf(), ["unknown", "unknown", "verified"]);
      assert.equal((await nowOf(other)).attempts[0]?.outcome, "unknown");
    });
  });
}
