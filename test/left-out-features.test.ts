import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { Agent } from "node:http";
import { join } from "node:path";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { Server } from "../check/src/ask-server.ts";
import { everyOperation, pathPrefix } from "../check/src/document.ts";
import { everyPoint } from "../check/src/points/index.ts";
import { runPoints } from "../check/src/run-points.ts";
import { CheckSession } from "../check/src/session.ts";
import { engines } from "./support/engines.ts";
import { nodeEnvironment, type ServedProcess, serveProgram } from "./support/process.ts";
import { sandboxKey } from "./support/service.ts";
import { copyWithout, listed, wrongTypes } from "./support/without-features.ts";

const runFile = promisify(execFile);
const person = { bvn: "22000000017", phone: "08000000017", amount: "100" };
/** The values that requests of the check's points have. */
const values = { ...person, provider: "MTNDATA", type: "dstv", productCode: "PRWE36" };
const documented = everyOperation.filter((operation) => operation.documented);
const builds = [
  ...listed.map((each) => ({ name: each.folder.split("/")[1], left: [each] })),
  { name: "any feature", left: listed },
];

// Two at a time: one build compiles while the service of the other starts.
suite("a build without a feature", { concurrency: 2 }, () => {
  for (const { name, left } of builds)
    test(`without ${name}, a build still serves the five operations and passes the check`, async () => {
      await using copy = copyWithout(left);
      assert.equal(await wrongTypes(copy.place), "");
      const program = join(copy.place, "src/main.ts");
      // The build without any feature runs on both engines. Builds without one feature run on the first engine, to save
      // minutes.
      for (const { ready } of left.length > 1 ? engines : engines.slice(0, 1)) {
        const { settings, dispose } = await ready();
        const environment = {
          DUBA_DATA: settings.dataDirectory,
          DUBA_DATABASE_URL: settings.databaseUrl ?? "",
          DUBA_BOOTSTRAP_KEY: sandboxKey,
          DUBA_LIMITS: "off",
        };
        const service = await serveProgram(process.execPath, [program, "serve"], environment);
        try {
          await keepsItsPromises(service);
          const keys = [program, "keys", "create", "--account", "sandbox@example.com", "--label", "laptop"];
          const made = await runFile(process.execPath, keys, { env: { ...nodeEnvironment, ...environment } });
          assert.match(made.stdout, /duba_test_/, made.stderr);
        } finally {
          await service.end("SIGTERM");
          await dispose();
        }
      }
    });
});

async function keepsItsPromises({ port }: ServedProcess): Promise<void> {
  const url = `http://127.0.0.1:${port}`;
  const agent = new Agent({ keepAlive: true });
  const server = new Server(new URL(url), 10_000, agent);
  try {
    const headers = { authorization: `Bearer ${sandboxKey}`, "content-type": "application/json" };
    const verify = async () => {
      const request = { method: "POST", headers: { ...headers, "idempotency-key": "once" } };
      return fetch(`${url}/api/v2/kyc/verify-bvn`, { ...request, body: JSON.stringify(person) });
    };
    assert.equal((await verify()).headers.get("idempotency-replayed"), null);
    assert.equal((await verify()).headers.get("idempotency-replayed"), "true");
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const served = everyOperation.filter(({ path }) => path in paths);
    assert.equal(served.filter((operation) => operation.documented).length, documented.length);
    const session = new CheckSession(server, sandboxKey, values, { prefix: pathPrefix, otherKey: "" });
    const results = await runPoints(everyPoint(served), session, {
      origin: url,
      timeout: 10_000,
      progress: () => {},
      missing: new Set(["other_key"]),
      secrets: [],
    });
    const broken = results.filter(({ outcome }) => outcome === "broken");
    assert.deepEqual(
      broken.map(({ id, why }) => [id, ...why]),
      [],
    );
    assert.ok(results.filter(({ outcome }) => outcome === "holds").length > 40);
  } finally {
    server.close();
  }
}
