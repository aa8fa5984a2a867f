import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants, getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, suite, type TestContext, test } from "node:test";
import { makeStore, type Ran, ran } from "../../../test/support/command-line.ts";
import { type Engine, usualEngines } from "../../../test/support/engines.ts";
import { nodeEnvironment } from "../../../test/support/process.ts";
import { startService, type TestService } from "../../../test/support/service.ts";
import { until } from "../../../test/support/until.ts";
import { writeAnchor } from "../../audit/anchor/anchor.ts";
import { signer } from "../../audit/chain/seal.ts";
import { openStore } from "../../storage/store.ts";

test("a backup has a lower priority than a service on the same machine", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "duba-backup-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const dataDirectory = join(folder, "data");
  await makeStore({ dataDirectory });
  const other = new DatabaseSync(join(dataDirectory, "duba.db"));
  // The backup waits for this lock before its last lines, so that the test can read its priority.
  other.exec("BEGIN IMMEDIATE");
  const environment = { ...nodeEnvironment, DUBA_DATA: dataDirectory, DUBA_KEYRING: join(folder, "ring") };
  const child = spawn(process.execPath, ["src/main.ts", "backup", join(folder, "b.jsonl")], { env: environment });
  const ended = once(child, "exit");
  await until(() => getPriority(child.pid!) === constants.priority.PRIORITY_BELOW_NORMAL);
  other.close();
  await ended;
});

