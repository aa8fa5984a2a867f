import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../support/engines.ts";
import { nodeEnvironment, serveInProcess } from "../support/process.ts";
import { ask, verifyAt } from "../support/service.ts";
import { until } from "../support/until.ts";

/** Verifications that run at once. */
const atOnce = 200;
const bootstrap = "a-known-sandbox-key-for-journeys";

/**
 * The usual work of operators and integrators, with two instances on one database, one of which has two workers.
 * Returns measurements.
 */
export async function journeys(engine: Engine, verifications = 200): Promise<Record<string, number | string>> {
  const { settings, dispose } = await engine.fresh();
  const folder = mkdtempSync(join(tmpdir(), "duba-journeys-"));
  const environment = {
    DUBA_DATABASE_URL: settings.databaseUrl!,
    DUBA_DATA: settings.dataDirectory,
    DUBA_KEYRING: join(folder, "keyring"),
    DUBA_BOOTSTRAP_KEY: bootstrap,
    DUBA_LIMITS: "off",
  };
  const duba = (...argv: string[]) => {
    const env = { ...nodeEnvironment, ...environment };
    const { status, stdout, stderr } = spawnSync(process.execPath, ["src/main.ts", ...argv], { env, encoding: "utf8" });
    assert.equal(status, 0, `duba ${argv.join(" ")}: ${stdout}${stderr}`);
    return stdout;
  };
  // Both instances start together on an empty database, and both try to make the tables.
  const starting = [serveInProcess({ ...environment, DUBA_WORKERS: "2" }), serveInProcess(environment)] as const;
  const [one, two] = await Promise.all(starting);
  try {
    const list = (port: number, credential: string) => ask(port, "/api/v2/corporate-data/list", { credential });
    const verify = (port: number, credential: string, key: string) => verifyAt(port, { credential, key });
    const first = await verify(one.port, bootstrap, "once");
    assert.equal(first.status, 200, first.text);
    const again = await verify(two.port, bootstrap, "once");
    assert.equal(again.headers["idempotency-replayed"], "true");
    assert.equal(again.json.data.request_reference, first.json.data.request_reference);
    for (let from = 0; from < verifications; from += atOnce) {
      const some = Array.from({ length: Math.min(atOnce, verifications - from) }, (_, n) =>
        verify(n % 2 ? one.port : two.port, bootstrap, `many-${from + n}`),
      );
      assert.deepEqual(new Set((await Promise.all(some)).map(({ status }) => status)), new Set([200]));
    }

    /** Milliseconds until both instances show the change. */
    const everywhere = async (isThere: (port: number) => Promise<boolean>) => {
      const begun = performance.now();
      await Promise.all([one, two].map(({ port }) => until(() => isThere(port))));
      return Math.round(performance.now() - begun);
    };
    const created = duba("keys", "create", "--account", "sandbox@example.com", "--label", "journey", "--json");
    const { key, id } = JSON.parse(created) as { key: string; id: string };
    assert.equal((await list(one.port, key)).status, 200);
    assert.equal((await list(two.port, key)).status, 200);
    duba("keys", "revoke", id, "--yes");
    const revoked = await everywhere(async (port) => (await list(port, key)).status === 401);
    duba("catalogue", "edit", "MTNDATA", "104", "--price", "95");
    const published = await everywhere(async (port) => {
      const { headers } = await ask(port, "/api/v2/internet/data/lookup?provider=MTNDATA", { credential: false });
      return headers["duba-catalogue-revision"] === "2";
    });
    duba("accounts", "suspend", "sandbox@example.com");
    const suspended = await everywhere(async (port) => (await list(port, bootstrap)).status === 401);

    duba("backup", join(folder, "backup.jsonl"));
    duba("audit", "verify");
    duba("audit", "reconcile");
    assert.match(duba("ledger", "summary", "--json"), new RegExp(`\\b${verifications + 1}\\b`));
    return {
      "key revoked everywhere, ms": revoked,
      "price everywhere, ms": published,
      "suspended everywhere, ms": suspended,
    };
  } finally {
    await Promise.all([one.end("SIGTERM"), two.end("SIGTERM")]);
    await dispose();
    rmSync(folder, { recursive: true });
  }
}
