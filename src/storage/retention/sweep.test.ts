import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { withSuiteStore } from "../../../test/support/fresh-store.ts";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import type { Store } from "../store.ts";
import { storeTrail } from "../store-trail.ts";
import { RetentionClock } from "./retention-clock.ts";
import { hourly, minutely, type RetentionRule, removeBatches, rowsBefore } from "./retention-rule.ts";
import { sweeper } from "./sweep.ts";

const start = Date.UTC(2026, 0, 31);
const never = new AbortController().signal;

for (const engine of engines)
  suite(`the sweep on ${engine.name}`, () => {
    let store: Store;
    withSuiteStore(engine, (opened) => {
      store = opened;
    });
    const ruleOf = (rule: Partial<RetentionRule>): RetentionRule => ({
      name: "played",
      tables: [],
      every: minutely,
      kept: (now) => now - 1000,
      remove: async () => ({}),
      ...rule,
    });
    const sweeping = async (rules: readonly RetentionRule[], signal = never) => {
      const log = new RecordedLog();
      const told: AuditEvent[] = [];
      const clock = await RetentionClock.open({ store: { db: store.db, now: () => start, doubt: () => {} }, log });
      const audit = async (_: unknown, ...events: AuditEvent[]) => void told.push(...events);
      const sweep = sweeper({ db: store.db, clock, rules, audit, log });
      return { run: () => sweep(signal), told, lines: log.lines };
    };
    /** Returns a rule's `remove` that deletes one item at a time. */
    const removing = (count: number, name = "keys") => {
      let left = count;
      return async () => ({ [name]: left > 0 ? left-- && 1 : 0 });
    };

    test("the sweep applies each rule at the rule's interval", async () => {
      const runs = { minutely: 0, hourly: 0 };
      const counting = (name: keyof typeof runs, every: number) =>
        ruleOf({
          every,
          remove: async () => {
            runs[name] += 1;
            return {};
          },
        });
      const sweep = await sweeping([counting("minutely", minutely), counting("hourly", hourly)]);
      for (let minute = 1; minute <= 61; minute += 1) await sweep.run();
      assert.deepEqual(runs, { minutely: 61, hourly: 2 });
    });

    test("one audit entry of the sweep counts what all audited rules deleted", async () => {
      const sweep = await sweeping([
        ruleOf({ isAudited: true, remove: removing(3) }),
        ruleOf({ isAudited: true, remove: removing(2, "records") }),
        ruleOf({ remove: removing(5, "others") }),
      ]);
      await sweep.run();
      await sweep.run();
      const facts = { keys: 3, records: 2 };
      assert.deepEqual(sweep.told, [storeTrail.retentionSwept("system", facts)]);
    });

    test("a failing rule does not stop other rules, is logged once and retried each minute", async () => {
      let tries = 0;
      const failing = ruleOf({
        name: "broken",
        every: hourly,
        isAudited: true,
        remove: async () => {
          tries += 1;
          if (tries === 1) return { keys: 1 };
          throw new Error("no");
        },
      });
      const sweep = await sweeping([failing, ruleOf({ isAudited: true, remove: removing(1, "records") })]);
      await sweep.run();
      await sweep.run();
      assert.equal(tries, 3);
      assert.deepEqual(
        sweep.lines.map(({ level, fields }) => [level, fields.rule, fields.reason]),
        [["warn", "broken", "Error: no"]],
      );
      assert.deepEqual(
        sweep.told.map(({ facts }) => facts),
        [{ keys: 1, records: 1 }],
        "also what it removed before it failed",
      );
    });

    test("a stop lets the current batch finish, and starts no other", async () => {
      const begun = Promise.withResolvers<void>();
      const goesOn = Promise.withResolvers<void>();
      let batches = 0;
      const endless = ruleOf({
        isAudited: true,
        remove: async () => {
          batches += 1;
          begun.resolve();
          await goesOn.promise;
          return { keys: 1 };
        },
      });
      const stopping = new AbortController();
      const sweep = await sweeping([endless, endless], stopping.signal);
      const run = sweep.run();
      await begun.promise;
      stopping.abort();
      goesOn.resolve();
      await run;
      assert.equal(batches, 1);
      assert.deepEqual(
        sweep.told.map(({ facts }) => facts),
        [{ keys: 1 }],
      );
    });

    test("the sweep deletes rows in batches, and rows of the same millisecond together", async () => {
      const { db } = store;
      const rows = Array.from({ length: 1400 }, (_, n) => ({
        challenge: `c${n}`,
        purpose: "sign-in",
        expires_at: Math.min(n, 700),
      }));
      for (let from = 0; from < rows.length; from += 400)
        await db
          .insertInto("passkey_challenge")
          .values(rows.slice(from, from + 400))
          .execute();
      const rule = rowsBefore("passkey_challenge", "expires_at", { kept: (now) => now });
      const batches: number[] = [];
      const noting: Pick<RetentionRule, "remove"> = {
        remove: async (trx, before) => {
          const removed = await rule.remove(trx, before);
          batches.push(removed.passkey_challenge!);
          return removed;
        },
      };
      await removeBatches(db, noting, 700);
      assert.deepEqual(batches, [500, 200, 0]);
      assert.deepEqual(await removeBatches(db, noting, 701), { passkey_challenge: 700 });
    });
  });
