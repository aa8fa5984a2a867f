import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { suite, test } from "node:test";
import { append } from "../src/audit/append.ts";
import { signFirstHead } from "../src/audit/chain/head.ts";
import { signer } from "../src/audit/chain/seal.ts";
import { trailTrimmer } from "../src/audit/trim-trail.ts";
import { readConfig } from "../src/config/read-config.ts";
import { RecordedLog } from "../src/runtime/recorded-log.fixture.ts";
import { acceptClock, RetentionClock } from "../src/storage/retention/retention-clock.ts";
import type { RetentionRule } from "../src/storage/retention/retention-rule.ts";
import { sweeper } from "../src/storage/retention/sweep.ts";
import { everyRule, everyTable } from "../src/storage/tables/every-table.ts";
import { keptTimes } from "../src/wire/core.ts";
import { engines } from "./support/engines.ts";
import { freshStore } from "./support/fresh-store.ts";
import { type Age, addOwners, retentionCases } from "./support/retention-cases.ts";

const start = Date.UTC(2026, 10, 22, 12);
const ahead = 26 * 30 * 24 * 60 * 60_000;
const sealKey = randomBytes(32);
const terms = { audit: append, trimTrail: trailTrimmer(sealKey) };
const rules = everyRule({ ...keptTimes(readConfig({})), ...terms });
const cases = retentionCases(signer(sealKey));

test("every retention rule has a test case, and deletes only from its declared tables", () => {
  assert.deepEqual(Object.keys(cases).sort(), rules.map(({ name }) => name).sort());
  const said = Object.entries(everyTable).flatMap(([name, { retention }]) => (retention === "lasts" ? [] : [name]));
  assert.deepEqual([...new Set(rules.flatMap(({ tables }) => tables))].sort(), said.sort());
  for (const [name, { retention }] of Object.entries(everyTable))
    if (typeof retention === "object")
      assert.ok(rules.some(({ tables }) => tables.includes(retention.with) && tables.some((each) => each === name)));
});

test("a table's default retention equals the default of its setting", async (t) => {
  const { db } = (await freshStore(t, engines[0]!)).store;
  const from = (rules: readonly RetentionRule[]) => Promise.all(rules.map(({ kept }) => kept(start, db)));
  assert.deepEqual(await from(everyRule(terms)), await from(rules));
});

for (const engine of engines)
  suite(`what is kept for a time on ${engine.name}`, () => {
    test("rows are deleted when their time is over, and a distrusted clock deletes only sealed records", async (t) => {
      const { db } = (await freshStore(t, engine)).store;
      await signFirstHead(db, signer(sealKey));
      await addOwners(db);
      const log = new RecordedLog();
      let time = start;
      /** A sweep with a clock of its own, as after a start of the service. */
      const started = async () => {
        const clock = await RetentionClock.open({ store: { db, now: () => time, doubt: () => {} }, log });
        const sweep = sweeper({ db, clock, rules, audit: append, log });
        return async () => {
          await clock.tick(true);
          await sweep(t.signal);
        };
      };
      const left = async () =>
        Object.fromEntries(
          await Promise.all(Object.entries(cases).map(async ([name, { left }]) => [name, await left(db)] as const)),
        );
      const all = (places: Record<string, string[][]>, ...ages: Age[]) =>
        Object.fromEntries(Object.entries(places).map(([name, each]) => [name, each.map(() => ages)]));

      const before = await started();
      const put = async (age: Age, after: number) => {
        for (const rule of rules) await cases[rule.name]!.put(db, age, (await rule.kept(start, db)) + after);
      };
      await put("old", -1);
      await put("young", 0);
      const made = await left();
      assert.deepEqual(made, all(made, "old", "young"));
      await before();
      const young = all(made, "young");
      assert.deepEqual(await left(), young);

      time += ahead;
      const wrong = await started();
      for (let minute = 0; minute < 9; minute += 1) await wrong();
      assert.deepEqual(await left(), young);
      for (let minute = 0; minute < 60; minute += 1) await wrong();
      // Sealed records of persons are still deleted under the wrong clock, also the record of an idempotency key.
      const noRecords = { "sealed records": [[], []], "idempotency keys": [["young"], ["young"], []] };
      assert.deepEqual(await left(), { ...young, ...noRecords });
      await acceptClock(db, time);
      await wrong();
      // The newest revision and event stay, so that no later revision or event gets their number.
      const newest = { "catalogue history": young["catalogue history"], events: young.events };
      assert.deepEqual(await left(), { ...all(made), ...newest });
      assert.deepEqual(
        log.lines.map(({ level }) => level),
        ["warn"],
      );
    });
  });
