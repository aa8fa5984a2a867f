import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { engines } from "../support/engines.ts";
import { memoryOf, serveInProcess } from "../support/process.ts";
import { steadyLoad } from "../support/steady-load.ts";
import { until } from "../support/until.ts";

const bootstrap = "a-known-sandbox-key-for-workers";
const slow = 60_000;

/** Restarts, deaths and stalls of workers under load. Returns measurements. */
export async function workerTrial(): Promise<object> {
  const { settings, dispose } = await engines.find(({ name }) => name === "postgres")!.fresh();
  const service = await serveInProcess({
    DUBA_WORKERS: "3",
    DUBA_DATABASE_URL: settings.databaseUrl!,
    DUBA_DATA: settings.dataDirectory,
    DUBA_BOOTSTRAP_KEY: bootstrap,
    DUBA_LIMITS: "off",
  });
  const written = (text: string) => service.written().split(text).length - 1;
  const pids = () =>
    [...service.written().matchAll(/"pid":(\d+),"msg":"a worker is ready"/g)].map(([, pid]) => Number(pid));
  let asked = 0;
  const refused: { id: string; at: string; text: string }[] = [];
  const load = steadyLoad(
    () => service.port,
    8,
    () => {
      asked += 1;
      if (asked % 4 > 0) return { path: "/api/v2/corporate-data/list", options: { credential: bootstrap } };
      const body = { bvn: String(22_000_000_000 + asked), phone: "08000000017", amount: "100" };
      return { path: "/api/v2/kyc/verify-bvn", options: { method: "POST", credential: bootstrap, body } };
    },
    {
      pauseFor: 20,
      heard(_, response) {
        if (response && response.status !== 200)
          refused.push({ id: String(response.headers["x-request-id"]), at: new Date().toISOString(), ...response });
      },
    },
  );
  /** The reports of the callers and the log about each response other than 200. */
  const explained = () => {
    const lines = service.written().split("\n");
    return refused.map(({ id, at, text }) => [at, text, ...lines.filter((line) => line.includes(id))].join("\n"));
  };
  try {
    const restarts = 3;
    for (let restart = 1; restart <= restarts; restart += 1) {
      service.signal("SIGHUP");
      await until(() => written("the workers are replaced") === restart, slow);
    }
    const answered = Object.fromEntries(load.seen);
    const megabytes = pids().slice(-3).map(memoryOf);
    assert.deepEqual(explained(), []);
    assert.deepEqual(Object.keys(answered), ["200"], "a restart lost requests");

    const begun = performance.now();
    process.kill(pids().at(-1)!, "SIGSTOP");
    await until(() => written("a worker hangs and is killed") === 1, slow);
    const noticed = Math.round(performance.now() - begun);
    await until(() => pids().length === 3 + 3 * restarts + 1, slow);
    const replaced = Math.round(performance.now() - begun);

    process.kill(pids().at(-1)!, "SIGKILL");
    const killedAt = performance.now();
    await until(() => pids().length === 3 + 3 * restarts + 2, slow);
    const died = Math.round(performance.now() - killedAt);
    await pause(1000);
    await load.stop();
    const lost = Object.fromEntries([...load.seen].filter(([outcome]) => outcome !== "200"));

    assert.deepEqual(explained(), []);
    const last = pids().slice(-3);
    await service.end("SIGKILL");
    await until(() => last.every((pid) => !isAlive(pid)));
    return {
      restarts,
      "answers while restarting, none lost": answered["200"],
      "hang noticed after, ms": noticed,
      "hanging worker replaced after, ms": replaced,
      "killed worker replaced after, ms": died,
      "lost to the hang and the kill": lost,
      "memory of a worker, MB": megabytes,
    };
  } finally {
    await load.stop();
    await service.end("SIGKILL");
    await dispose();
    for (const file of [".keyring", ".keyring.anchor"]) rmSync(`${settings.dataDirectory}${file}`, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
