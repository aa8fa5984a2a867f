import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, type TestContext, test } from "node:test";
import { type ConfigError, readConfig } from "../src/config/read-config.ts";
import { startStandIn } from "../src/vendors/sandbox/start-stand-in.ts";
import type { RunningStandIn } from "../stand-ins/identity-server.ts";
import { ran } from "./support/command-line.ts";
import { type FreshSettings, usualEngines } from "./support/engines.ts";
import { startService } from "./support/service.ts";
import { until } from "./support/until.ts";

const verify = "/api/v2/kyc/verify-bvn";
const person = { bvn: "22000000017", phone: "08000000017", amount: "100" };
const post = { method: "POST", body: person };
const mark = "duba-mode";

for (const engine of usualEngines)
  suite(`a rehearsal on ${engine.name}`, () => {
    let standIn: RunningStandIn;
    let folder: string;
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), "duba-rehearsal-"));
      standIn = await startStandIn({ name: "prembly" }, { port: 0, prices: { bvn: 5000 } });
    });
    after(async () => {
      await standIn.close();
      rmSync(folder, { recursive: true });
    });
    /**
     * Starts services one after the other on one store with its key ring. After the test, closes those that are still
     * open.
     */
    const place = async (t: TestContext) => {
      const { settings, dispose } = await engine.ready();
      const running = new Set<() => Promise<void>>();
      t.after(async () => {
        for (const close of running) await close();
        await dispose();
      });
      const ring = join(folder, `ring-${Math.random()}`);
      const usual = { DUBA_KEYRING: ring, DUBA_EVENT_NETWORKS: "127.0.0.0/8" };
      const vendor = { DUBA_UPSTREAMS: "prembly", DUBA_PREMBLY_URL: standIn.url, DUBA_PREMBLY_KEY: "any" };
      const onlyStore = { ...engine, ready: async () => ({ settings, dispose: async () => {} }) };
      return {
        async start(more: Record<string, string> = {}) {
          const service = await startService({ ...usual, ...vendor, ...more }, onlyStore);
          running.add(service.close);
          const close = () => {
            running.delete(service.close);
            return service.close();
          };
          return { ...service, close };
        },
        duba: (argv: readonly string[], more: Record<string, string> = {}) =>
          ran(argv, { environment: { ...environmentOf(settings), ...usual, ...more } }),
      };
    };

    test("without the setting, a service rejects a stand-in's answers, says so, and stops asking it", async (t) => {
      const { start, duba } = await place(t);
      const service = await start();
      try {
        const { text: credential } = await service.newKey({ mode: "live" });
        const response = await service.ask(verify, { ...post, credential });
        assert.deepEqual(
          [response.status, response.json.error.code, response.json.error.charged, response.headers[mark]],
          [502, "upstream_bad_response", false, undefined],
        );
        assert.doesNotMatch(response.text, /stand/);
        const errors = service.lines.filter(({ fields }) => "alarm" in fields);
        assert.deepEqual(
          errors.map(({ fields, message }) => [(fields as { alarm?: string }).alarm, message.split(":")[0]]),
          [["answered_by_stand_in", "An identity vendor has a stand-in that answers in its place"]],
        );
        const next = await service.ask(verify, { method: "POST", body: { ...person, bvn: "22000000018" }, credential });
        assert.deepEqual([next.status, next.json.error.retryable], [503, false]);
        await until(async () => (await duba(["upstreams", "status"])).out.includes("a stand-in answers in place of"));
      } finally {
        await service.close();
      }
      // The store has live verifications that no rehearsal made, whether or not an earlier start has marked the store.
      const refused = /^StoreError: This store is for live verifications of real people/;
      await assert.rejects(start({ DUBA_STAND_INS: "on" }), refused);
      const noted = await start({ DUBA_UPSTREAMS: "" });
      await (await noted.store()).db.deleteFrom("fact").where("name", "=", "live-verifications").execute();
      await noted.close();
      await assert.rejects(start({ DUBA_STAND_INS: "on" }), refused);
    });

    test("a Duba whose vendor is a rehearsing Duba rejects its invented people", async (t) => {
      const [source, other, third] = [await place(t), await place(t), await place(t)];
      const rehearsing = await source.start({ DUBA_STAND_INS: "on" });
      const { text: key } = await rehearsing.newKey({ mode: "live" });
      const peer = {
        DUBA_UPSTREAMS: "peer",
        DUBA_PEER_URL: rehearsing.url,
        DUBA_PEER_EMAIL: "sandbox@example.com",
        DUBA_PEER_KEY: key,
      };
      const asked = async ({ start }: typeof other, more: Record<string, string>) => {
        const service = await start({ ...peer, ...more });
        const { text: credential } = await service.newKey({ mode: "live" });
        const { status, headers } = await service.ask(verify, { ...post, credential });
        const alarms = service.lines.flatMap(({ fields }) => ("alarm" in fields ? [fields.alarm] : []));
        await service.close();
        return [status, headers[mark], ...alarms];
      };
      assert.deepEqual(await asked(other, {}), [502, undefined, "answered_by_stand_in"]);
      assert.deepEqual(await asked(third, { DUBA_STAND_INS: "on" }), [200, "stand-in"]);
    });

    test("live answers, status, doctor, store and backups all show that the service is in rehearsal", async (t) => {
      const { start, duba } = await place(t);
      const rehearsing = { DUBA_STAND_INS: "on" };
      const service = await start(rehearsing);
      const { text: credential } = await service.newKey({ mode: "live" });
      const asked = [
        await service.ask(verify, { ...post, credential }),
        await service.ask(verify, { method: "POST", body: {}, credential }),
        await service.ask("/api/v2/kyc/verifications?idempotency_key=nobody", { credential }),
        await service.ask("/api/v2/corporate-data/list", { credential }),
        await service.ask("/api/v2/corporate-data/list", { credential }),
        await service.ask("/api/v2/events?after=0", { credential }),
        await service.ask("/api/v2/merchant/authorization", {
          ...{ method: "POST", credential: false },
          body: { email: "sandbox@example.com", password: credential },
        }),
      ];
      assert.deepEqual(
        asked.map(({ status, headers }) => [status, headers[mark]]),
        [200, 422, 404, 200, 200, 200, 200].map((status) => [status, "stand-in"]),
      );
      assert.equal((await service.ask(verify, post)).headers[mark], "test");
      assert.equal((await service.ask("/api/v2/internet/data/lookup", { credential: false })).headers[mark], undefined);
      const status = await duba(["status", "--json"]);
      assert.equal(JSON.parse(status.out).rehearsal, true);
      assert.match(status.err, /^This store is a rehearsal: /);
      assert.match((await duba(["status"])).out, /\nlive verifications +a rehearsal, of people that stand-ins/);
      assert.match((await duba(["doctor"])).out, /WRONG {2}rehearsal: this store is a rehearsal for ever/);
      const backup = join(folder, `${engine.name}.jsonl`);
      assert.equal((await duba(["backup", backup])).exitCode, 0);
      await service.close();

      const refused = /^StoreError: This store is a rehearsal for ever.* a data directory or database of its own/;
      await assert.rejects(start(), refused);
      await assert.rejects(start({ DUBA_UPSTREAMS: "" }), refused);
      await (await start(rehearsing)).close();

      const restored = await engine.ready();
      t.after(() => restored.dispose());
      const more = environmentOf(restored.settings);
      assert.equal((await duba(["restore", backup], more)).exitCode, 0);
      assert.equal(JSON.parse((await duba(["status", "--json"], more)).out).rehearsal, true);
    });
  });

suite("the settings of a rehearsal", () => {
  test("a rehearsal refuses settings that would call a vendor at its real address", () => {
    const settings = { DUBA_STAND_INS: "on", DUBA_UPSTREAMS: "prembly", DUBA_PREMBLY_KEY: "any" };
    assert.throws(
      () => readConfig(settings),
      (error: ConfigError) => /DUBA_PREMBLY_URL is the address of prembly itself/.test(error.message),
    );
    readConfig({ ...settings, DUBA_PREMBLY_URL: "http://127.0.0.1:9001" });
    readConfig({ ...settings, DUBA_STAND_INS: "off" });
  });
});

function environmentOf({ dataDirectory, databaseUrl = "" }: FreshSettings): Record<string, string> {
  return { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
}
