import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { nodeEnvironment, serveInProcess } from "../support/process.ts";
import { verifyAt } from "../support/service.ts";
import { until } from "../support/until.ts";
import { findTool, freePorts, identity, isOpen, ownFolder, type Running, running, type Tool } from "./tools.ts";

const bootstrap = "a-known-sandbox-key-for-recovery";
const stanza = "duba";

/** A PostgreSQL whose log pgBackRest archives, as RUNBOOK.md describes. */
class Archived implements AsyncDisposable {
  readonly url: string;
  readonly #folder = ownFolder("pgbackrest");
  readonly #settings = join(this.#folder.path, "pgbackrest.conf");
  readonly #data = join(this.#folder.path, "data");
  readonly #port: number;
  #server: Running | undefined;

  constructor(port: number) {
    this.#port = port;
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    const { path } = this.#folder;
    writeFileSync(
      this.#settings,
      `[global]
repo1-path=${join(path, "repository")}
repo1-retention-full=2
log-path=${path}
lock-path=${path}
spool-path=${path}
start-fast=y

[${stanza}]
pg1-path=${this.#data}
pg1-port=${port}
pg1-socket-path=${path}
pg1-user=postgres
`,
    );
    this.#run("initdb", `--pgdata=${this.#data}`, "--username=postgres", "--auth=trust", "--encoding=UTF8");
  }

  async start(): Promise<void> {
    const archive = `${findTool("pgbackrest")} --config=${this.#settings} --stanza=${stanza} archive-push %p`;
    const settings = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: this.#folder.path,
      wal_level: "replica",
      archive_mode: "on",
      archive_command: archive,
      recovery_target_action: "promote",
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const words = ["-D", this.#data, "-p", String(this.#port), ...options];
    this.#server = running(findTool("postgres")!, words, this.#folder.path);
    await until(() => isOpen(this.#port));
    // Waits until PostgreSQL has replayed the log up to the requested time.
    await until(async () => (await this.ask("select pg_is_in_recovery() as it").catch(() => true)) === false);
  }

  async stop(): Promise<void> {
    await this.#server?.end("SIGINT");
  }

  /** Runs a command of pgBackRest. */
  backRest(command: string, ...options: string[]): void {
    this.#run("pgbackrest", `--config=${this.#settings}`, `--stanza=${stanza}`, ...options, command);
  }

  async ask(statement: string): Promise<unknown> {
    const client = new pg.Client({ connectionString: this.url });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query(statement)).rows[0]?.it;
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#folder.remove();
  }

  #run(tool: Tool, ...words: string[]): void {
    const env = { PATH: process.env.PATH, LC_ALL: "C.UTF-8" };
    const options = { ...identity, cwd: this.#folder.path, env, encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync(findTool(tool)!, words, options);
    assert.equal(status, 0, `${tool} ${words.join(" ")}: ${stdout}${stderr}`);
  }
}

/** Restores the store to a moment before somebody emptied the ledger. Returns measurements. */
export async function pointInTimeTrial(): Promise<object> {
  const [port] = (await freePorts(1)) as [number];
  await using database = new Archived(port);
  const folder = ownFolder("recovery");
  const environment = {
    DUBA_DATABASE_URL: database.url,
    DUBA_DATA: folder.path,
    DUBA_KEYRING: join(folder.path, "keyring"),
    DUBA_BOOTSTRAP_KEY: bootstrap,
    DUBA_LIMITS: "off",
  };
  const duba = (...argv: string[]) => {
    const env = { ...nodeEnvironment, ...environment };
    const { status, stdout, stderr } = spawnSync(process.execPath, ["src/main.ts", ...argv], { env, encoding: "utf8" });
    assert.equal(status, 0, `duba ${argv.join(" ")}: ${stdout}${stderr}`);
    return stdout;
  };
  const verify = async (service: { port: number }, from: number, to: number) => {
    for (let n = from; n < to; n += 1) {
      const { status, text } = await verifyAt(service.port, { credential: bootstrap, key: `order-${n}` });
      assert.equal(status, 200, text);
    }
  };
  try {
    await database.start();
    database.backRest("stanza-create");
    const before = await serveInProcess(environment);
    await verify(before, 0, 20);
    database.backRest("backup", "--type=full");
    await verify(before, 20, 40);
    const moment = String(await database.ask("select clock_timestamp()::text as it"));
    await verify(before, 40, 50);
    await before.end("SIGTERM");
    await database.ask("truncate verification, verification_attempt");
    await database.ask("select pg_switch_wal()");
    await database.stop();

    const begun = performance.now();
    database.backRest("restore", "--delta", "--type=time", `--target=${moment}`, "--target-action=promote");
    await database.start();
    // The anchor is a copy of a seal from after that moment.
    rmSync(join(folder.path, "keyring.anchor"));
    const after = await serveInProcess(environment);
    const seconds = (performance.now() - begun) / 1000;
    try {
      assert.equal(Number(await database.ask("select count(*) as it from verification")), 40);
      const again = await verifyAt(after.port, { credential: bootstrap, key: "order-39" });
      assert.deepEqual([again.status, again.headers["idempotency-replayed"]], [200, "true"], again.text);
      const forgotten = await verifyAt(after.port, { credential: bootstrap, key: "order-49" });
      assert.deepEqual([forgotten.status, forgotten.headers["idempotency-replayed"]], [200, undefined], forgotten.text);
      await until(() => duba("audit", "reconcile") !== "");
      duba("audit", "verify");
      return { "restored to a moment and ready, s": Number(seconds.toFixed(1)), verifications: 40 };
    } finally {
      await after.end("SIGTERM");
    }
  } finally {
    folder.remove();
  }
}
