import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { Charges, newChargeMark } from "../ledger/charges.ts";
import { adjustmentsOf } from "../ledger/reports/inspect.ts";
import { applyRetention } from "../storage/tables/apply-retention.fixture.ts";
import {
  type Changes,
  engines,
  failureFrom,
  newRequest,
  suiteStore,
  until,
  usualSettings,
} from "./identity.fixture.ts";
import { rowOf } from "./ledger.fixture.ts";
import { answering, verified } from "./played-upstream.fixture.ts";

for (const engine of engines)
  suite(`charges of a process that died on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const { upstream } = answering(verified);
    const upstreams = { test: upstream, live: [] };
    const chargedOf = async (mine: ReturnType<typeof newRequest>) => (await rowOf(store.db, mine))!.charged;

    /**
     * Opens a service. `verifyAndDie` commits the charge of a verification. From then on the service gets no reply from
     * the store, as if its process had been killed.
     */
    async function openMortal(t: TestContext, changes: Changes = {}) {
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
      const room = await store.open(t, { db, upstreams, ...changes });
      return {
        room,
        async verifyAndDie(mine: typeof last) {
          [last, dies] = [mine, true];
          return failureFrom(room.verify(mine));
        },
      };
    }

    /** Resolves when a note covers the charge of this request. */
    const noted = async (mine: ReturnType<typeof newRequest>) => {
      const { charged_at } = (await rowOf(store.db, mine))!;
      await until(async () => {
        const notes = await store.db.selectFrom("charging_process").select("heard_until").execute();
        return notes.some(({ heard_until }) => heard_until >= charged_at!);
      });
    };
    const endLeases = () => store.db.updateTable("verification_owner").set({ expires_at: 0 }).execute();
    const startNext = async (t: TestContext) => {
      await endLeases();
      return store.open(t, { upstreams });
    };

    test("the next process reverses only the keyless charge whose caller got a failure", async (t) => {
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

    test("a charge with an idempotency key stays, since a retry gets the record", async (t) => {
      const { verifyAndDie } = await openMortal(t);
      const mine = newRequest({ idempotencyKey: "key" });
      assert.equal((await verifyAndDie(mine)).code, "internal_error");
      const next = await startNext(t);
      assert.equal((await next.verify(mine)).replayed, true);
      assert.deepEqual([await chargedOf(mine), await adjustmentsOf(store.db, (await rowOf(store.db, mine))!)], [1, []]);
    });

    const notesOf = (process: string) =>
      store.db.selectFrom("charging_process").select(["heard_until", "unheard"]).where("id", "=", process).execute();

    test("a note confirms all charges before it except the charges that it names as without a reply", async () => {
      let now = 200;
      const charges = new Charges(store.db, () => now, undefined, "slow");
      const noted = async () => {
        await charges.note();
        const [note] = await notesOf("slow");
        return [note!.heard_until, note!.unheard, charges.hasNews];
      };
      const [first, second] = [newChargeMark(true), newChargeMark(true)];
      charges.begin("one", first, 100);
      charges.begin("two", second, 150);
      assert.deepEqual(await noted(), [199, "one,two", true]);
      charges.heard(first);
      assert.deepEqual(await noted(), [199, "two", true]);
      charges.heard(second);
      // Another charge may still begin in this millisecond.
      assert.deepEqual(await noted(), [199, "", false]);
      now = 100;
      assert.deepEqual(await noted(), [150, "", false], "a clock that went back leaves no settled charge in doubt");
      now = 300;
      await charges.close();
      assert.deepEqual(await notesOf("slow"), []);
    });

    test("a process writes a note after a charge with a key, and no note without a charge", async () => {
      let now = 200;
      const charges = new Charges(store.db, () => now, undefined, "keyed");
      assert.equal(charges.hasNews, false);
      const mark = newChargeMark();
      charges.begin("one", mark, 100);
      assert.equal(charges.hasNews, true);
      await charges.note();
      assert.deepEqual([await notesOf("keyed"), charges.hasNews], [[{ heard_until: 199, unheard: "" }], false]);
      now = 300;
      await charges.close();
    });

    test("a charge without a reply never makes another charge of its process uncertain", async (t) => {
      const room = await store.open(t, { upstreams });
      const [waits, given] = [newRequest(), newRequest()];
      await room.verify(waits);
      await room.verify(given);
      const { owner, reference, charged_at } = (await rowOf(store.db, waits))!;
      await noted(given);
      await store.end(room);
      const note = { id: owner!, heard_until: charged_at! + 60_000, unheard: `another,${reference}` };
      await store.db.insertInto("charging_process").values(note).execute();

      await startNext(t);
      assert.deepEqual([await chargedOf(waits), await chargedOf(given)], [0, 1]);
    });

    test("a day after keys expired, the death of a process reverses no answered or keyed charge", async (t) => {
      let late = 0;
      const now = () => Date.now() + late;
      const changes = { upstreams, now, settings: { limits: null } };
      const { room, verifyAndDie } = await openMortal(t, changes);
      // On SQLite only one process serves, so the next one starts later.
      const peer = engine.name === "postgres" ? await store.open(t, changes) : undefined;
      const keyless = newRequest();
      await room.verify(keyless);
      const given = Array.from({ length: 40 }, () => newRequest({ idempotencyKey: "key" }));
      for (const mine of given) await room.verify(mine);
      await noted(given.at(-1)!);
      late = 26 * 3_600_000;
      const { keys } = await applyRetention(store.db, { now: now(), recordRetention: usualSettings.recordRetention });
      assert.ok(keys! >= given.length);
      const unheard = newRequest();
      await verifyAndDie(unheard);
      assert.equal(await chargedOf(unheard), 1);

      await endLeases();
      const next = peer ?? (await store.open(t, changes));
      const takesBack = next.jobs.find(({ name }) => name === "take back charges of processes that are gone")!;
      await takesBack.run(undefined, new AbortController().signal);
      // The reversal of the charge without a response shows that the job also checked all other charges.
      assert.equal(await chargedOf(unheard), 0);
      for (const mine of [keyless, ...given]) {
        const row = (await rowOf(store.db, mine))!;
        assert.deepEqual([row.charged, await adjustmentsOf(store.db, row)], [1, []]);
      }
    });

    if (engine.name === "postgres")
      for (const [clock, itself] of [
        [performance, "its own clock"],
        [Date, "the clock on the wall"],
      ] as const)
        test(`a frozen process renews its note before it charges, even if only ${itself} went on`, async (t) => {
          t.mock.timers.enable({ apis: ["setInterval"] });
          const { verifyAndDie } = await openMortal(t);
          const peer = await store.open(t, { upstreams });
          const takesBack = peer.jobs.find(({ name }) => name === "take back charges of processes that are gone")!;
          const takeBack = async () => {
            await endLeases();
            await takesBack.run(undefined, new AbortController().signal);
          };
          await takeBack();
          const notes = await store.db.selectFrom("charging_process").select("id").execute();
          assert.equal(notes.length, 1, "the peer removes every note but its own");

          const now = clock.now.bind(clock);
          t.mock.method(clock, "now", () => now() + 70_000);
          const mine = newRequest();
          await verifyAndDie(mine);
          assert.equal(await chargedOf(mine), 1);
          await takeBack();
          assert.equal(await chargedOf(mine), 0);
        });

    test("a stop leaves no charge to reverse", async (t) => {
      const room = await store.open(t, { upstreams });
      const mine = newRequest();
      await room.verify(mine);
      await store.end(room);
      await startNext(t);
      assert.equal(await chargedOf(mine), 1);
    });
  });
