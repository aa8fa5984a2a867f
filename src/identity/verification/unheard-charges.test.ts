import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { engines, failureFrom, newRequest, suiteStore, until } from "../identity.fixture.ts";
import { Charges } from "../ledger/charges.ts";
import { rowOf } from "../ledger/ledger.fixture.ts";
import { adjustmentsOf } from "../ledger/reports/inspect.ts";
import { answering, verified } from "../played-upstream.fixture.ts";

for (const engine of engines)
  suite(`charges of a process that died on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const { upstream } = answering(verified);
    const upstreams = { test: upstream, live: [] };
    const chargedOf = async (mine: ReturnType<typeof newRequest>) => (await rowOf(store.db, mine))!.charged;

    /** A room that can be cut from the store after an outcome of it committed: it hears nothing more, as a process that is killed. */
    async function openMortal(t: TestContext) {
      let dies = false;
      let isDead = false;
      const db = store.db.withPlugin({
        transformQuery: ({ node }) => {
          if (isDead) throw new Error("The process is dead");
          return node;
        },
        transformResult: async ({ result }) => {
          const charged = store.db.selectFrom("verification").select("reference").where("charged", "=", 1);
          if (dies && (await charged.where("account_id", "=", last.accountId).execute()).length > 0) isDead = true;
          if (isDead) throw new Error("The reply is lost");
          return result;
        },
      });
      let last = newRequest();
      const room = await store.open(t, { db, upstreams });
      return {
        room,
        async verifyAndDie(mine: typeof last) {
          [last, dies] = [mine, true];
          return failureFrom(room.verify(mine));
        },
      };
    }

    /** What was noted covers all charges so far. */
    const noted = async (mine: ReturnType<typeof newRequest>) => {
      const { charged_at } = (await rowOf(store.db, mine))!;
      await until(async () => {
        const notes = await store.db.selectFrom("charging_process").select("heard_until").execute();
        return notes.some(({ heard_until }) => heard_until >= charged_at!);
      });
    };
    const startNext = async (t: TestContext) => {
      await store.db.updateTable("verification_owner").set({ expires_at: 0 }).execute();
      return store.open(t, { upstreams });
    };

    test("one without a key whose caller was told a failure is taken back by the next process; one that was answered stays", async (t) => {
      const { room, verifyAndDie } = await openMortal(t);
      const [answered, told500] = [newRequest(), newRequest()];
      await room.verify(answered);
      await noted(answered);
      const failure = await verifyAndDie(told500);
      assert.deepEqual([failure.code, failure.detail.facts?.charged], ["internal_error", false]);
      assert.equal(await chargedOf(told500), 1);

      await startNext(t);
      assert.deepEqual([await chargedOf(told500), await chargedOf(answered)], [0, 1]);
      const row = (await rowOf(store.db, told500))!;
      const lines = await adjustmentsOf(store.db, row);
      assert.deepEqual(
        lines.map(({ charges, kobo }) => [charges, kobo]),
        [[-1, -row.fee]],
      );
    });

    test("one with a key is of the record that the caller gets when it asks again", async (t) => {
      const { verifyAndDie } = await openMortal(t);
      const mine = newRequest({ idempotencyKey: "key" });
      assert.equal((await verifyAndDie(mine)).code, "internal_error");
      const next = await startNext(t);
      assert.equal((await next.verify(mine)).replayed, true);
      assert.deepEqual([await chargedOf(mine), await adjustmentsOf(store.db, (await rowOf(store.db, mine))!)], [1, []]);
    });

    test("a note covers no charge of which the store has not said whether it has it", async () => {
      let now = 200;
      const charges = new Charges(store.db, () => now, undefined, "slow");
      const notedUntil = async () => {
        await charges.note();
        const note = store.db.selectFrom("charging_process").select("heard_until").where("id", "=", "slow");
        return (await note.executeTakeFirstOrThrow()).heard_until;
      };
      charges.begin("first", 100);
      charges.begin("second", 150);
      assert.equal(await notedUntil(), 99);
      charges.heard("first");
      assert.deepEqual([await notedUntil(), charges.hasNews], [149, true]);
      charges.heard("second");
      // Another one may still begin in this millisecond.
      assert.deepEqual([await notedUntil(), charges.hasNews], [199, false]);
      now = 300;
      await charges.close();
      await assert.rejects(
        store.db.selectFrom("charging_process").selectAll().where("id", "=", "slow").executeTakeFirstOrThrow(),
      );
    });

    test("a stop leaves nothing to take back", async (t) => {
      const room = await store.open(t, { upstreams });
      const mine = newRequest();
      await room.verify(mine);
      await store.end(room);
      await startNext(t);
      assert.equal(await chargedOf(mine), 1);
    });
  });
