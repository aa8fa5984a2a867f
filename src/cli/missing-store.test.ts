import assert from "node:assert/strict";
import { existsSync, rmdirSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { ran } from "../../test/support/command-line.ts";
import { engines, type Fresh } from "../../test/support/engines.ts";
import { openStore, StoreError } from "../storage/store.ts";

const commands = [
  ["accounts", "list"],
  ["keys", "list"],
  ["catalogue", "export", "--list", "data-bundles"],
  ["catalogue", "history"],
  ["prices", "list"],
  ["sources", "status"],
  ["ledger", "summary", "--from", "2026-01-01", "--to", "2026-02-01"],
  ["upstreams", "status"],
  ["audit", "tail"],
  ["backup", "never.jsonl"],
];

for (const { name, fresh } of engines) {
  suite(`where there is no store on ${name}`, { concurrency: true }, () => {
    let place: Fresh;
    before(async () => {
      place = await fresh();
      rmdirSync(place.settings.dataDirectory);
    });
    after(async () => {
      const { settings, dispose } = place;
      const opening = openStore({ ...settings, serving: false, mustExist: true });
      await assert.rejects(opening, StoreError, "none of the commands made one");
      assert.ok(!existsSync(settings.dataDirectory));
      await dispose();
    });

    for (const argv of commands)
      test(`duba ${argv.slice(0, 2).join(" ")} makes no store, and says how to name one`, async () => {
        const { dataDirectory, databaseUrl } = place.settings;
        const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
        const { exitCode, out, err } = await ran(argv, { environment });
        assert.deepEqual({ exitCode, out }, { exitCode: 2, out: "" }, err);
        const named = databaseUrl ? "DUBA_DATABASE_URL" : `${dataDirectory} holds`;
        assert.ok(err.includes(named) && err.includes("holds no store: name the service's"), err);
      });
  });
}
