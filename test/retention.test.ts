import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { suite, test } from "node:test";
import { append } from "../src/audit/append.ts";
import { signFirstHead } from "../src/audit/chain/head.ts";
import { signer } from "../src/audit/chain/seal.ts";
import { readConfig } from "../src/config/read-config.ts";
import { everyRule } from "../src/retention.ts";
import { RecordedLog } from "../src/runtime/recorded-log.fixture.ts";
import { acceptClock, RetentionClock } from "../src/storage/retention/retention-clock.ts";
import { sweeper } from "../src/storage/retention/sweep.ts";
import { openStore } from "../src/storage/store.ts";
import { allTables, type Tables } from "../src/storage/tables.ts";
import { engines } from "./support/engines.ts";
import { type Age, addOwners, retentionCases } from "./support/retention-cases.ts";

const start = Date.UTC(2026, 10, 22, 12);
const ahead = 26 * 30 * 24 * 60 * 60_000;
const sealKey = randomBytes(32);
const rules = everyRule(readConfig({}), sealKey, append);
const cases = retentionCases(signer(sealKey));

/** What no rule removes: it lasts as long as the store or as other rows, or is one row for each of something. */
const lasting: readonly (keyof Tables)[] = [
  ...(["baseline", "fact", "change_counter", "audit_head", "event_endpoint"] as const),
  ...(["account", "api_key", "key_use", "spending", "top_up", "person", "person_email_history", "passkey"] as const),
  ...(["catalogue_history", "catalogue_source", "catalogue_mapping"] as const),
  // Who follows it deletes its rows within a second.
  "verification_journal",
  // It is of processes, and goes by the clock of the database.
  "verification_owner",
  "charging_process",
  "protection",
];

test("every rule has a case, and every table a rule or a reason to last", () => {
  assert.deepEqual(
    Object.keys(cases),
    rules.map(({ name }) => name),
  );
  const tables = [...new Set([...rules.flatMap(({ tables }) => tables), ...lasting])];
  assert.deepEqual(tables.sort(), Object.keys(allTables).sort());
});

for (const engine of engines)
  suite(`what is kept for a time on ${engine.name}`, () => {
    test("goes when that is over, and never by a clock that is doubted", async (t) => {
      const { settings, dispose } = await engine.ready();
      const { db, close } = await openStore({ ...settings, serving: true, starting: true });
      t.after(async () => {
        await close();
        await dispose();
      });
      await signFirstHead(db, signer(sealKey));
      await addOwners(db);
      const log = new RecordedLog();
      let time = start;
      /** A process that sweeps, as a start of a service makes it. */
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
      // Sealed records of persons go on, also that of a key.
      const noRecords = { "sealed records": [[], []], "idempotency keys": [["young"], ["young"], []] };
      assert.deepEqual(await left(), { ...young, ...noRecords });
      await acceptClock(db, time);
      await wrong();
      // The newest revision and event stay, so that no later one gets their number.
      const newest = { "catalogue history": young["catalogue history"], events: young.events };
      assert.deepEqual(await left(), { ...all(made), ...newest });
      assert.deepEqual(
        log.lines.map(({ level }) => level),
        ["warn"],
      );
    });
  });
