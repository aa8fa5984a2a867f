import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { newestMigration } from "../../src/storage/migrations/migrate.ts";
import { olderVersionNote } from "../../src/storage/migrations/older-version.ts";
import { openStore } from "../../src/storage/store.ts";
import { engines } from "../support/engines.ts";
import { serveProgram } from "../support/process.ts";
import { ask, sandboxKey } from "../support/service.ts";
import { until } from "../support/until.ts";
import { startVendor } from "../support/vendor.ts";

/** Two installed packages: the previous release, and the checked-out version. */
const place = mkdtempSync(join(tmpdir(), "duba-upgrade-"));

function run(folder: string, program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

/** The newest release. Before the first release, the commit before the newest migration. */
function releaseBefore(): string {
  const tags = run(".", "git", "tag", "--list", "v*", "--sort=-version:refname", "--no-contains", "HEAD");
  const [tag] = tags.split("\n");
  if (tag) return tag;
  const file = `src/storage/migrations/${newestMigration.replace(/_since_\d+$/, "")}.ts`;
  return `${run(".", "git", "log", "--diff-filter=A", "--format=%H", "-1", "--", file)}^`;
}

/** Packs a commit as a release is packed, and installs the package. Returns the path of its program. */
function install(commit: string, name: string): string {
  const clone = join(place, `${name}-clone`);
  run(place, "git", "clone", "--quiet", process.cwd(), clone);
  run(clone, "git", "checkout", "--quiet", run(".", "git", "rev-parse", commit));
  run(clone, "npm", "ci", "--no-audit", "--no-fund");
  const [packed] = JSON.parse(run(clone, "npm", "run", "--silent", "package", "--", "--json"));
  const folder = join(place, name);
  mkdirSync(folder);
  run(folder, "npm", "init", "--yes");
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", "--omit=peer"];
  run(folder, "npm", "install", ...quiet, join(clone, packed.filename));
  return join(folder, "node_modules/duba/bin/duba.js");
}

const email = "shop@example.com";
/** Of one verification, in naira. */
const fee = 100;

/** Clients that share an API key. Each verifies one person after another, and repeats a request until an answer. */
class Clients {
  /** The port of the service that answers now. */
  port = 0;
  isOver = false;
  /** The text of the response, by the number of the person. */
  readonly told = new Map<number, string>();
  readonly #credential: string;
  #begun = 0;

  constructor(credential: string) {
    this.#credential = credential;
  }

  async verifyUntilOver(): Promise<void> {
    while (!this.isOver) {
      this.#begun += 1;
      const nth = this.#begun;
      this.told.set(nth, await this.#verified(nth));
    }
  }

  async haveVerified(more: number): Promise<void> {
    const wanted = this.told.size + more;
    await until(() => this.told.size >= wanted, 60_000);
  }

  /** Repeats every request. Each idempotency key must get an identical answer. */
  async askAgain(): Promise<void> {
    for (const [nth, text] of this.told) assert.equal(await this.#verified(nth), text);
  }

  /** The whole answer about the nth person. */
  async #verified(nth: number): Promise<string> {
    for (;;) {
      const answer = await ask(this.port, "/api/v2/kyc/verify-bvn", {
        method: "POST",
        credential: this.#credential,
        body: { bvn: `22${String(nth).padStart(7, "0")}17`, phone: "08000000017", amount: "100" },
        headers: { "Idempotency-Key": `till-${nth}` },
      }).catch((error: NodeJS.ErrnoException) => error.code);
      if (typeof answer === "object" && answer.status === 200) return answer.text;
      // The old service has ended before the new one listens, or a service is about to end.
      const retried = typeof answer === "object" ? answer.json.error.code : answer;
      assert.match(String(retried), /^(ECONNREFUSED|ECONNRESET|shutting_down)$/);
      await pause(20);
    }
  }
}

suite("an upgrade from the release before", () => {
  let [older, newer] = ["", ""];
  before(() => {
    older = install(releaseBefore(), "older");
    newer = install("HEAD", "newer");
  });
  after(() => rmSync(place, { recursive: true, force: true }));

  for (const engine of engines)
    test(`an upgrade and a downgrade on ${engine.name} under load keep each key to one record, call and charge`, async () => {
      await using opened = new AsyncDisposableStack();
      const vendor = await startVendor({ seed: "upgrade", manners: { prompt: 1 }, negatives: 0 });
      opened.defer(() => vendor.stop());
      const { settings, dispose } = await engine.fresh();
      opened.defer(dispose);
      const environment = {
        ...vendor.environment,
        DUBA_DATA: settings.dataDirectory,
        ...(settings.databaseUrl && { DUBA_DATABASE_URL: settings.databaseUrl }),
        DUBA_BOOTSTRAP_KEY: sandboxKey,
        DUBA_LIMITS: "off",
        DUBA_BVN_FEE: String(fee),
      };
      const duba = (program: string, ...args: string[]) =>
        execFileSync(process.execPath, [program, ...args], {
          env: { ...process.env, ...environment },
          encoding: "utf8",
        });
      const start = (program: string) => serveProgram(process.execPath, [program, "serve"], environment);
      const assertBooksAgree = async () => {
        const store = await openStore({ ...settings, serving: false });
        await until(async () => (await olderVersionNote(store.db)) === undefined, 150_000);
        await store.close();
        assert.match(duba(newer, "audit", "reconcile"), /agree/);
      };

      let service = await start(older);
      opened.defer(() => service.end("SIGTERM"));
      duba(older, "accounts", "create", "--name", "Corner Shop", "--email", email);
      const made = duba(older, "keys", "create", "--account", email, "--mode", "live", "--label", "till", "--json");
      const clients = new Clients(JSON.parse(made).key);
      clients.port = service.port;
      const calling = Promise.all(Array.from({ length: 4 }, () => clients.verifyUntilOver()));
      // On PostgreSQL both services run for a while. On SQLite the new service starts after the old one has ended.
      const replaceBy = async (program: string) => {
        await clients.haveVerified(20);
        const leaving = service;
        if (!settings.databaseUrl) await leaving.end("SIGTERM");
        service = await start(program);
        clients.port = service.port;
        await clients.haveVerified(20);
        if (settings.databaseUrl) await leaving.end("SIGTERM");
      };
      await replaceBy(newer);
      await assertBooksAgree();
      await replaceBy(older);
      await replaceBy(newer);
      clients.isOver = true;
      await calling;
      await assertBooksAgree();

      await clients.askAgain();
      const keys = clients.told.size;
      assert.equal((await vendor.calls()).length, keys);
      const { groups } = JSON.parse(duba(newer, "ledger", "summary", "--account", email, "--json"));
      assert.deepEqual(
        groups.map(({ charged, fees }: { charged: number; fees: string }) => [charged, fees]),
        [[keys, String(keys * fee)]],
      );
    });
});
