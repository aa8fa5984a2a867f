import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { newReference } from "../ledger/reference.ts";
import { type CallCount, CountedCalls } from "./counted-calls.ts";
import { engines, failureFrom, newRequest, suiteStore } from "./identity.fixture.ts";
import { answering, verified } from "./played-upstream.fixture.ts";

const second = 1000;
const hour = 3_600_000;
const day = 24 * hour;
const start = Date.UTC(2026, 0, 15);
const timeLimit = 20 * second;

for (const engine of engines) {
  suite(`counted calls on ${engine.name}`, () => {
    const store = suiteStore(engine);

    const attemptAt = (account_id: string, started_at: number) => {
      const reference = newReference(started_at);
      const about = { account_id, mode: "live", kind: "bvn", vendor: "played", request_id: "request" };
      return { ...about, reference, number: 1, started_at, outcome: "verified", bill_certain: 1 } as const;
    };
    const write = async (accountId: string, times: readonly number[]) => {
      for (let n = 0; n < times.length; n += 2000) {
        const rows = times.slice(n, n + 2000).map((time) => attemptAt(accountId, time));
        await store.db.insertInto("verification_attempt").values(rows).execute();
      }
    };
    const countOf = async (account_id: string, from: number, to: number) => {
      const { calls } = await store.db
        .selectFrom("verification_attempt")
        .select(({ fn }) => fn.countAll<number | string>().as("calls"))
        .where("account_id", "=", account_id)
        .where("started_at", ">", from)
        .where("started_at", "<=", to)
        .executeTakeFirstOrThrow();
      return Number(calls);
    };
    /** Returns the count at a time, added up as an insert does. */
    const sumAt = async (account: string, { from, to, calls }: CallCount, at: number) =>
      calls + (await countOf(account, to, at)) - (await countOf(account, from, at - day));

    test("a moving window counts the calls of its rows: exactly near the limit, else to within 50", async () => {
      const account_id = "acc_moving";
      const caller = { account_id, mode: "live" };
      const spread = Array.from({ length: 3000 }, (_, n) => start - day + Math.round((n * day) / 3000));
      await write(account_id, spread);
      const both = [1, 2].map(() => new CountedCalls(store.db, day, timeLimit));
      let at = start;
      for (let n = 0; n < 300; n += 1) {
        at += n % 50 === 49 ? 7 * hour : (n % 7) * 900;
        // The second call reaches the store 15 seconds after its start.
        await write(account_id, [at, at - 15 * second]);
        // The call was not sent, which the ledger hears within the time limit of its verification.
        if (n % 5 === 0)
          await store.db
            .deleteFrom("verification_attempt")
            .where("started_at", "=", at - (n % 2) * 15 * second)
            .where("account_id", "=", account_id)
            .execute();
        if (n === 150) both[0] = new CountedCalls(store.db, day, timeLimit);
        const counts = both[n % 2]!;
        const expected = await countOf(account_id, at - day, at);
        assert.equal(await sumAt(account_id, await counts.until(caller, at, 1), at), expected, `call ${n}`);
        const far = await counts.until(caller, at, 1e9);
        assert.ok(Math.abs((await sumAt(account_id, far, at)) - expected) <= 50, `call ${n}, far from the limit`);
      }
    });

    test("after a clock is set back, calls are counted in the window before the new time", async () => {
      const account_id = "acc_set_back";
      const counts = new CountedCalls(store.db, day, timeLimit);
      await write(account_id, [start - 30 * hour, start - hour, start - second]);
      const caller = { account_id, mode: "live" };
      await counts.until(caller, start, 1);
      const back = start - 20 * hour;
      assert.equal(await sumAt(account_id, await counts.until(caller, back, 1), back), 1);
    });

    test("no statement reads a whole large window: an insert counts only the last minutes' changes", async () => {
      const account_id = "acc_large";
      const caller = { account_id, mode: "live" };
      const every = 150;
      const size = hour / every + 2000;
      await write(
        account_id,
        Array.from({ length: size }, (_, n) => start - (size - n) * every),
      );
      const read: number[] = [];
      const watched = store.db.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          read.push(Number((result.rows[0] as { calls: number | string }).calls));
          return result;
        },
      });
      const counts = new CountedCalls(watched, hour, timeLimit);
      const begin = start - 100 * every;
      await counts.until(caller, begin, 1);
      assert.ok(read.length > 0 && Math.max(...read) <= 20_001, String(read));
      read.length = 0;
      for (let n = 0; n < 200; n += 1) {
        const at = begin + (n >> 1) * every;
        const { from, to, calls } = await counts.until(caller, at, n % 2 ? 1 : 1e9);
        const [came, left] = [await countOf(account_id, to, at), await countOf(account_id, from, at - hour)];
        assert.equal(calls + came - left, hour / every);
        assert.ok(came <= 300 && left <= 80, `${came} came and ${left} left`);
      }
      const all = read.reduce((sum, one) => sum + one, 0);
      assert.ok(read.length > 0 && all < 3000, String(read));
    });

    test("a cap on calls holds exactly over two processes and a restart, and says when calls resume", async (t) => {
      let at = start;
      const { upstream, received } = answering(verified);
      const settings = { limits: null, vendorAttemptsPerDay: 1500 };
      const parts = { upstreams: { test: upstream, live: [upstream] }, now: () => at, settings };
      const rooms = [await store.open(t, parts), await store.open(t, parts)];
      const live = newRequest({ mode: "live" });
      const old = Array.from({ length: 1490 }, (_, n) => start - 23 * hour + n * 50 * second);
      await write(live.accountId, old);
      for (let n = 0; n < 10; n += 1) {
        await rooms[n % 2]!.verify(live);
        at += second;
      }
      rooms.push(await store.open(t, parts));
      for (const room of rooms) {
        const { code, detail } = await failureFrom(room.verify(live));
        assert.deepEqual([code, detail.retryAfter], ["rate_limited", (old[0]! + day - at) / second]);
      }
      assert.equal(received.length, 10);
      // The three oldest calls leave the window, one after another.
      at = old[2]! + day;
      for (const room of rooms) await room.verify(live);
      for (const room of rooms)
        assert.equal((await failureFrom(room.verify(live))).detail.retryAfter, (old[3]! + day - at) / second);
      // Then a call leaves the window before any process has read that it left.
      at = old[3]! + day;
      await rooms[0]!.verify(live);
      for (const room of rooms) assert.equal((await failureFrom(room.verify(live))).code, "rate_limited");
      assert.equal(received.length, 14);
    });
  });
}
