import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { CompiledQuery, type KyselyPlugin } from "kysely";
import { engines } from "../../../test/support/engines.ts";
import { withSuiteStore } from "../../../test/support/fresh-store.ts";
import { until } from "../../../test/support/until.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import { noteChange } from "../change-counter.ts";
import type { Store } from "../store.ts";
import { askForBeat, type Beat } from "./beat.ts";
import type { Job } from "./job-runner.ts";
import { Pulse } from "./pulse.ts";

for (const engine of engines)
  suite(`the pulse of a process on ${engine.name}`, () => {
    let store: Store;
    withSuiteStore(engine, (opened) => {
      store = opened;
    });

    /** Makes a pulse that follows the test's clock, and counts its statements. */
    const beating = async (t: TestContext) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const log = new RecordedLog();
      const its = { statements: 0, isAway: false, answers: Promise.resolve() };
      const counting: KyselyPlugin = {
        transformQuery: ({ node }) => {
          if (its.isAway) throw Object.assign(new Error("away"), { code: "AWAY" });
          its.statements += 1;
          return node;
        },
        transformResult: async ({ result }) => {
          await its.answers;
          return result;
        },
      };
      const pulse = await Pulse.open({ store: { ...store, db: store.db.withPlugin(counting) }, log });
      its.statements = 0;
      t.after(() => pulse.stop());
      const begin = (...jobs: Job[]) => {
        const begun = pulse.begin(jobs);
        t.after(() => begun.stop());
        return begun;
      };
      /** Lets seconds pass, with the beat of each. */
      const seconds = async (count: number) => {
        for (let second = 0; second < count; second += 1) {
          t.mock.timers.tick(1000);
          await pulse.beat();
        }
      };
      return { pulse, log, its, begin, seconds };
    };

    // Only on SQLite: PostgreSQL's plan depends on a table's size, and this table is empty.
    if (engine.name === "sqlite")
      test("the pulse reads no row of an ended verification", async () => {
        const plans: unknown[] = [];
        const explaining: KyselyPlugin = {
          transformQuery: ({ node, queryId }) => {
            const { sql, parameters } = store.db.getExecutor().compileQuery(node, queryId);
            plans.push(store.db.executeQuery(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])));
            return node;
          },
          transformResult: async ({ result }) => result,
        };
        await askForBeat(store.db.withPlugin(explaining), false, "", 0);
        assert.match(
          JSON.stringify(await Promise.all(plans)),
          /verification USING COVERING INDEX verification_by_state/,
        );
      });

    test("one statement of the pulse asks for all changes and all waiting work", async (t) => {
      const { pulse, its, begin } = await beating(t);
      const beats: (Beat | undefined)[] = [];
      begin({ name: "listen", when: () => true, run: async (beat) => beats.push(beat) });
      await pulse.beat();
      const at = store.now();
      await store.db.transaction().execute((trx) => noteChange(trx, "access"));
      await store.db
        .insertInto("audit_entry")
        .values({ id: `e-${engine.name}`, occurred_at: at, kind: "k", actor: "a", facts: "{}", position: 0 })
        .execute();
      its.statements = 0;
      await pulse.beat();
      assert.equal(its.statements, 1);
      const [first, second] = beats as [Beat, Beat];
      assert.equal(second.access, first.access + 1);
      assert.equal(second.catalogue, first.catalogue);
      assert.deepEqual([first.unsealed, second.unsealed], [false, true]);
      assert.deepEqual([second.journal, second.deliveries, second.started], [false, false, false]);
      assert.ok(second.askedAt >= at);
    });

    test("a job runs at its own interval, and the first time within a minute", async (t) => {
      const { begin, seconds } = await beating(t);
      const runs = { second: 0, five: 0, hour: 0, called: 0, never: 0 };
      const counting = (name: keyof typeof runs, more: Partial<Job>): Job => ({
        name,
        run: async () => {
          runs[name] += 1;
        },
        ...more,
      });
      begin(
        counting("second", { every: 1000 }),
        counting("five", { every: 5000 }),
        counting("hour", { every: 3_600_000 }),
        counting("called", { when: (beat) => beat?.unsealed === false || beat?.unsealed }),
        counting("never", { every: 1000, when: () => false }),
      );
      await seconds(59);
      assert.deepEqual(runs, { ...runs, second: 59, five: 11, hour: 0, never: 0 });
      assert.ok(runs.called >= 59);
      await seconds(62);
      assert.deepEqual(runs, { ...runs, second: 121, five: 24, hour: 1 });
    });

    test("a job never overlaps itself, and a stop aborts and awaits it", async (t) => {
      const { begin, seconds } = await beating(t);
      let begun = 0;
      const ended = Promise.withResolvers<void>();
      let signalled: AbortSignal | undefined;
      const jobs = begin({
        name: "long",
        every: 1000,
        run: (_, signal) => {
          begun += 1;
          signalled = signal;
          return ended.promise;
        },
      });
      await seconds(3);
      assert.equal(begun, 1);
      let isStopped = false;
      const stopped = jobs.stop().then(() => {
        isStopped = true;
      });
      assert.equal(signalled?.aborted, true);
      await seconds(1);
      assert.equal(isStopped, false);
      ended.resolve();
      await stopped;
      await seconds(3);
      assert.equal(begun, 1);
    });

    test("a failing job is logged once and does not stop other jobs", async (t) => {
      const { begin, seconds, log } = await beating(t);
      let [fails, others] = [true, 0];
      const jobs = begin(
        {
          name: "fail",
          every: 1000,
          run: async () => {
            if (fails) throw Object.assign(new Error("no"), { code: "NO" });
          },
        },
        {
          name: "go on",
          every: 1000,
          run: async () => {
            others += 1;
          },
        },
      );
      await seconds(3);
      await until(() => others === 3);
      assert.deepEqual(
        log.lines.map(({ level, fields, message }) => [level, fields, message]),
        [["warn", { job: "fail", code: "NO" }, "A job failed and is tried again"]],
      );
      const [failing] = jobs.failing();
      assert.deepEqual([failing?.name, failing?.code], ["fail", "NO"]);
      fails = false;
      await seconds(1);
      assert.deepEqual(jobs.failing(), []);
    });

    test("while the store is away, only jobs without a need for it run, and one line is logged", async (t) => {
      const { begin, seconds, log, its } = await beating(t);
      const runs: string[] = [];
      begin(
        { name: "anyway", every: 1000, run: async () => void runs.push("anyway") },
        { name: "told", when: (beat) => beat === undefined, run: async () => void runs.push("told") },
        { name: "called", when: (beat) => beat?.unsealed, run: async () => void runs.push("called") },
      );
      its.isAway = true;
      await seconds(1);
      its.isAway = false;
      assert.deepEqual(new Set(runs), new Set(["anyway", "told"]));
      assert.deepEqual(
        log.lines.map(({ fields }) => fields),
        [{ code: "AWAY" }],
      );
    });

    test("the pulse continues to beat while a beat waits for a busy store", async (t) => {
      const { begin, its } = await beating(t);
      const runs = { anyway: 0, told: 0 };
      begin(
        { name: "anyway", every: 1000, run: async () => void runs.anyway++ },
        { name: "told", when: (beat) => beat === undefined, run: async () => void runs.told++ },
      );
      const { promise, resolve } = Promise.withResolvers<void>();
      its.answers = promise;
      for (let second = 1; second <= 4; second += 1) {
        t.mock.timers.tick(1000);
        await new Promise(setImmediate);
      }
      const meanwhile = { ...runs };
      resolve();
      assert.deepEqual(meanwhile, { anyway: 3, told: 3 });
    });

    test("an error is logged by its code or name, never by its message", async (t) => {
      const { begin, seconds, log } = await beating(t);
      const jobs = begin({
        name: "fail",
        every: 1000,
        run: async () => {
          throw new TypeError("22000000017 is no text");
        },
      });
      await seconds(1);
      assert.equal(jobs.failing()[0]?.code, "TypeError");
      assert.doesNotMatch(JSON.stringify(log.lines), /22000000017/);
    });

    test("of two processes only one leads, and only the leader runs the leader's jobs", async (t) => {
      const { pulse, begin, seconds } = await beating(t);
      const other = engine.name === "sqlite" ? undefined : await Pulse.open({ store, log: new RecordedLog() });
      t.after(() => other?.stop());
      const runs: string[] = [];
      const job = (name: string): Job => ({ name, every: 1000, leader: true, run: async () => void runs.push(name) });
      begin(job("first"));
      const others = other?.begin([job("second")]);
      t.after(() => others?.stop());
      await pulse.beat();
      await seconds(1);
      await other?.beat();
      assert.deepEqual([pulse.isLeader(), other?.isLeader()].filter(Boolean), [true]);
      assert.deepEqual(runs, pulse.isLeader() ? ["first"] : ["second"]);
    });
  });
