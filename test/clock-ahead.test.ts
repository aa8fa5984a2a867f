import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { sql } from "kysely";
import { openStore } from "../src/storage/store.ts";
import type { Tables } from "../src/storage/tables.ts";
import { ran } from "./support/command-line.ts";
import { type Engine, engines } from "./support/engines.ts";
import { startService, type TestService } from "./support/service.ts";
import { until } from "./support/until.ts";

const minute = 60_000;
const ahead = 780 * 24 * 60 * minute;
const realNow = Date.now;

/** A store on which services start one after the other. The test sets the clock of all processes. */
async function clockedStore(t: TestContext, engine: Engine) {
  const { settings, dispose } = await engine.ready();
  const { db, close } = await openStore({ ...settings, serving: false });
  const folder = mkdtempSync(join(tmpdir(), "duba-ahead-"));
  const services = new Set<TestService>();
  let difference = 0;
  if (engine.name === "sqlite") t.mock.method(Date, "now", () => realNow() + difference);
  t.after(async () => {
    for (const service of services) await service.close();
    await close();
    await dispose();
    rmSync(folder, { recursive: true });
  });
  const ring = { DUBA_KEYRING: join(folder, "ring") };
  const environment = { DUBA_DATA: settings.dataDirectory, DUBA_DATABASE_URL: settings.databaseUrl, ...ring };
  return {
    async start() {
      const service = await startService(ring, {
        ...engine,
        ready: async () => ({ settings, dispose: async () => {} }),
      });
      services.add(service);
      return service;
    },
    async stop(service: TestService) {
      services.delete(service);
      await service.close();
    },
    duba: (...argv: string[]) => ran(argv, { environment }),
    async setClock(milliseconds: number) {
      difference = milliseconds;
      if (engine.name === "sqlite") return;
      await sql`create schema if not exists played`.execute(db);
      await sql`create or replace function played.clock_timestamp() returns timestamptz language sql volatile as
        ${sql.lit(`select pg_catalog.clock_timestamp() + ${difference} * interval '1 millisecond'`)}`.execute(db);
      const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
      await sql`alter database ${sql.ref(rows[0]!.name)} set search_path = public, played, pg_catalog`.execute(db);
    },
    async column(table: keyof Tables, column: string) {
      const { rows } = await sql<{
        value: unknown;
      }>`select ${sql.ref(column)} as value from ${sql.table(table)}`.execute(db);
      return rows.map(({ value }) => String(value)).sort();
    },
  };
}

/** The reference of a verification with this key. */
async function verify(service: TestService, key: string): Promise<string> {
  const { status, json } = await service.verify({ key });
  assert.equal(status, 200);
  return json.data.request_reference;
}

const columns = [
  ["verification", "reference"],
  ["verification_attempt", "reference"],
  ["catalogue_revision", "number"],
  ["audit_entry", "id"],
  ["event", "id"],
  ["api_request", "serial"],
] as const;

for (const engine of engines)
  suite(`a start with a clock 26 months ahead on ${engine.name}`, () => {
    test("with a clock far ahead, a start deletes nothing until an operator accepts the clock", async (t) => {
      const store = await clockedStore(t, engine);
      const everything = async () =>
        Object.fromEntries(
          await Promise.all(
            columns.map(async ([table, column]) => [table, await store.column(table, column)] as const),
          ),
        );
      const before = await store.start();
      const reference = await verify(before, "order-1001");
      for (const margin of ["1", "2", "3"])
        assert.equal(
          (await store.duba("prices", "set", "sandbox@example.com", "dstv", "--margin", margin)).exitCode,
          0,
        );
      await store.stop(before);
      const kept = await everything();
      assert.deepEqual(kept.catalogue_revision, ["1", "2", "3", "4"]);

      await store.setClock(ahead);
      t.mock.timers.enable({ apis: ["setInterval"] });
      const wrong = await store.start();
      assert.equal(await verify(wrong, "order-1001"), reference);
      t.mock.timers.tick(61 * minute);
      assert.match(
        (await store.duba("status")).out,
        /The system clock jumped by \d+ (?:months|days|hours).*If it is right now: duba clock accept/s,
      );
      // A stop of the service waits for the jobs that run, so nothing is deleted later.
      await store.stop(wrong);
      const left = await everything();
      for (const [table, rows] of Object.entries(kept))
        assert.deepEqual(new Set(rows).difference(new Set(left[table])), new Set(), table);

      const accepted = await store.duba("clock", "accept");
      assert.equal(accepted.exitCode, 0, accepted.err);
      const right = await store.start();
      await until(async () => {
        t.mock.timers.tick(minute);
        const now = await everything();
        return (
          now.verification!.length + now.verification_attempt!.length === 0 &&
          now.catalogue_revision!.join() === "4" &&
          new Set(now.audit_entry).isDisjointFrom(new Set(kept.audit_entry))
        );
      });
      assert.doesNotMatch((await store.duba("status")).out, /WRONG/);
      await store.stop(right);
    });

    test("the service uses the correct time soon after somebody corrects the clock", async (t) => {
      const store = await clockedStore(t, engine);
      await store.stop(await store.start());
      await store.setClock(ahead);
      t.mock.timers.enable({ apis: ["setInterval"] });
      const wrong = await store.start();
      await store.setClock(0);
      let asked = 0;
      await until(async () => {
        t.mock.timers.tick(10_000);
        asked += 1;
        await verify(wrong, `order-${asked}`);
        const times = await store.column("verification", "created_at");
        return times.some((time) => Math.abs(Number(time) - realNow()) < minute);
      });
      await store.stop(wrong);
    });
  });
