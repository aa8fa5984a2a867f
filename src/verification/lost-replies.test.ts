import assert from "node:assert/strict";
import { mock, suite, type TestContext, test } from "node:test";
import { checkKinds } from "../declare/check-kind.ts";
import { listedRoutes } from "../ledger/identity-settings.ts";
import { followJournal } from "../ledger/journal/follow-journal.ts";
import { comparedSums } from "../ledger/journal/recounted-sums.ts";
import { inSnapshot } from "../storage/audited.ts";
import { StoreAway } from "../storage/errors.ts";
import type { Db } from "../storage/tables.ts";
import type { IdentityOutcome, IdentityUpstream } from "../vendors/ports/identity-upstream.ts";
import { negative, unavailable } from "../vendors/ports/outcomes.ts";
import { openBehindDoor } from "./behind-door.fixture.ts";
import {
  engines,
  failureFrom,
  newRequest,
  suiteStore,
  until,
  usualEngines,
  usualSettings,
} from "./identity.fixture.ts";
import type { Identity } from "./identity.ts";
import { attemptsOf, onlyRow, quiet } from "./ledger.fixture.ts";
import { PlayedUpstream, verified } from "./played-upstream.fixture.ts";

const zone = usualSettings.timeZone;
const audit = async () => {};
const prices = { first: { bvn: 5_000 }, second: { bvn: 5_000 } };

/**
 * Returns a handle on `db` that loses the reply to the n-th change of verifications: the store makes the change, but
 * the caller gets an error once `until` has resolved.
 */
