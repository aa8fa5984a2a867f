import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, suite, test } from "node:test";
import { type Ran, ran } from "../../../test/support/command-line.ts";
import { usualEngines } from "../../../test/support/engines.ts";
import { suiteService } from "../../../test/support/service.ts";

const bvn = "22000000017";

for (const engine of usualEngines) {
  suite(`the subjects command beside a service on ${engine.name}`, () => {
    const service = suiteService({ DUBA_LIMITS: "off" }, engine);
    let duba: (stdin: string, ...argv: string[]) => Promise<Ran>;
    /** Runs `duba` as a person at a terminal would. */
    let typed: typeof duba;
    before(async () => {
      const { dataDirectory, databaseUrl } = service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      duba = (stdin, ...argv) => ran(argv, { environment, stdin });
      typed = (stdin, ...argv) => ran(argv, { environment, stdin, isTTY: true });
    });

    const verify = async (key?: string, of = bvn) => {
      const headers = { "Consent-Reference": "consent-1" };
      const { status, json } = await service.verify({ bvn: of, key, headers });
      return { ...json, status };
    };

    test("duba subjects exports what is held of a person as JSON, by a BVN in any form", async () => {
      const { data: record } = await verify("k-1");
      await verify("k-other", "22000000018");
      const { exitCode, out, err } = await duba("2200 0000 017\n", "subjects", "export");
      assert.equal(exitCode, 0);
      const { receipt, exported_at, also_held, verifications, ...rest } = JSON.parse(out);
      assert.deepEqual(rest, { bvn });
      assert.match(
        also_held,
        /last four digits, and keyed hashes of the BVN, of the request and of its idempotency key/,
      );
      assert.ok(Math.abs(Date.parse(exported_at) - Date.now()) < 60_000);
      assert.equal(err, `Exported as ${receipt}. Verifications: 1.\n`);
      const [{ created_at, completed_at, look_ups, ...verification }] = verifications;
      const { db } = await service.store();
      const asked = await db
        .selectFrom("verification_attempt")
        .select(["vendor as source", "started_at", "vendor_reference as source_reference"])
        .where("reference", "=", record.request_reference)
        .execute();
      assert.deepEqual(
        look_ups,
        asked.map(({ started_at, ...facts }) => ({ ...facts, asked_at: new Date(started_at).toISOString() })),
      );
      assert.equal(look_ups.length, 1);
      assert.ok(Date.parse(completed_at) >= Date.parse(created_at));
      assert.deepEqual(verification, {
        request_reference: record.request_reference,
        account: "Sandbox",
        mode: "test",
        state: "verified",
        source: "sandbox",
        consent_reference: "consent-1",
        record,
      });
    });

    test("an export in a file can only be read by its owner, even if others could read the old file", async () => {
      const folder = mkdtempSync(join(tmpdir(), "duba-export-"));
      const file = join(folder, "new", "folder", "person.json");
      for (const _ of [1, 2]) {
        const { exitCode, err } = await duba(`${bvn}\n`, "subjects", "export", "--out", file);
        assert.equal(exitCode, 0, err);
        assert.equal(statSync(file).mode & 0o777, 0o600);
        assert.equal(JSON.parse(readFileSync(file, "utf8")).bvn, bvn);
        chmodSync(file, 0o644);
      }
      rmSync(folder, { recursive: true });
    });

    test("an erasure runs beside traffic, and prints a receipt that names nobody", async () => {
      const { data } = await verify("k-1");
      const { db } = await service.store();
      const held = await db
        .selectFrom("verification")
        .innerJoin("record_key", "record_key.reference", "verification.reference")
        .select(["record_key.sealed_key", "verification.subject_hash"])
        .where("verification.reference", "=", data.request_reference)
        .executeTakeFirstOrThrow();

      let running = true;
      const caller = async () => {
        for (let n = 0; running; n += 1) assert.equal((await verify(`busy-${n}`, "22000000018")).status, 200);
      };
      const calls = caller();
      const { exitCode, out } = await duba(`${bvn}\n`, "subjects", "erase", "--json", "--yes");
      running = false;
      await calls;

      assert.equal(exitCode, 0);
      const { receipt, erased_at, accounts } = JSON.parse(out);
      assert.match(receipt, /^receipt-/);
      assert.ok(Math.abs(Date.parse(erased_at) - Date.now()) < 60_000);
      assert.deepEqual(accounts, [
        { account: "sandbox@example.com", mode: "test", verifications: 1, records_destroyed: 1 },
      ]);
      for (const text of [bvn, "0017", held.subject_hash, data.personal_info.last_name]) assert.ok(!out.includes(text));

      const again = await verify("k-1");
      assert.deepEqual([again.status, again.error.code], [410, "record_no_longer_held"]);
      if (engine.name === "sqlite") {
        const file = join(service.settings.dataDirectory, "duba.db");
        for (const path of [file, `${file}-wal`])
          assert.ok(!readFileSync(path).includes(held.sealed_key.slice(10, 40)));
      }
      const shown = await duba("", "ledger", "show", data.request_reference);
      assert.match(shown.out, /^subject +erased$/m);
      assert.match(shown.out, /^charged +yes$/m);
      assert.deepEqual(JSON.parse((await duba(bvn, "subjects", "export")).out).verifications, []);

      const trail = JSON.parse((await duba("", "audit", "tail", "--kind", "subject.erased", "--json")).out);
      assert.deepEqual(trail.entries.at(-1).facts, { receipt, records: 1, verifications: 1 });
    });

    test("an erasure says what it will remove, asks for confirmation and gives a receipt", async () => {
      await verify("k-2", "22000000021");
      await verify("k-3", "22000000021");
      const says =
        / BVN ending 0021: 2 of sandbox@example\.com \(test\), with 2 records\. Nobody can undo this\. To confirm, /;
      const doubtful = await typed("22000000021\n22000000012\n", "subjects", "erase");
      assert.equal(doubtful.exitCode, 1);
      assert.match(doubtful.err, says);
      assert.match(doubtful.err, /You did not confirm\. Nothing was changed\.\n$/);
      const { exitCode, out, err } = await typed("22000000021\n22000000021\n", "subjects", "erase");
      assert.equal(exitCode, 0, err);
      assert.match(out, /^Receipt: receipt-[\w-]{16}\nErased: {2}\d{4}-.*:\d\d:\d\d\+01\n\naccount /);
    });

    test("an erasure of one record says so in the singular", async () => {
      await verify("k-4", "22000000034");
      const { err } = await duba("22000000034", "subjects", "erase");
      assert.match(err, / BVN ending 0034: 1 of sandbox@example\.com \(test\), with 1 record\./);
    });

    test("an erasure of an unknown person gives no receipt", async () => {
      const trail = async () => {
        const { out } = await duba("", "audit", "tail", "--kind", "subject.erased", "--json");
        return JSON.parse(out).entries.map(({ id }: { id: string }) => id);
      };
      const before = await trail();
      const sentence = "Duba holds nothing about the BVN ending 0555, so nothing was erased and there is no receipt.\n";
      for (const given of [
        await duba("22000000555", "subjects", "erase", "--yes"),
        await typed("22000000555\n", "subjects", "erase"),
      ])
        assert.deepEqual([given.exitCode, given.out, given.err.replace(/^.*: (?=Duba)/, "")], [1, "", sentence]);
      assert.deepEqual(await trail(), before);
    });

    test("an invalid BVN is refused without repeating it, and no BVN is accepted as an argument", async () => {
      for (const verb of ["export", "erase"]) {
        for (const stdin of ["220000000", ""]) {
          const { exitCode, out, err } = await duba(stdin, "subjects", verb);
          assert.deepEqual([exitCode, out], [2, ""]);
          assert.match(err, /^On standard input, the number must be 11 digits\.\nSee: /);
        }
        const given = await duba("", "subjects", verb, bvn);
        assert.equal(given.exitCode, 2);
        assert.ok(!given.err.includes(bvn));
      }
    });
  });
}
