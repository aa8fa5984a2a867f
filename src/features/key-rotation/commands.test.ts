import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { before, suite, test } from "node:test";
import { type Ran, ran } from "../../../test/support/command-line.ts";
import { usualEngines } from "../../../test/support/engines.ts";
import { startService, suiteService } from "../../../test/support/service.ts";
import { until } from "../../../test/support/until.ts";
import { readKeyring } from "../../keyring/file.ts";
import { keyringText } from "../../keyring/keyring.ts";

const minute = 60_000;

for (const engine of usualEngines) {
  suite(`the keyring command beside a service on ${engine.name}`, () => {
    const service = suiteService({ DUBA_LIMITS: "off" }, engine);
    let path: string;
    let duba: (...argv: string[]) => Promise<Ran>;
    before(async () => {
      path = `${service.settings.dataDirectory}.keyring`;
      const { dataDirectory, databaseUrl } = service.settings;
      duba = (...argv) => ran(argv, { environment: { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl } });
    });

    const verify = async (key: string) => {
      const { status, headers } = await service.verify({ key });
      return [status, headers["idempotency-replayed"]];
    };
    const keys = async (): Promise<{ key: string; state: string; needed_by: number }[]> =>
      JSON.parse((await duba("keyring", "show", "--json")).out);
    const stateOf = async () => (await keys()).map(({ key, state, needed_by }) => `${key} ${state} ${needed_by}`);
    /** Moves the last rotation back by this time. */
    const later = async (milliseconds: number) => {
      const ring = await readKeyring(path);
      const earlier = <Key extends { from?: number }>(key: Key) =>
        key.from === undefined ? key : { ...key, from: key.from - milliseconds };
      await writeFile(path, keyringText({ ...ring, records: ring.records.map(earlier), hmac: ring.hmac.map(earlier) }));
    };

    test("duba keyring rotates, rewraps and retires while the service serves", async () => {
      assert.deepEqual(await verify("k-1"), [200, undefined]);
      assert.deepEqual(await stateOf(), ["r1 current 1", "v1 current 1"]);

      const rotated = await duba("keyring", "rotate", "--in", "10min");
      assert.equal(rotated.exitCode, 0);
      assert.match(rotated.out, /^r2 and v2 will be current from \d{4}-.*:\d\d:\d\d\+01\.\n$/);
      assert.deepEqual(await stateOf(), ["r1 current 1", "r2 waiting 0", "v1 current 1", "v2 waiting 0"]);
      const early = await duba("keyring", "rewrap");
      assert.equal(early.exitCode, 2);
      assert.match(early.err, /^The key r2 becomes current at \d{4}-.*:\d\d:\d\d\+01\. Run rewrap after that\.\n$/);

      await later(15 * minute);
      let n = 1;
      await until(async () => {
        n += 1;
        assert.deepEqual(await verify(`k-${n}`), [200, undefined]);
        return (await keys()).some(({ key, needed_by }) => key === "r2" && needed_by > 0);
      });
      assert.deepEqual(await verify("k-1"), [200, "true"]);

      const needed = await duba("keyring", "retire", "r1", "--yes");
      assert.equal(needed.exitCode, 1);
      assert.match(
        needed.err,
        /^The key r1 must stay: \d+ of the held .+ it\.\nSeal them under the current key first: duba keyring rewrap\n$/,
      );
      const rewrapped = await duba("keyring", "rewrap");
      assert.match(rewrapped.out, /^\d+ records were moved to r2, \d+ a second\.\n$/);
      const shown = await duba("keyring", "show");
      assert.match(shown.out, /^r1 +records +the start +old +0$/m);
      assert.match(shown.err, /^Nothing needs r1 any more/);
      assert.equal((await duba("keyring", "retire", "r1", "--yes")).out, "The key r1 is retired.\n");
      assert.match((await duba("keyring", "retire", "v1", "--yes")).err, /^The key v1 must stay: \d+ of the ledger's/);
      assert.deepEqual(
        (await stateOf()).map((line) => line.slice(0, 6)),
        ["r2 cur", "v1 old", "v2 cur"],
      );

      assert.deepEqual(await verify("k-1"), [200, "true"]);
      assert.deepEqual(await verify(`k-${n + 1}`), [200, undefined]);
      assert.deepEqual(
        service.lines.filter(({ level }) => level === "error"),
        [],
      );
      for (const kind of ["keyring.rotated", "keyring.rewrapped", "keyring.retired"])
        assert.ok((await duba("audit", "tail", "--json", "--kind", kind)).out.includes(kind), kind);
    });

    test("record keys or hash keys can be rotated alone, and a rewrap waits for a key that begins soon", async () => {
      const soon = await duba("keyring", "rotate", "--records", "--in", "4s");
      assert.equal(soon.exitCode, 2);
      assert.match(soon.err, /5s or more/);
      assert.match((await duba("keyring", "rotate", "--records")).out, /^r3 will be current/);
      await later(9_500);
      assert.match((await duba("keyring", "rewrap")).out, /^\d+ records were moved to r3, \d+ a second\.\n$/);
      assert.match((await duba("keyring", "rotate", "--hashes")).out, /^v3 will be current/);
    });

    test("duba keyring retire refuses an unknown key before it asks for a confirmation", async () => {
      const { exitCode, err } = await duba("keyring", "retire", "r99");
      assert.deepEqual([exitCode, /^The key ring has no such key; it has r2, r3, v1/.test(err)], [1, true], err);
    });

    test("duba keyring rewrap names records that cannot be decrypted", async () => {
      await later(minute);
      const { db } = await service.store();
      await db.updateTable("record_key").set({ sealed_key: "s1:r2:AAAA" }).execute();
      const { exitCode, err } = await duba("keyring", "rewrap");
      assert.equal(exitCode, 1);
      assert.match(err, /^This key ring cannot open these, so they did not change: \w{15}/);
    });

    test("duba keyring shows no key, and refuses a lost ring or another store's ring", async () => {
      const before = await readFile(path, "utf8");
      const { out } = await duba("keyring", "show", "--json");
      for (const [, key] of before.matchAll(/"([A-Za-z0-9+/]{43}=)"/g)) assert.ok(!out.includes(key!.slice(0, 10)));
      const other = { ...(await readKeyring(path)), audit: randomBytes(32) };
      await writeFile(path, keyringText(other));
      for (const verb of ["show", "rotate", "rewrap", "retire"]) {
        const { exitCode, err } = await duba("keyring", verb, ...(verb === "retire" ? ["v1", "--yes"] : []));
        assert.equal(exitCode, 1);
        assert.match(err, /^The key ring is not the one of this store \(key audit differs\)/);
      }
      rmSync(path);
      assert.match((await duba("keyring", "rotate")).err, /^The key ring .* is missing/);
      await writeFile(path, before);
    });
  });
}

test("duba keyring new writes a ring that a first start uses unchanged", async () => {
  const [one, other] = await Promise.all([ran(["keyring", "new"]), ran(["keyring", "new"])]);
  assert.deepEqual([one.exitCode, one.err], [0, ""]);
  assert.notEqual(one.out, other.out);
  const path = join(mkdtempSync(join(tmpdir(), "duba-ring-")), "keyring");
  await writeFile(path, one.out, { mode: 0o600 });
  const service = await startService({ DUBA_KEYRING: path });
  try {
    assert.equal((await service.verify()).status, 200);
    assert.equal(await readFile(path, "utf8"), one.out);
  } finally {
    await service.close();
    rmSync(dirname(path), { recursive: true });
  }
});