function losing(db: Db) {
  const changing = new WeakSet<object>();
  let [changes, nth] = [0, Number.POSITIVE_INFINITY];
  let over: Promise<unknown> | undefined;
  const lossy = db.withPlugin({
    transformQuery({ node, queryId }) {
      const text = JSON.stringify(node);
      if (node.kind !== "SelectQueryNode" && /"verification(?!_owner)/.test(text)) changing.add(queryId);
      return node;
    },
    async transformResult({ result, queryId }) {
      if (!changing.has(queryId)) return result;
      changes += 1;
      if (changes !== nth) return result;
      await over;
      throw new StoreAway("LOST", "its reply was lost", true);
    },
  });
  const lose = (which: number, until?: Promise<unknown>) => {
    [changes, nth, over] = [0, which, until];
  };
  return { db: lossy, lose, changes: () => changes };
}

/** The moments at which the vendor that was too slow for the first call answers. */
const moments = ["while a retry waits", "after that retry", "once nobody works on it"] as const;

interface Case {
  name: string;
  /** The vendors' answers, in the order of the vendors. The last one is too slow. */
  answers: readonly (IdentityOutcome | "record")[];
  ends: "verified" | "not_found" | "failed";
}

const codeOf = { verified: "verified", not_found: "bvn_not_found", failed: "upstream_unavailable" } as const;

const cases: readonly Case[] = [
  { name: "a record", answers: ["record"], ends: "verified" },
  { name: "that nobody has the number", answers: [negative("not_found")], ends: "not_found" },
  { name: "that it did no work", answers: [unavailable("not_done")], ends: "failed" },
  { name: "a record, as a second source", answers: [negative("not_found"), "record"], ends: "verified" },
  { name: "a record, after another vendor failed", answers: [unavailable("not_done"), "record"], ends: "verified" },
  { name: "a record, after one without money", answers: [unavailable("no_money"), "record"], ends: "verified" },
];

/** The result of a call; undefined while it runs. */
interface Call {
  code?: string;
}

function begun(identity: Identity, request: ReturnType<typeof newRequest>): Call {
  const call: Call = {};
  const end = (code: string) => {
    call.code = code;
  };
  identity.verify(request).then(
    () => end("verified"),
    (error) => end(error.detail?.retryable === false ? `${error.code}, lasting` : error.code),
  );
  return call;
}

function wrongSums(db: Db, { accountId }: { accountId: string }): Promise<string[]> {
  return inSnapshot(db, async (snapshot) => {
    const wrong: string[] = [];
    for await (const { differences } of comparedSums(snapshot, Date.now(), zone)) wrong.push(...differences);
    return wrong.filter((text) => text.includes(accountId));
  });
}

async function settledEvents(db: Db, { accountId }: { accountId: string }): Promise<number> {
  const events = db.selectFrom("event").select("number").where("audience", "=", accountId);
  return (await events.where("type", "=", "verification.settled").execute()).length;
}

// The handle loses replies of both engines in the same way; a test below loses those of a real connection.
for (const engine of usualEngines)
  suite(`verifications of which the store's reply to one change is lost, on ${engine.name}`, () => {
    const store = suiteStore(engine, mock.timers);

    /** Lets time pass until the call has ended. */
    const ended = (call: Call) =>
      until(async () => {
        await quiet(store.usage);
        mock.timers.tick(10_000);
        return call.code !== undefined;
      });

    /** Opens a service whose last vendor is too slow, with the functions that play one verification. */
    const open = async (t: TestContext, { answers, ends }: Case, moment: (typeof moments)[number]) => {
      const lossy = losing(store.db);
      let slow = Promise.withResolvers<void>();
      let asked: string[] = [];
      const live = answers.map((answer, n): IdentityUpstream => {
        const name = ["first", "second"][n]!;
        return {
          name,
          kinds: checkKinds,
          async verify(attempt) {
            asked.push(name);
            if (n === answers.length - 1) await slow.promise;
            return answer === "record" ? verified(attempt) : answer;
          },
        };
      });
      const identity = await store.open(t, {
        db: lossy.db,
        upstreams: { test: live[0]!, live },
        settings: { routes: { ...listedRoutes, notFoundMax: 20_000 }, vendorPrices: prices },
      });
      /** Runs the service's job of every five seconds, and lets the late writes of the service happen. */
      const later = async () => {
        const job = identity.jobs.find(({ name }) => name === "end verifications that nobody works on")!;
        for (const _ of [1, 2]) {
          await quiet(store.usage);
          mock.timers.tick(5_000);
          await Promise.resolve(job.run(undefined, t.signal)).catch(() => undefined);
        }
        await quiet(store.usage);
      };
      const last = codeOf[ends];
      return async (nth: number) => {
        slow = Promise.withResolvers<void>();
        asked = [];
        lossy.lose(nth);
        const mine = newRequest({ mode: "live", idempotencyKey: "k" });
        const first = begun(identity, mine);
        await ended(first);
        const retry = begun(identity, mine);
        if (moment !== "while a retry waits") await ended(retry);
        if (moment === "once nobody works on it") await later();
        await quiet(store.usage);
        slow.resolve();
        await ended(retry);
        const codes = [first.code, retry.code];
        while (codes.length < 5 && codes.at(-1) !== last) {
          await later();
          const again = begun(identity, mine);
          await ended(again);
          codes.push(again.code);
        }
        await later();
        await followJournal({ db: store.db, audit, zone });
        return { mine, asked, codes, changes: lossy.changes() };
      };
    };

    for (const played of cases)
      for (const moment of moments)
        test(`if a vendor says ${played.name} ${moment}, its calls, ledger, sums and events agree`, async (t) => {
          t.mock.timers.enable({ apis: ["setInterval"] });
          const play = await open(t, played, moment);
          for (let nth = 1, all = 1; nth <= all; nth += 1) {
            const { mine, asked, codes, changes } = await play(nth);
            all = changes;
            const row = await onlyRow(store.db, mine);
            const attempts = await attemptsOf(store.db, mine);
            const outcomes = attempts.map(({ vendor, outcome }) => `${vendor} ${outcome}`);
            const about = `change ${nth}: ${JSON.stringify({ asked, codes, state: row.state, outcomes })}`;
            assert.deepEqual(
              attempts.map(({ vendor }) => vendor),
              asked,
              about,
            );
            const { ends } = played;
            assert.deepEqual([row.state, row.charged], [ends, ends === "verified" ? 1 : 0], about);
            const isFinal = (code = "") => code === "bvn_not_found" || code.endsWith("lasting");
            assert.ok(!codes.slice(0, -1).some(isFinal), about);
            const slow = played.answers.length > 1 ? "second" : "first";
            const isKnown = ends !== "failed";
            assert.ok(!isKnown || asked.filter((vendor) => vendor === slow).length <= 1, about);
            assert.deepEqual(await wrongSums(store.db, mine), [], about);
            const settled = isKnown && codes.includes("upstream_timeout") ? 1 : 0;
            assert.ok(!isKnown || (await settledEvents(store.db, mine)) === settled, about);
          }
        });
  });

for (const engine of engines)
  suite(`callers who were told that an outcome is unknown, on ${engine.name}`, () => {
    const store = suiteStore(engine, mock.timers);
    /** Lets time pass until the condition holds: a write that finds the store busy is repeated after a pause. */
    const inTime = (holds: () => boolean | Promise<boolean>) =>
      until(async () => {
        await quiet(store.usage);
        mock.timers.tick(10_000);
        return holds();
      });
    const ended = (call: Call) => inTime(() => call.code !== undefined);

    test("callers get an event if a retry elsewhere lost its reply and the vendor answered meanwhile", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const [slow, lossy] = [new PlayedUpstream(), losing(store.db)];
      const upstreams = { test: slow, live: [] };
      const [one, other] = [await store.open(t, { upstreams }), await store.open(t, { db: lossy.db, upstreams })];
      const mine = newRequest({ idempotencyKey: "k" });
      const told = begun(one, mine);
      await slow.asked();
      await ended(told);
      assert.equal(told.code, "upstream_timeout");
      // The first change is the insert that finds the key.
      lossy.lose(2);
      await assert.rejects(other.verify(mine), StoreAway);
      slow.answer(await verified(mine));
      await inTime(async () => (await attemptsOf(store.db, mine))[0]!.outcome === "verified");
      assert.equal((await onlyRow(store.db, mine)).state, "started");
      const job = other.jobs.find(({ name }) => name === "end verifications that nobody works on")!;
      await job.run(undefined, t.signal);
      assert.equal((await onlyRow(store.db, mine)).state, "failed");
      await followJournal({ db: store.db, audit, zone });
      assert.equal(await settledEvents(store.db, mine), 1);
    });

    test("callers get an event if a failover's reply from the store is lost", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const lossy = losing(store.db);
      const asks = (name: string, answer: IdentityOutcome): IdentityUpstream => ({
        name,
        kinds: checkKinds,
        verify: async () => answer,
      });
      const live = [asks("first", unavailable("not_done")), asks("second", negative("not_found"))];
      const room = await store.open(t, { db: lossy.db, upstreams: { test: live[0]!, live } });
      const mine = newRequest({ mode: "live", idempotencyKey: "k" });
      const isOver = Promise.withResolvers<void>();
      // The first change is the insert.
      lossy.lose(2, isOver.promise);
      const told = begun(room, mine);
      await until(async () => (await attemptsOf(store.db, mine)).length === 2);
      mock.timers.tick(usualSettings.timeLimit);
      isOver.resolve();
      await ended(told);
      assert.equal(told.code, "upstream_timeout");
      await inTime(async () => (await onlyRow(store.db, mine)).state === "failed");
      await followJournal({ db: store.db, audit, zone });
      assert.equal(await settledEvents(store.db, mine), 1);
    });
  });

