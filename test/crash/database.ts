import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";

/** A PostgreSQL of our own, which may be crashed. */
export interface OwnDatabase {
  url: string;
  /**
   * Kills one process of PostgreSQL. The server then ends all other processes, as at an immediate restart, and recovers
   * from its log. Resolves when the server takes connections again.
   */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL in a temporary folder. Rejects with a sentence on a machine that cannot do so. */
export async function startOwnDatabase(): Promise<OwnDatabase> {
  const keeper = spawn(process.execPath, [fileURLToPath(new URL("../support/postgres-keeper.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
    // This process handles Ctrl-C; the keeper ends when its standard input ends.
    detached: true,
  });
  const ended = once(keeper, "exit");
  const [url] = (await once(createInterface({ input: keeper.stdout }), "line")) as [string];
  if (!url.startsWith("postgres://")) throw new Error(`PostgreSQL did not start: ${url}`);
  return {
    url,
    async crash() {
      const client = await connected(url);
      const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
      const gone = new Promise((resolve) => client.once("end", resolve));
      process.kill(rows[0]!.pid, "SIGKILL");
      await gone;
      await (await untilConnected(url)).end();
    },
    async stop() {
      keeper.stdin.end();
      await ended;
    },
  };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function untilConnected(url: string): Promise<pg.Client> {
  for (;;) {
    try {
      return await connected(url);
    } catch {
      await pause(20);
    }
  }
}
