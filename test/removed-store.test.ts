import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { engines } from "./support/engines.ts";
import { nodeEnvironment } from "./support/process.ts";
import { startService } from "./support/service.ts";
import { until } from "./support/until.ts";

suite("a SQLite database that is removed under the service", () => {
  test("while the database's file is gone, verifications fail, and look-ups continue", async (t) => {
    const service = await startService();
    t.after(() => service.close());
    const file = join(service.settings.dataDirectory, "duba.db");
    const verify = () => service.verify();
    const readiness = async () => (await service.ask("/readyz", { credential: false })).status;
    assert.deepEqual([await readiness(), (await verify()).status], [200, 200]);
    renameSync(file, `${file}.elsewhere`);
    await until(async () => (await readiness()) === 503);
    const { status, json } = await verify();
    assert.deepEqual([status, json.error.charged], [500, false]);
    assert.equal((await service.ask("/api/v2/internet/data/fetch-providers")).status, 200);
    const told = service.lines.filter(({ fields }) => JSON.stringify(fields).includes("SQLITE_GONE"));
    assert.ok(told.length > 0);
    renameSync(`${file}.elsewhere`, file);
    await until(async () => (await readiness()) === 200);
    assert.equal((await verify()).status, 200);
  });
});

suite("a start on a data directory without a store, with a key ring that belongs to one", () => {
  const folder = mkdtempSync(join(tmpdir(), "duba-removed-"));
  const keyring = join(folder, "ring");
  after(() => rmSync(folder, { recursive: true }));
  const start = (settings: Record<string, string>, ...options: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, ["src/main.ts", "serve", ...options], {
      env: { ...nodeEnvironment, DUBA_DATA: join(folder, "data"), DUBA_KEYRING: keyring, ...settings },
      encoding: "utf8",
    });
    return { status, stderr };
  };
  const live = { DUBA_UPSTREAMS: "dojah", DUBA_DOJAH_APP_ID: "app", DUBA_DOJAH_KEY: "key" };
  /** A host that no process can listen on, so a start that passes the check of the store fails here. */
  const nowhere = { HOST: "203.0.113.1" };

  test("a start with live vendors refuses an empty store, unless the option --new-store is given", () => {
    writeFileSync(`${keyring}.anchor`, "{}");
    const lost = start({ ...live, ...nowhere });
    assert.equal(lost.status, 1);
    assert.match(
      lost.stderr,
      /holds no store, but the key ring belongs to one.*restore a backup.*duba serve --new-store/,
    );
    for (const gone of [start({ ...live, ...nowhere }, "--new-store"), start(nowhere)])
      assert.match(gone.stderr, /203\.0\.113\.1/);
  });

  test("a start without live vendors makes an empty store, and logs that its anchor names another one", async (t) => {
    const sqlite = engines[0]!;
    const { settings, dispose } = await sqlite.ready();
    t.after(dispose);
    const onStore = { ...sqlite, ready: async () => ({ settings, dispose: async () => {} }) };
    const itsRing = { DUBA_KEYRING: join(folder, "its-ring") };
    const first = await startService(itsRing, onStore);
    await first.verify();
    await first.close();
    rmSync(settings.dataDirectory, { recursive: true });
    await using second = await startService(itsRing, onStore);
    const told = second.lines.filter(({ fields }) => JSON.stringify(fields).includes("of another store than"));
    assert.deepEqual(
      told.map(({ level }) => level),
      ["error"],
    );
  });
});
