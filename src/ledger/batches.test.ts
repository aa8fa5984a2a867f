import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { sql } from "kysely";
import { balancePeriod } from "../declare/account-terms.ts";
import { KeyedHashes } from "../keyring/keyed-hash.ts";
import { engines, keyring, suiteStore, usualLimits, usualSettings } from "../verification/identity.fixture.ts";
import { VerificationLimits } from "../verification/limits.ts";
import { Ledger, type Row } from "./ledger.ts";
import { found, newRow, placing } from "./ledger-moves.fixture.ts";
import { storeSpending } from "./ledger-rows.fixture.ts";
import { publicState } from "./public-state.ts";

type Started = Row & { state: "started" };

const started = (changes: Parameters<typeof newRow>[0] = {}) => newRow(changes) as Started;

for (const engine of engines) {
  suite(`changes of the ledger at the same moment on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const { placed, nowOf } = placing(store);

    test("concurrent changes share commits, and each caller learns the outcome of its own row", async () => {
      const ledger = new Ledger(store.db);
      const rows = Array.from({ length: 30 }, (_, n) =>
        started({ idempotency_hash: n === 20 ? "hash 10" : `hash ${n}` }),
      );
      const made = await Promise.all(rows.map((row) => ledger.insert(row)));
      assert.deepEqual(
        made,
        rows.map((_, n) => n !== 20),
      );
      const mine = rows.filter((_, n) => n !== 20);
      const ended = await Promise.all(
        mine.map((row, n) =>
          ledger.complete({ ...row, run: n === 5 ? 2 : 1 }, found(n % 2 ? "verified" : "not_found")),
        ),
      );
      assert.deepEqual(
        ended,
        mine.map((_, n) => n !== 5),
      );
      const states = (await Promise.all(mine.map(nowOf))).map(({ attempts: [attempt], ...row }) => [
        publicState(row),
        publicState({ ...attempt!, state: attempt!.outcome }),
      ]);
      assert.deepEqual(
        states,
        mine.map((_, n) => (n === 5 ? ["started", "unknown"] : Array(2).fill(n % 2 ? "verified" : "not_found"))),
      );
      if (engine.name === "postgres") {
        const { rows: commits } =
          await sql`select distinct xmin::text from verification where state <> 'started'`.execute(store.db);
        assert.ok(commits.length < 4, `${commits.length} commits`);
      }
    });

    test("if the store refuses one change of a batch, the batch's other changes are retried one by one", async () => {
      const ledger = new Ledger(store.db);
      const rows = [started(), started({ key_id: null as never }), started()];
      const made = await Promise.allSettled(rows.map((row) => ledger.insert(row)));
      assert.deepEqual(
        made.map(({ status }) => status),
        ["fulfilled", "rejected", "fulfilled"],
      );
      assert.equal((await nowOf(rows[2]!)).state, "started");
    });

    /** Inserts concurrent rows that each take 100 naira from one account's balance. */
    const paying = async (account_id: string, most_kobo: number, calls: number) => {
      const budget = { period: balancePeriod, most_kobo: null, most_verifications: null };
      await storeSpending(store.db, account_id, { most_kobo });
      const rows = Array.from({ length: calls }, () => started({ account_id, mode: "live", spends: balancePeriod }));
      return { rows, insert: (ledger: Ledger) => rows.map((row) => ledger.insert(row, [], undefined, budget)) };
    };
    const spentBy = (accountId: string) =>
      store.db
        .selectFrom("spending")
        .select(["kobo", "verifications"])
        .where("account_id", "=", accountId)
        .executeTakeFirstOrThrow();

    test("charges to balances share commits, and each balance falls by its own fees", async () => {
      const ledger = new Ledger(store.db);
      const one = await paying("acc_one_balance", 1_000_000, 20);
      const other = await paying("acc_other_balance", 1_000_000, 10);
      const made = await Promise.all([one, other].flatMap(({ insert }) => insert(ledger)));
      assert.deepEqual(made, Array(30).fill(true));
      assert.deepEqual(await spentBy("acc_one_balance"), { kobo: 200_000, verifications: 20 });
      assert.deepEqual(await spentBy("acc_other_balance"), { kobo: 100_000, verifications: 10 });
      if (engine.name === "postgres") {
        const { rows: commits } =
          await sql`select distinct xmin::text from verification where spends = ${balancePeriod}`.execute(store.db);
        assert.ok(commits.length < 4, `${commits.length} commits`);
      }
    });

    test("a balance pays for exactly as many verifications of a batch as it covers", async () => {
      const ledger = new Ledger(store.db);
      const { insert } = await paying("acc_small_balance", 125_000, 30);
      const made = await Promise.all(insert(ledger));
      assert.equal(made.filter((isMade) => isMade).length, 12);
      assert.deepEqual(await spentBy("acc_small_balance"), { kobo: 120_000, verifications: 12 });
    });

    test("only one of two concurrent changes of a row succeeds", async () => {
      const ledger = new Ledger(store.db);
      const row = await placed();
      const both = await Promise.all([1, 2].map((run) => ledger.complete({ ...row, run }, found("verified"))));
      assert.deepEqual(both, [true, false]);
      const same = await placed();
      const twice = await Promise.all([1, 2].map(() => ledger.complete(same, found("verified"))));
      assert.deepEqual(twice.toSorted(), [false, true]);
    });

    test("every change of a batch counts in the limits of its account and its subject", async () => {
      const few = { ...usualLimits, account: { count: 4, seconds: 60 }, subject: { count: 2, seconds: 60 } };
      const hashes = new KeyedHashes({ current: keyring });
      const limits = new VerificationLimits(store.db, { ...usualSettings, limits: few }, hashes);
      const insertAll = (rows: readonly Started[]) => {
        const ledger = new Ledger(store.db);
        const number = "22000000017";
        const conditionsOf = (row: Started) => limits.of(row, { kind: "bvn", number, claims: {}, terms: {} });
        return Promise.all(rows.map(async (row) => ledger.insert(row, [], await conditionsOf(row))));
      };
      const of = (account_id: string, mode: "test" | "live") =>
        started({ account_id, mode, started_at: 1000, subject_hash: hashes.of("subject", ["bvn", "22000000017"]) });
      const tests = await insertAll(Array.from({ length: 10 }, (_, n) => of(n % 2 ? "acc_2" : "acc_3", "test")));
      assert.deepEqual(
        tests,
        Array.from({ length: 10 }, (_, n) => n < 8),
      );
      const live = await insertAll(Array.from({ length: 3 }, () => of("acc_2", "live")));
      assert.deepEqual(live, [true, true, false]);
    });

    test("each person's limit counts alone, whoever else is in the batch", async () => {
      const few = {
        account: { count: 100, seconds: 60 },
        subject: { count: 2, seconds: 60 },
        inFlight: 20,
        negatives: { count: 100, seconds: 60 },
        subjectNegatives: { count: 2, seconds: 60 },
      };
      const hashes = new KeyedHashes({ current: keyring });
      const limits = new VerificationLimits(store.db, { ...usualSettings, limits: few }, hashes);
      const of = (number: string, changes: Parameters<typeof newRow>[0] = {}) => {
        const subject_hash = hashes.of("subject", ["bvn", number]);
        return {
          number,
          row: started({ account_id: "acc_persons", mode: "live", started_at: 1000, subject_hash, ...changes }),
        };
      };
      const insertAll = (calls: readonly ReturnType<typeof of>[]) => {
        const ledger = new Ledger(store.db);
        return Promise.all(
          calls.map(async ({ number, row }) => {
            const conditions = await limits.of(row, { kind: "bvn", number, claims: {}, terms: {} });
            return ledger.insert(row, [], conditions);
          }),
        );
      };
      const [one, other, missed] = ["22000000031", "22000000032", "22000000033"] as const;
      const asked = await insertAll([one, other, one, other, one, other].map((number) => of(number)));
      assert.deepEqual(asked, [true, true, true, true, false, false]);
      // These rows add no attempts to the person's limit, but each counts as a verification without a match.
      for (const _ of [1, 2])
        await placed({ ...of(missed).row, reference: newRow().reference, state: "not_found", attempts: 0 } as never);
      const fresh = ["22000000034", "22000000035"] as const;
      const next = await insertAll([fresh[0], missed, fresh[1], missed].map((number) => of(number)));
      assert.deepEqual(next, [true, false, true, false]);
    });

    if (engine.name === "postgres")
      test("a change of one row does not wait for an earlier change that waits for another row's lock", async () => {
        const ledger = new Ledger(store.db);
        const [locked, free] = [await placed(), await placed()];
        let waiting: Promise<boolean> | undefined;
        await store.db.transaction().execute(async (trx) => {
          const row = trx.selectFrom("verification").select("reference").where("reference", "=", locked.reference);
          await row.forUpdate().execute();
          waiting = ledger.complete(locked, found("verified"));
          // After these ticks the call is under way.
          await tick();
          await tick();
          assert.equal(await ledger.complete(free, found("verified")), true);
          assert.equal((await nowOf(locked)).state, "started");
        });
        assert.equal(await waiting, true);
      });
  });
}