suite("a retry that waits, and whose reply from PostgreSQL is lost on its way", () => {
  const store = suiteStore(engines.find(({ name }) => name === "postgres")!);

  for (const comes of ["before", "after"] as const)
    test(`a waiting retry leaves the running attempt alone; the answer comes ${comes} another retry`, async (t) => {
      const { identity, upstream, door } = await openBehindDoor(store, t, { settings: { timeLimit: 2_000 } });
      const mine = newRequest({ idempotencyKey: "k" });
      assert.equal((await failureFrom(identity.verify(mine))).code, "upstream_timeout");
      const lost = door.loseReplyTo('"started_at" = $');
      await Promise.all([assert.rejects(identity.verify(mine), StoreAway), lost]);
      const { state, attempts } = await onlyRow(store.db, mine);
      assert.deepEqual([state, attempts], ["started", 1]);
      const answer = async () => upstream.answer(await verified(mine));
      if (comes === "before") await answer();
      const again = identity.verify(mine).catch(() => undefined);
      if (comes === "after") await again.then(answer);
      // A retry is refused until the process knows that the outcome is written.
      await until(() =>
        identity.verify(mine).then(
          () => true,
          () => false,
        ),
      );
      const row = await onlyRow(store.db, mine);
      assert.deepEqual([row.charged, row.attempts, upstream.received.length], [1, 1, 1]);
      await followJournal({ db: store.db, audit, zone });
      assert.deepEqual(await wrongSums(store.db, mine), []);
      assert.equal(await settledEvents(store.db, mine), 1);
    });
});
