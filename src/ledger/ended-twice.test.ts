import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { engines, suiteStore, until } from "../verification/identity.fixture.ts";
import { unresolvedAttempts, unsentOutcome } from "./attempts.ts";
import { Ledger, type Row } from "./ledger.ts";
import { found, placing } from "./ledger-moves.fixture.ts";
import { settle, settledAfter } from "./settle.ts";
import { endAttempt } from "./statements/end-attempt.ts";

// Only PostgreSQL, because on SQLite transactions run one after another.
const engine = engines.find(({ name }) => name === "postgres")!;

suite("an attempt that two transactions change at once, on PostgreSQL", () => {
  const store = suiteStore(engine);
  const { placed, nowOf } = placing(store);
  const next = { vendor: "next", at: 3, requestId: "another", price: null };

  /** Resolves once `other` has ended or waits for the open transaction. */
  async function endedOrHeld(other: Promise<unknown>): Promise<void> {
    let hasEnded = false;
    void other.finally(() => {
      hasEnded = true;
    });
    const waiting = sql<{ count: number }>`select cast(count(*) as int) as count from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`;
    await until(async () => hasEnded || (await waiting.execute(store.db)).rows[0]!.count > 0);
  }

  const journalOf = ({ reference }: Row) =>
    store.db
      .selectFrom("verification_journal")
      .select(["attempt", "state", "attempt_was"])
      .where("reference", "=", reference)
      .where("attempt", "is not", null)
      .orderBy("number")
      .execute();

  test("an attempt ends as the journal says, even if a retry comes between a late answer's statements", async () => {
    const row = await placed({ state: "unknown" });
    let retry: Promise<Row | undefined> | undefined;
    const journals = new WeakSet<object>();
    const db = store.db.withPlugin({
      transformQuery({ node, queryId }) {
        if (JSON.stringify(node).includes('"late_answer"')) journals.add(queryId);
        return node;
      },
      async transformResult({ result, queryId }) {
        if (!retry && journals.has(queryId)) {
          retry = new Ledger(store.db).retry(row, { ...next, owner: "other", begins: "attempt" });
          await endedOrHeld(retry);
        }
        return result;
      },
    });
    await new Ledger(db).endAttempt(row, unsentOutcome(1, 5));
    assert.ok(await retry);
    assert.deepEqual(await journalOf(row), [{ attempt: 1, state: "failed", attempt_was: "unknown" }]);
    assert.deepEqual(
      (await nowOf(row)).attempts.map(({ outcome }) => outcome),
      ["failed", "unknown"],
    );
  });

  test("an operator settles the open attempt, even if a late answer has just ended the last attempt", async () => {
    const row = await placed({ state: "unknown", run: 2, attempts: 2 });
    const room = { db: store.db, actor: "terminal:ada", audit: async () => {}, config: { vendorPrices: {} } };
    const said = { reference: row.reference, as: "not_found", reason: "Their invoice" } as const;
    const { settling } = await store.db.transaction().execute(async (trx) => {
      await endAttempt(trx, row, found("failed", 2), {});
      const settling = settle({ ...room, now: () => row.started_at + settledAfter }, said);
      await endedOrHeld(settling);
      return { settling };
    });
    await settling;
    assert.deepEqual(
      (await nowOf(row)).attempts.map(({ outcome }) => outcome),
      ["negative", "failed"],
    );
  });

  const waiting = { run: 2, attempts: 2 } as const;
  const journaled = { toldUnknown: true, attempts: 1 };
  const ends: Record<string, { from: Parameters<typeof placed>[0]; end: (row: Row) => Promise<unknown> }> = {
    "a late outcome": { from: { state: "failed" }, end: (row) => new Ledger(store.db).resolve(row, found("verified")) },
    "the run that waited for it": {
      from: { state: "started", ...waiting },
      end: (row) => new Ledger(store.db).complete({ ...row, journaled }, found("verified")),
    },
    "the run that looked it up, and goes to another vendor": {
      from: { state: "started", ...waiting },
      end: (row) => new Ledger(store.db).failOver({ ...row, journaled }, found("failed"), next),
    },
  };
  for (const [name, { from, end }] of Object.entries(ends))
    test(`an attempt that ends twice counts once if ${name} is the second end`, async () => {
      const row = await placed(from);
      assert.equal(unresolvedAttempts(row)[0]!.number, 1);
      const other = await store.db.transaction().execute(async (trx) => {
        await endAttempt(trx, row, found("not_found"), {});
        const ending = end(row);
        await endedOrHeld(ending);
        return { ending };
      });
      assert.ok(await other.ending);
      assert.deepEqual(
        (await journalOf(row)).filter(({ attempt }) => attempt === 1).map(({ attempt_was }) => attempt_was),
        ["unknown", "closed"],
      );
      assert.equal((await nowOf(row)).attempts[0]!.outcome, "negative");
    });
});
