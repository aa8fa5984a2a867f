import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { Agent } from "node:http";
import { suite, test } from "node:test";
import { engines } from "./support/engines.ts";
import { serveInProcess } from "./support/process.ts";
import { ask } from "./support/service.ts";
import { steadyLoad } from "./support/steady-load.ts";
import { noticed, until } from "./support/until.ts";

const bootstrap = "a-known-sandbox-key-for-workers";
const postgres = engines.find(({ name }) => name === "postgres")!;

suite("DUBA_WORKERS", () => {
  test("workers are replaced on SIGHUP and when they die, and no request is lost to a restart", async () => {
    const { settings, dispose } = await postgres.ready();
    const service = await serveInProcess({
      DUBA_WORKERS: "2",
      DUBA_DATABASE_URL: settings.databaseUrl!,
      DUBA_DATA: settings.dataDirectory,
      DUBA_BOOTSTRAP_KEY: bootstrap,
      DUBA_METRICS: "127.0.0.1:0",
      DUBA_LIMITS: "off",
    });
    const { port } = service;
    const pids = () =>
      [...service.written().matchAll(/"pid":(\d+),"msg":"a worker is ready"/g)].map(([, pid]) => Number(pid));
    let asked = 0;
    const load = steadyLoad(
      () => port,
      4,
      () => {
        asked += 1;
        if (asked % 2 === 0) return { path: "/api/v2/corporate-data/list", options: { credential: bootstrap } };
        const body = { bvn: String(22_000_000_000 + asked), phone: "08000000017", amount: "100" };
        return { path: "/api/v2/kyc/verify-bvn", options: { method: "POST", credential: bootstrap, body } };
      },
      { pauseFor: 20 },
    );
    try {
      assert.equal(pids().length, 2);
      service.signal("SIGHUP");
      await until(() => /the workers are replaced/.test(service.written()));
      assert.equal(new Set(pids()).size, 4);
      await load.stop();
      assert.deepEqual([...load.seen.keys()], ["200"]);
      assert.ok(load.seen.get("200")! > 50);

      const [, , , last] = pids();
      process.kill(last!, "SIGSTOP");
      // Connections go to the workers in turn, and the stopped worker accepts none.
      const path = "/api/v2/corporate-data/list";
      let answered = 0;
      const asking = Array.from({ length: 4 }, async () => {
        const { status } = await ask(port, path, { credential: bootstrap, agent: new Agent() });
        answered += 1;
        return status;
      });
      await until(() => answered === 3);
      process.kill(last!, "SIGKILL");
      assert.deepEqual(await Promise.all(asking), [200, 200, 200, 200]);
      await until(() => pids().length === 5);
      assert.match(
        service.written(),
        /"place":2,"code":null,"signal":"SIGKILL",.*"a worker ended; another takes its place"/,
      );
      const metricsPort = Number(/"url":"http:\/\/127\.0\.0\.1:(\d+)\/metrics"/.exec(service.written())![1]);
      // A worker that is busy is left out of a scrape.
      const hasBoth = ({ text }: { text: string }) =>
        [1, 2].every((worker) => new RegExp(`^duba_store_up\\{worker="${worker}"\\} 1$`, "m").test(text));
      const { text } = await noticed(() => ask(metricsPort, "/metrics"), hasBoth);
      assert.match(text, /^duba_workers\{state="ready"\} 2$/m);
      assert.match(text, /^duba_worker_ends_total\{reason="died"\} 1$/m);
      assert.equal(text.match(/^# TYPE duba_store_up gauge$/gm)?.length, 1);
    } finally {
      await load.stop();
      await service.end("SIGTERM");
      await dispose();
      for (const file of [".keyring", ".keyring.anchor"]) rmSync(`${settings.dataDirectory}${file}`, { force: true });
    }
    assert.equal(service.exitCode(), 0);
    assert.equal(service.written().match(/"msg":"stopped"/g)?.length, 4);
  });
});
