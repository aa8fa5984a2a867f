import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { suite, test } from "node:test";
import { engines } from "./support/engines.ts";
import { serveInProcess } from "./support/process.ts";
import { ask } from "./support/service.ts";
import { until } from "./support/until.ts";

const bundles = "/api/v2/internet/data/lookup?provider=MTNDATA";
const forms = [
  { name: "one process", engine: engines[0]!, workers: "" },
  { name: "DUBA_WORKERS", engine: engines[1]!, workers: "2" },
];

suite("DUBA_STOP_DELAY", () => {
  for (const { name, engine, workers } of forms) {
    const start = async (delay: string, environment: Record<string, string> = {}) => {
      const { settings, dispose } = await engine.ready();
      const service = await serveInProcess({
        DUBA_WORKERS: workers,
        DUBA_DATA: settings.dataDirectory,
        DUBA_DATABASE_URL: settings.databaseUrl ?? "",
        DUBA_STOP_DELAY: delay,
        ...environment,
      });
      const dropped = async () => {
        await service.end("SIGKILL").catch(() => undefined);
        await dispose();
        for (const file of [".keyring", ".keyring.anchor"]) rmSync(`${settings.dataDirectory}${file}`, { force: true });
      };
      return { service, dropped };
    };
    const isReady = async (port: number) => (await ask(port, "/readyz", { credential: false })).status === 200;

    test(`${name}: a stopping service still serves while it is not ready, and notifies systemd`, async () => {
      const place = mkdtempSync(join(tmpdir(), "duba-notify-"));
      const [socket, told] = [join(place, "socket"), join(place, "told")];
      writeFileSync(told, "");
      // Stands for systemd's program, which a developer's machine need not have.
      writeFileSync(join(place, "systemd-notify"), `#!/bin/sh\necho "$NOTIFY_SOCKET $1" >> ${told}\n`);
      chmodSync(join(place, "systemd-notify"), 0o755);
      const PATH = `${place}${delimiter}${process.env.PATH}`;
      const { service, dropped } = await start("2s", { PATH, NOTIFY_SOCKET: socket });
      const { port } = service;
      const agent = new Agent({ keepAlive: true });
      try {
        assert.equal((await ask(port, bundles, { credential: false, agent })).headers.connection, "keep-alive");
        await until(() => readFileSync(told, "utf8") === `${socket} READY=1\n`);
        const asked = performance.now();
        const ended = service.end("SIGTERM");
        await until(async () => !(await isReady(port)));
        assert.deepEqual((await ask(port, "/readyz", { credential: false })).json, {
          status: "not ready",
          reason: "stopping",
        });
        const response = await ask(port, bundles, { credential: false, agent });
        // The response closes the connection, so that a proxy does not reuse it.
        assert.deepEqual([response.status, response.headers.connection], [200, "close"]);
        await ended;
        assert.ok(performance.now() - asked >= 2000);
        assert.equal(service.exitCode(), 0);
        await until(() => readFileSync(told, "utf8") === `${socket} READY=1\n${socket} STOPPING=1\n`);
      } finally {
        agent.destroy();
        rmSync(place, { recursive: true, force: true });
        await dropped();
      }
    });

    test(`${name}: a second signal ends the delay, and the service stops in order`, async () => {
      const { service, dropped } = await start("1h");
      try {
        service.signal("SIGTERM");
        await until(async () => !(await isReady(service.port)));
        await service.end("SIGINT");
        assert.equal(service.exitCode(), 0);
        assert.match(service.written(), /"msg":"stopped"/);
      } finally {
        await dropped();
      }
    });
  }
});
