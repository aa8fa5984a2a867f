import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { nodeEnvironment, serveInProcess } from "../support/process.ts";
import { verifyAt } from "../support/service.ts";
import { until } from "../support/until.ts";
import { PatroniCluster } from "./patroni-cluster.ts";

const bootstrap = "a-known-sandbox-key-for-replicas";

/** Reports from a streaming replica that follows, is held back, and disappears. Returns the lines of the reports. */
export async function replicaTrial({ logs }: { logs?: string }): Promise<object> {
  await using cluster = await PatroniCluster.start(logs);
  const folder = mkdtempSync(join(tmpdir(), "duba-replica-"));
  const replica = await cluster.standby();
  const environment = {
    DUBA_DATABASE_URL: cluster.url,
    DUBA_DATABASE_READ_URL: replica.url,
    DUBA_DATA: folder,
    DUBA_KEYRING: join(folder, "keyring"),
    DUBA_BOOTSTRAP_KEY: bootstrap,
    DUBA_LIMITS: "off",
  };
  const service = await serveInProcess(environment);
  let asked = 0;
  const verify = async () => {
    asked += 1;
    const response = await verifyAt(service.port, { credential: bootstrap, key: `replica-${asked}` });
    assert.equal(response.status, 200, response.text);
  };
  /** The count of a report, and the note about its age. */
  const report = async () => {
    const env = { ...nodeEnvironment, ...environment };
    const argv = ["src/main.ts", "ledger", "list", "--json"];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, { env });
    return { counted: JSON.parse(stdout).verifications.length as number, said: stderr.trim() };
  };
  try {
    for (let n = 0; n < 20; n += 1) await verify();
    const whole = await untilReport(report, ({ counted }) => counted === 20);
    assert.match(whole.said, /^As of \S+: read from the replica\.$/);

    await replica.holdBack();
    for (let n = 0; n < 5; n += 1) await verify();
    const behind = await untilReport(report, ({ said }) => said.includes("seconds behind"));
    assert.equal(behind.counted, 20);

    await replica.goOn();
    const caughtUp = await untilReport(report, ({ counted }) => counted === 25);

    await replica.harm("stopped");
    const away = await report();
    assert.deepEqual([away.counted, /so this is from the primary/.test(away.said)], [25, true], away.said);
    replica.heal("stopped");
    return { followed: whole.said, "held back": behind.said, resumed: caughtUp.said, stopped: away.said };
  } finally {
    await service.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  }
}

type Report = { counted: number; said: string };

async function untilReport(report: () => Promise<Report>, holds: (report: Report) => boolean): Promise<Report> {
  let last: Report | undefined;
  await until(async () => {
    last = await report();
    return holds(last);
  }, 60_000).catch(() => assert.fail(`the report never changed: ${JSON.stringify(last)}`));
  return last!;
}
