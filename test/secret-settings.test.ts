import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { readConfig } from "../src/config/read-config.ts";
import { features } from "../src/features.ts";
import { vendors } from "../src/vendors/registry.ts";
import { everySetting } from "../src/wire/every-setting.ts";
import { ran } from "./support/command-line.ts";
import { usualEngines } from "./support/engines.ts";
import { startService } from "./support/service.ts";
import { until } from "./support/until.ts";

/**
 * Free text that operators may read in the audit trail. A setting that is not listed here and takes any text must be a
 * secret.
 */
const readable = new Set([
  "DUBA_KEYRING",
  // The path of a folder, which existed when the process began.
  "DUBA_VENDOR_FILES",
  // Printed on every statement for a client.
  "DUBA_BUSINESS_NAME",
  "DUBA_BUSINESS_ADDRESS",
  "DUBA_BUSINESS_PAY_TO",
  // The names of our accounts with vendors.
  ...vendors
    .flatMap(({ settings }) => Object.values(settings).map(({ name }) => name))
    .filter((name) => /_(EMAIL|ID|NAME)$/.test(name)),
]);

/** Settings that locate the test's own service. */
const ownPlace = new Set(["DUBA_DATA", "DUBA_DATABASE_URL", "HOST", "PORT", "DUBA_KEYRING"]);

/** Canary texts that a setting accepts, in each form in which a secret could be part of its value. */
function canariesOf(setting: (typeof everySetting)[number], number: number): { value: string; canary: string }[] {
  const canary = `canary-${number}-${"x".repeat(24)}`;
  const forms = [canary, `http://user:${canary}@127.0.0.1:1/`, `postgres://user:${canary}@127.0.0.1:1/db`];
  return forms.filter((value) => setting.read(value) !== undefined).map((value) => ({ value, canary }));
}

suite("a secret in any setting", () => {
  const taking = everySetting.flatMap((setting, number) =>
    canariesOf(setting, number).map((form) => ({ setting, ...form })),
  );

  test("the tests of secret settings include keys, passwords and URLs", () => {
    const names = new Set(taking.map(({ setting }) => setting.name));
    for (const name of ["DUBA_API_KEY", "DUBA_URL", "DUBA_DATABASE_URL", "DUBA_BOOTSTRAP_KEY", "DUBA_DOJAH_KEY"])
      assert.ok(names.has(name), name);
  });

  test("a secret setting is never stored, whatever its name and form", () => {
    for (const { setting, value, canary } of taking) {
      if (readable.has(setting.name) || setting.name === "DUBA_DATA") continue;
      // The setting of a replica is refused unless the database is PostgreSQL.
      const environment = { DUBA_DATABASE_URL: "postgres://127.0.0.1/duba", [setting.name]: value };
      const noted = JSON.stringify(readConfig(environment, features).overrides);
      assert.ok(!noted.includes(canary), `${setting.name}: ${noted}`);
    }
  });

  for (const engine of usualEngines) {
    test(`a secret setting is in no audit trail, export, backup or log on ${engine.name}`, async () => {
      const chosen = new Map(taking.map(({ setting, value, canary }) => [setting.name, { value, canary }]));
      for (const name of [...ownPlace, ...readable]) chosen.delete(name);
      chosen.delete("DUBA_UPSTREAMS");
      if (engine.name === "sqlite") chosen.delete("DUBA_DATABASE_READ_URL");
      const environment = Object.fromEntries([...chosen].map(([name, { value }]) => [name, value]));
      await using service = await startService(environment, engine);
      const { dataDirectory, databaseUrl } = service.settings;
      const context = { environment: { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl } };
      const { db } = await service.store();
      const waiting = db.selectFrom("audit_entry").select("id").where("batch", "is", null);
      await until(async () => (await waiting.execute()).length === 0);
      const copy = join(dataDirectory, "copy.jsonl");
      assert.equal((await ran(["backup", copy], context)).exitCode, 0);
      const { out: exported } = await ran(["audit", "export"], context);
      const { out: shown } = await ran(["audit", "tail", "--lines", "1000"], context);
      assert.match(exported, /service\.setting/);
      const places = { trail: shown, export: exported, backup: readFileSync(copy, "utf8"), log: service.lines };
      for (const [place, text] of Object.entries(places))
        for (const [name, { canary }] of chosen)
          assert.ok(!JSON.stringify(text).includes(canary), `${name} stands in the ${place}`);
    });
  }
});
