import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { usualEngines } from "../../../test/support/engines.ts";
import { startService, suiteService } from "../../../test/support/service.ts";

interface Result {
  check: string;
  passed: boolean;
  sentence: string;
  mends: { command: string; input: object; line: string }[];
  subject: string | null;
  since: string | null;
}

const inFront = { DUBA_PUBLIC_URL: "https://api.example.com", DUBA_TRUST_PROXY: "127.0.0.1" };

for (const engine of usualEngines) {
  suite(`duba doctor on ${engine.name}`, () => {
    const service = suiteService({}, engine);
    let environment: Record<string, string | undefined>;
    const resultsOf = async (more: Record<string, string> = {}): Promise<Result[]> => {
      const { out } = await ran(["doctor", "--json"], { environment: { ...environment, ...more } });
      return JSON.parse(out);
    };
    const failedOf = async (more: Record<string, string> = {}) => {
      const results = await resultsOf(more);
      return Object.fromEntries(
        results.filter(({ passed }) => !passed).map(({ check, sentence }) => [check, sentence]),
      );
    };
    const duba = (...argv: string[]) => ran(argv, { environment });

    before(async () => {
      const { dataDirectory, databaseUrl } = service.settings;
      environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl, ...inFront };
    });

    test("on a new machine behind TLS the doctor only objects to the starter catalogue", async () => {
      const { exitCode, out, err } = await duba("doctor");
      assert.deepEqual([exitCode, err], [1, "1 of 17 checks failed.\n"]);
      assert.match(out, /\nok {5}TLS: clients call https:\/\/api\.example\.com\.\n/);
      assert.match(
        out,
        /\nWRONG {2}starter catalogue: live keys would get historical sample prices: 79 of 79 entries of data-bundles,/,
      );
    });

    test("the doctor objects to a Node with published security holes, and says which to install", async (t) => {
      t.mock.property(process, "versions", { ...process.versions, node: "26.12.0" });
      const said = /^Node 26\.12\.0, which runs this, has published security holes\. Install Node 26\.12\.1 or newer,/;
      assert.match((await failedOf()).Node!, said);
    });

    test("the doctor names what is wrong in the settings, and what would be right", async () => {
      const failed = await failedOf({ DUBA_PUBLIC_URL: "http://api.example.com", DUBA_LIMITS: "off" });
      assert.match(
        failed.TLS!,
        /^DUBA_PUBLIC_URL is http:\/\/api\.example\.com, so .* set DUBA_PUBLIC_URL to its https address\.$/,
      );
      assert.match(failed.limits!, /^DUBA_LIMITS is off, .* Set it to on\.$/);
      assert.match(
        (await failedOf({ DUBA_TRUST_PROXY: "" })).proxy!,
        /^DUBA_TRUST_PROXY is empty, .* such as 127\.0\.0\.1\.$/,
      );
      assert.match(
        (await failedOf({ DUBA_TRUST_PROXY: "127.0.0.1,104.16.0.0/13" })).proxy!,
        /^DUBA_TRUST_PROXY names public networks, 104\.16\.0\.0\/13: /,
      );
      assert.equal(
        (await failedOf({ DUBA_TRUST_PROXY: "104.16.0.1", DUBA_METRICS: "127.0.0.1:9464" })).proxy,
        undefined,
      );
      const risky = async (more: Record<string, string>) => (await failedOf(more))["risky settings"];
      assert.match((await risky({ DUBA_METRICS: "104.16.0.1:9464" }))!, /^DUBA_METRICS .* port 9464\.$/);
      assert.match((await risky({ DUBA_EVENT_NETWORKS: "fc00::/7" }))!, /^DUBA_EVENT_NETWORKS names fc00::\/7: /);
      assert.equal(await risky({ DUBA_METRICS: "10.0.0.1:9464", DUBA_EVENT_NETWORKS: "10.0.0.0/8" }), undefined);
    });

    test("the doctor reports a missing vendor once a live key may verify", async () => {
      assert.equal((await failedOf()).vendor, undefined);
      const { id } = await service.newKey({ mode: "live" });
      const { vendor, "starter catalogue": starter } = await failedOf();
      assert.match(vendor!, new RegExp(`^DUBA_UPSTREAMS is empty, .* from ${id}\\.$`));
      assert.match(starter!, /^live keys get historical sample prices: /);
      const { mends } = (await resultsOf()).find(({ check }) => check === "vendor")!;
      assert.deepEqual(
        mends.map(({ line }) => line),
        [`duba keys change ${id}`],
      );
      await duba("keys", "change", id, "--scope", "catalogue:read", "--yes");
      assert.equal((await failedOf()).vendor, undefined);
    });

    test("the doctor objects to a key ring that is missing, open to other users or in the data directory", async () => {
      const path = `${service.settings.dataDirectory}.keyring`;
      chmodSync(path, 0o640);
      const open = await failedOf();
      chmodSync(path, 0o600);
      assert.match(open.files!, /is open to other users \(mode 640\): run chmod 600 /);
      assert.match(open["key ring"]!, /is open to other users/);
      const elsewhere = join(service.settings.dataDirectory, "ring");
      const missing = await failedOf({ DUBA_KEYRING: elsewhere });
      assert.match(missing["key ring"]!, /is missing: put the ring back/);
      writeFileSync(elsewhere, readFileSync(path), { mode: 0o600 });
      const inside = await failedOf({ DUBA_KEYRING: elsewhere });
      rmSync(elsewhere);
      if (engine.name === "sqlite")
        assert.match(inside["key ring apart"]!, /is in the data directory, .* set DUBA_KEYRING to its new path\.$/);
    });

    test("the doctor names a record key older than a year, and how to add one", async () => {
      const { db } = await service.store();
      const since = (at: number) =>
        db.updateTable("fact").set({ created_at: at }).where("name", "=", "keyring:records:r1").execute();
      const year = 365 * 24 * 3_600_000;
      await since(Date.now() - year + 60_000);
      assert.equal((await failedOf())["key ring age"], undefined);
      await since(Date.now() - year - 60_000);
      assert.match(
        (await failedOf())["key ring age"]!,
        /^the record key r1 has been in use since \d{4}-\d\d-\d\d, for more than a year\. Add one, /,
      );
      const { mends, subject, since: found } = (await resultsOf()).find(({ check }) => check === "key ring age")!;
      assert.deepEqual(
        mends.map(({ command, input, line }) => [command, input, line]),
        [
          ["keyring.rotate", { records: true }, "duba keyring rotate --records"],
          ["keyring.rewrap", {}, "duba keyring rewrap"],
        ],
        "what mends it is data, with a line that works",
      );
      assert.deepEqual([subject, typeof found], ["r1", "string"]);
      assert.match((await duba("doctor")).out, / Move the records: duba keyring rewrap\n/);
      const path = `${service.settings.dataDirectory}.keyring`;
      assert.equal((await duba("keyring", "rotate", "--records")).exitCode, 0);
      const { records, ...others } = JSON.parse(readFileSync(path, "utf8"));
      const begun = [records[0], { ...records[1], from: Date.now() - 1000 }];
      writeFileSync(path, JSON.stringify({ ...others, records: begun }));
      assert.equal((await failedOf())["key ring age"], undefined);
    });

    test("the doctor names a list that never had an entry, and how to fill it", async (t) => {
      const directory = mkdtempSync(join(tmpdir(), "duba-older-"));
      t.after(() => rmSync(directory, { recursive: true }));
      const own = { DUBA_DATA: join(directory, "data"), DUBA_DATABASE_URL: "" };
      const starter = JSON.parse((await duba("catalogue", "export")).out);
      delete starter["corporate-bundles"];
      const file = join(directory, "older.json");
      writeFileSync(file, JSON.stringify(starter));
      await ran(["migrate"], { environment: own });
      const { exitCode, err } = await ran(["catalogue", "import", file], { environment: own });
      assert.equal(exitCode, 0, err);
      const said = /the list corporate-bundles never had an entry, /;
      const results: Result[] = JSON.parse((await ran(["doctor", "--json"], { environment: own })).out);
      const named = results.filter(({ passed, sentence }) => !passed && said.test(sentence));
      assert.deepEqual(
        named.map(({ check }) => check),
        ["starter catalogue"],
      );
      const started = await startService(own);
      t.after(() => started.close());
      assert.equal(started.lines.filter(({ level, message }) => level === "warn" && said.test(message)).length, 1);
      assert.ok(!(await failedOf())["starter catalogue"]?.includes("never had an entry"));
    });

    test("the doctor accepts the operator's own prices, and names odd prices", async () => {
      const { out } = await duba("catalogue", "export");
      const lists = JSON.parse(out) as Record<string, { code: string; price: string; amount: string }[]>;
      for (const entries of Object.values(lists))
        for (const entry of entries)
          if (entry.price !== undefined) entry.price = `${Number(entry.price) * 1.01}`.slice(0, 7);
      const file = join(service.settings.dataDirectory, "own.json");
      const publish = async () => {
        writeFileSync(
          file,
          JSON.stringify(lists, (key, value) => (key === "price" ? Number(value).toFixed(2) : value)),
        );
        const { exitCode, err } = await duba("catalogue", "import", file);
        const [, draft] = /approve (d\d+)/.exec(err) ?? [];
        if (draft) await duba("catalogue", "approve", draft);
        else assert.equal(exitCode, 0, err);
      };
      await publish();
      assert.deepEqual(await failedOf(), {});
      assert.equal((await duba("doctor")).exitCode, 0);
      const bundle = lists["data-bundles"]!.find(({ code }) => code === "104")!;
      bundle.price = `${Number(bundle.amount) * 10}`;
      await publish();
      rmSync(file);
      assert.match((await failedOf()).prices!, /^MTNDATA 104: /);
    });
  });
}