for (const engine of usualEngines) {
  suite(`a backup beside a service on ${engine.name}`, () => {
    let service: TestService;
    let folder: string;
    let path: string;
    let ring: string;
    let live: { text: string };
    const environmentOf = ({ dataDirectory, databaseUrl }: TestService["settings"]) => ({
      DUBA_DATA: dataDirectory,
      DUBA_DATABASE_URL: databaseUrl,
    });
    const duba = (settings: TestService["settings"], ...argv: string[]): Promise<Ran> =>
      ran(argv, { environment: environmentOf(settings) });

    const verify = (key: string) => service.verify({ key });

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), "duba-backup-"));
      path = join(folder, "backup.jsonl");
      service = await startService({ DUBA_LIMITS: "off" }, engine);
      ring = `${service.settings.dataDirectory}.keyring`;
      live = await service.newKey({ mode: "live", label: "shop" });
      assert.equal((await verify("k-1")).status, 200);
      let running = true;
      const caller = async (name: string) => {
        for (let n = 0; running; n += 1) assert.equal((await verify(`${name}-${n}`)).status, 200);
      };
      const calls = Promise.all(["a", "b"].map(caller));
      const { db } = await service.store();
      await until(async () => (await db.selectFrom("audit_seal").select("batch").execute()).length > 0);
      const made = await duba(service.settings, "backup", path);
      running = false;
      await calls;
      assert.deepEqual([made.exitCode, made.out.split("\n").length], [0, 3]);
      const { last_backup_at } = JSON.parse((await duba(service.settings, "status", "--json")).out);
      assert.ok(Math.abs(Date.parse(last_backup_at) - Date.now()) < 60_000);
      assert.match(made.out, /^\d+ rows are in .*backup\.jsonl \(\d+ bytes\)\.\nSHA-256: [0-9a-f]{64}\n$/);
      const checked = await duba(service.settings, "backup", path, "--check");
      const [rows, whole, sha256, ...more] = checked.out.split("\n");
      assert.deepEqual([checked.exitCode, `${rows}\n${sha256}\n`, more], [0, made.out, [""]]);
      assert.match(whole!, /^The file is whole, as of \d{4}-.*\. This version can restore it\.$/);
    });
    after(async () => {
      await service.close();
      rmSync(folder, { recursive: true });
    });

    const empty = async (t: TestContext, on: Engine) => {
      const { settings, dispose } = await on.fresh();
      t.after(async () => {
        for (const file of [".keyring", ".keyring.anchor"]) rmSync(`${settings.dataDirectory}${file}`, { force: true });
        await dispose();
      });
      return settings;
    };

    for (const other of usualEngines) {
      test(`a backup restored into ${other.name} has correct sums and audit trail, and a service starts`, async (t) => {
        const settings = await empty(t, other);
        copyFileSync(ring, `${settings.dataDirectory}.keyring`);
        // The anchor is from after the backup. The restore sets the store back on purpose.
        const anchor = `${settings.dataDirectory}.keyring.anchor`;
        const { audit } = JSON.parse(readFileSync(ring, "utf8"));
        const later = { store: "s", batch: 999, hash: "h".repeat(43), removed: 0 };
        await writeAnchor(anchor, signer(Buffer.from(audit, "base64")), later);
        const { exitCode, out, err } = await duba(settings, "restore", path);
        assert.deepEqual([exitCode, err], [0, ""]);
        assert.match(
          out,
          /^\d+ rows are restored, as of \d{4}-.*:\d\d:\d\d\+01\. The counts agree with the backup\.\n$/,
        );

        const sums = JSON.parse((await duba(settings, "ledger", "summary", "--json")).out).groups;
        const { figures } = JSON.parse(readFileSync(path, "utf8").split("\n")[0]!);
        assert.ok(figures[0].count >= 1);
        assert.deepEqual(
          sums.map(({ count, charged, fees }: Record<string, unknown>) => [count, charged, fees]),
          figures.map(({ count, charged }: { count: number; charged: number }) => [count, charged, `${charged * 100}`]),
        );
        const verified = await duba(settings, "audit", "verify");
        assert.deepEqual([verified.exitCode, /^Anchor: batch \d+, of /m.test(verified.err)], [0, true]);

        const restored = await startService(
          {},
          { ...other, ready: async () => ({ settings, dispose: async () => {} }) },
        );
        const again = await restored.verify({ key: "k-1" });
        assert.deepEqual([again.status, again.json.error.code], [410, "record_no_longer_held"]);
        assert.deepEqual(
          restored.lines.filter(({ level }) => level === "error"),
          [],
        );
        const noted = await duba(settings, "audit", "tail", "--kind", "store.restored");
        assert.match(noted.out, / anchor=999:h{43}\n$/);
        const made = await duba(service.settings, "audit", "tail", "--kind", "store.backed_up");
        assert.match(made.out, / terminal\S* +rows=\d+ sha256=[0-9a-f]{64}\n/);
        const lists = await restored.ask("/api/v2/corporate-data/list", { credential: live.text });
        assert.equal(lists.status, 200);
        await restored.close();
      });
    }

    test("a restore is refused if the store has been used or a service runs on it", async (t) => {
      const { exitCode, err } = await duba(service.settings, "restore", path);
      assert.equal(exitCode, 1);
      assert.match(err, /^(Another process serves from|The store is in use)/);
      const settings = await empty(t, engine);
      copyFileSync(ring, `${settings.dataDirectory}.keyring`);
      await makeStore(settings);
      await duba(settings, "accounts", "create", "--name", "Shop", "--email", "shop@example.com");
      assert.match((await duba(settings, "restore", path)).err, /^The store is in use: restore into an empty one\./);
    });

    test("a restore without the store's key ring is refused, unless --without-keyring is given", async (t) => {
      const settings = await empty(t, engine);
      const [lost, other] = [`${settings.dataDirectory}.keyring`, JSON.parse(readFileSync(ring, "utf8"))];
      assert.match((await duba(settings, "restore", path)).err, /^The key ring .* is missing: put the ring back/);
      writeFileSync(lost, JSON.stringify({ ...other, audit: randomBytes(32).toString("base64") }), { mode: 0o600 });
      const refused = await duba(settings, "restore", path);
      assert.match(refused.err, /was made under another key ring: put the ring of its store in place/);
      const { exitCode, out } = await duba(settings, "restore", path, "--without-keyring");
      assert.deepEqual([exitCode, /rows are restored/.test(out)], [0, true]);
      assert.match(out, /\nNot checked: The key ring \S+ is another than the one of the backup\.\n/);
    });

    test("a restore without the key ring names what is unchecked and the keys that are missing", async (t) => {
      const { rows } = JSON.parse(readFileSync(path, "utf8").split("\n")[0]!);
      const settings = await empty(t, engine);
      const { exitCode, out } = await duba(settings, "restore", path, "--without-keyring", "--json");
      const { found_keyring, unchecked } = JSON.parse(out);
      assert.deepEqual([exitCode, found_keyring], [0, null]);
      assert.match(unchecked.why, /^The key ring \S+\.keyring is missing: /);
      assert.deepEqual(unchecked.keys, ["audit", "hmac 1", "records r1"]);
      assert.ok(rows.audit_seal > 0 && unchecked.sealed_entries >= rows.audit_seal, out);
      const { sealed_batches, hashed_verifications, sealed_secrets } = unchecked;
      assert.deepEqual([sealed_batches, hashed_verifications, sealed_secrets], [rows.audit_seal, rows.verification, 0]);
      const started = startService({}, { ...engine, ready: async () => ({ settings, dispose: async () => {} }) });
      await assert.rejects(started, /is missing: put the ring back that this store was written with/);
    });

    test("a restore with --without-keyring still uses an existing key ring, and refuses a changed file", async (t) => {
      const settings = await empty(t, engine);
      const its = `${settings.dataDirectory}.keyring`;
      copyFileSync(ring, its);
      const [last, ...others] = readFileSync(path, "utf8").trimEnd().split("\n").reverse();
      const text = others
        .reverse()
        .map((line) => `${line.replace('"shop"', '"shot"')}\n`)
        .join("");
      assert.ok(text.includes('"shot"'));
      const changed = join(folder, "changed.jsonl");
      const sha256 = hash("sha256", text);
      writeFileSync(changed, `${text}${last!.replace(/"sha256":"\w+"/, `"sha256":"${sha256}"`)}\n`);
      const refused = await duba(settings, "restore", changed, "--without-keyring");
      assert.deepEqual([refused.exitCode, refused.out], [1, ""]);
      assert.match(refused.err, /was changed: its HMAC under the key ring is another/);
      const { exitCode, out } = await duba(settings, "restore", path, "--without-keyring");
      assert.deepEqual([exitCode, out.split("\n").length], [0, 3]);
      assert.match(
        out,
        new RegExp(`\nThe key ring ${RegExp.escape(its)} is there, so Duba checked everything with it\\.\n$`),
      );
      assert.equal((await duba(settings, "audit", "verify")).exitCode, 0);
    });

    test("a restore says how many webhook endpoints come along, and leaves them out of a rehearsal", async (t) => {
      const file = join(folder, "with-endpoint.jsonl");
      const added = await duba(service.settings, "events", "endpoints", "add", "https://ops.example.com/duba");
      assert.equal(added.exitCode, 0, added.err);
      const { id } = JSON.parse((await duba(service.settings, "events", "endpoints", "list", "--json")).out)[0];
      assert.equal((await duba(service.settings, "backup", file)).exitCode, 0);
      assert.equal((await duba(service.settings, "events", "endpoints", "remove", id, "--yes")).exitCode, 0);
      const restored = async (...options: string[]) => {
        const settings = await empty(t, engine);
        copyFileSync(ring, `${settings.dataDirectory}.keyring`);
        const { exitCode, out, err } = await duba(settings, "restore", file, ...options);
        assert.equal(exitCode, 0, err);
        const kept = JSON.parse((await duba(settings, "events", "endpoints", "list", "--json")).out);
        const noted = (await duba(settings, "audit", "tail", "--kind", "endpoint.removed")).out;
        return { says: out.split("\n")[1], kept: kept.map((row: { id: string }) => row.id), noted: noted.includes(id) };
      };
      assert.deepEqual(await restored(), {
        says:
          "A service on this store sends events to its webhook endpoints (1). " +
          "In a rehearsal they get false events: restore with --without-endpoints.",
        kept: [id],
        noted: false,
      });
      assert.deepEqual(await restored("--without-endpoints"), { says: "", kept: [], noted: true });
    });

    test("a restore of a backup with a damaged audit trail is refused", async (t) => {
      const { db } = await service.store();
      const bent = join(folder, "bent.jsonl");
      const sealed = async () =>
        (await db.selectFrom("audit_entry").select("id").where("batch", "is not", null).execute())[0];
      await until(async () => (await sealed()) !== undefined);
      const { id } = (await sealed())!;
      await db.updateTable("audit_entry").set({ actor: "mallory" }).where("id", "=", id).execute();
      assert.equal((await duba(service.settings, "backup", bent)).exitCode, 0);
      const settings = await empty(t, engine);
      copyFileSync(ring, `${settings.dataDirectory}.keyring`);
      const { exitCode, err } = await duba(settings, "restore", bent);
      assert.equal(exitCode, 1);
      assert.match(err, /^The audit trail of the backup is broken \(problems: 1\)\. Nothing was restored\.\n$/);
      const store = await openStore({ ...settings, serving: false });
      assert.deepEqual(await store.db.selectFrom("account").select("id").execute(), []);
      await store.close();
    });
  });
}
