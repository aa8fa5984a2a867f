import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { newestMigration } from "../../src/storage/migrations/migrate.ts";
import { olderVersionNote } from "../../src/storage/migrations/older-version.ts";
import { openStore } from "../../src/storage/store.ts";
import { engines } from "../support/engines.ts";
import { type ServedProcess, serveProgram } from "../support/process.ts";
import { ask, sandboxKey } from "../support/service.ts";
import { steadyLoad } from "../support/steady-load.ts";
import { until } from "../support/until.ts";

/** Two installed packages: the release before, and what is checked out. */
const place = mkdtempSync(join(tmpdir(), "duba-upgrade-"));

function run(folder: string, program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

/** The newest release, or before the first one the commit before the newest migration. */
function releaseBefore(): string {
  const tags = run(".", "git", "tag", "--list", "v*", "--sort=-version:refname", "--no-contains", "HEAD");
  const [tag] = tags.split("\n");
  if (tag) return tag;
  const file = `src/storage/migrations/${newestMigration.replace(/_since_\d+$/, "")}.ts`;
  return `${run(".", "git", "log", "--diff-filter=A", "--format=%H", "-1", "--", file)}^`;
}

/** Packs a commit as a release is packed, and installs it. Returns what starts it. */
function install(commit: string, name: string): string {
  const clone = join(place, `${name}-clone`);
  run(place, "git", "clone", "--quiet", process.cwd(), clone);
  run(clone, "git", "checkout", "--quiet", run(".", "git", "rev-parse", commit));
  cpSync("node_modules", join(clone, "node_modules"), { recursive: true, verbatimSymlinks: true });
  const [packed] = JSON.parse(run(clone, "npm", "run", "--silent", "package", "--", "--json"));
  const folder = join(place, name);
  mkdirSync(folder);
  run(folder, "npm", "init", "--yes");
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", "--omit=peer"];
  run(folder, "npm", "install", ...quiet, join(clone, packed.filename));
  return join(folder, "node_modules/duba/bin/duba.js");
}

suite("an upgrade from the release before", () => {
  let [older, newer] = ["", ""];
  before(() => {
    older = install(releaseBefore(), "older");
    newer = install("HEAD", "newer");
  });
  after(() => rmSync(place, { recursive: true, force: true }));

  for (const engine of engines)
    test(`and back, on ${engine.name}: every key finds its verification, and the sums are those of the ledger`, async () => {
      const { settings, dispose } = await engine.fresh();
      const environment = {
        ...{ DUBA_DATA: settings.dataDirectory, DUBA_BOOTSTRAP_KEY: sandboxKey, DUBA_LIMITS: "off" },
        ...(settings.databaseUrl && { DUBA_DATABASE_URL: settings.databaseUrl }),
      };
      const start = (program: string) => serveProgram(process.execPath, [program, "serve"], environment);
      const verify = ({ port }: ServedProcess, key: string) =>
        ask(port, "/api/v2/kyc/verify-bvn", {
          method: "POST",
          body: { bvn: "22000000017", phone: "08000000017", amount: "100" },
          headers: { "Idempotency-Key": key },
        });
      const told = new Map<string, string>();
      const inTurn = async (service: ServedProcess, key: string) => {
        for (const [known, text] of told) assert.equal((await verify(service, known)).text, text);
        told.set(key, (await verify(service, key)).text);
      };
      const recounted = async () => {
        const store = await openStore({ ...settings, serving: false });
        await until(async () => (await olderVersionNote(store.db)) === undefined, 150_000);
        await store.close();
        const duba = (...args: string[]) =>
          execFileSync(process.execPath, [newer, ...args], {
            env: { ...process.env, ...environment },
            encoding: "utf8",
          });
        assert.match(duba("audit", "reconcile"), /agree/);
      };
      let service = await start(older);
      try {
        await inTurn(service, "older");
        // On PostgreSQL both serve for a while. On SQLite one takes the place of the other.
        const replaceBy = async (program: string) => {
          if (!settings.databaseUrl) {
            await service.end("SIGTERM");
            service = await start(program);
            return;
          }
          const leaving = service;
          const load = steadyLoad(
            () => leaving.port,
            4,
            () => ({
              path: "/api/v2/kyc/verify-bvn",
              options: { method: "POST", body: { bvn: "22000000025", phone: "08000000025", amount: "100" } },
            }),
          );
          service = await start(program);
          await load.stop();
          assert.deepEqual([...load.seen.keys()], ["200"]);
          await leaving.end("SIGTERM");
        };
        await replaceBy(newer);
        await inTurn(service, "newer");
        await recounted();
        await replaceBy(older);
        await inTurn(service, "older-again");
        await replaceBy(newer);
        await inTurn(service, "newer-again");
        await recounted();
      } finally {
        await service.end("SIGTERM");
        await dispose();
      }
    });
});
