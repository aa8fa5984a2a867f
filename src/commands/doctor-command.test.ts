import assert from "node:assert/strict";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, suite, test } from "node:test";
import { ran } from "../../test/support/command-line.ts";
import { usualEngines } from "../../test/support/engines.ts";
import { suiteService } from "../../test/support/service.ts";

interface Result {
  check: string;
  passed: boolean;
  sentence: string;
}

const inFront = { DUBA_PUBLIC_URL: "https://api.example.com", DUBA_TRUST_PROXY: "127.0.0.1" };

for (const engine of usualEngines) {
  suite(`duba doctor on ${engine.name}`, () => {
    const service = suiteService({}, engine);
    let environment: Record<string, string | undefined>;
    const failedOf = async (more: Record<string, string> = {}) => {
      const { out } = await ran(["doctor", "--json"], { environment: { ...environment, ...more } });
      const results: Result[] = JSON.parse(out);
      return Object.fromEntries(
        results.filter(({ passed }) => !passed).map(({ check, sentence }) => [check, sentence]),
      );
    };
    const duba = (...argv: string[]) => ran(argv, { environment });

    before(async () => {
      const { dataDirectory, databaseUrl } = service.settings;
      environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl, ...inFront };
    });

    test("fails a new machine for the starter catalogue alone, if TLS is in front", async () => {
      const { exitCode, out, err } = await duba("doctor");
      assert.deepEqual([exitCode, err], [1, "1 of 14 checks failed.\n"]);
      assert.match(out, /^ok {5}TLS: clients call https:\/\/api\.example\.com\.\n/);
      assert.match(
        out,
        /\nWRONG {2}starter catalogue: live keys would get historical sample prices: 79 of 79 entries of data-bundles,/,
      );
    });

    test("names what is wrong in the settings, and what would be right", async () => {
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

    test("misses a vendor once a live key may verify persons", async () => {
      assert.equal((await failedOf()).vendor, undefined);
      const { id } = await service.newKey({ mode: "live" });
      const { vendor, "starter catalogue": starter } = await failedOf();
      assert.match(vendor!, new RegExp(`^DUBA_UPSTREAMS is empty, .* from ${id} \\(duba keys change\\)\\.$`));
      assert.match(starter!, /^live keys get historical sample prices: /);
      await duba("keys", "change", id, "--scope", "catalogue:read");
      assert.equal((await failedOf()).vendor, undefined);
    });

    test("misses the key ring, refuses another one, and one that others can read", async () => {
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

    test("passes when the prices are the operator's own, and names those that are odd", async () => {
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
