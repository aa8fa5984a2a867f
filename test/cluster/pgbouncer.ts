import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { crash } from "../crash/rounds.ts";
import { type Engine, engines, type Fresh } from "../support/engines.ts";
import { until } from "../support/until.ts";
import { journeys } from "./journeys.ts";
import { findTool, freePorts, isOpen, ownFolder, running } from "./tools.ts";

/** Few sessions, so that callers change sessions all the time. */
const sessions = 4;

interface PgBouncer extends AsyncDisposable {
  /** PostgreSQL, reached through PgBouncer. */
  readonly engine: Engine;
}

/** Starts PgBouncer in transaction mode before the tests' PostgreSQL. */
async function startPgBouncer(): Promise<PgBouncer> {
  const postgres = engines.find(({ name }) => name === "postgres")!;
  const probe = await postgres.fresh();
  const server = new URL(probe.settings.databaseUrl!);
  await probe.dispose();
  const folder = ownFolder("pgbouncer");
  const [port] = (await freePorts(1)) as [number];
  const settings = join(folder.path, "pgbouncer.ini");
  writeFileSync(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port || 5432} user=${server.username}${server.password ? ` password=${server.password}` : ""}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 500
`,
  );
  const bouncer = running(findTool("pgbouncer")!, [settings], folder.path);
  await until(() => isOpen(port));
  return {
    engine: {
      name: "postgres",
      fresh: async () => through(await postgres.fresh(), port),
      ready: async () => through(await postgres.ready(), port),
    },
    async [Symbol.asyncDispose]() {
      await bouncer.end("SIGINT");
      folder.remove();
    },
  };
}

function through({ settings, dispose }: Fresh, port: number): Fresh {
  const url = new URL(settings.databaseUrl!);
  url.host = `127.0.0.1:${port}`;
  return { settings: { ...settings, databaseUrl: url.href }, dispose };
}

export async function pgbouncerTrial({ rounds }: { rounds: number }): Promise<object> {
  await using bouncer = await startPgBouncer();
  const journey = await journeys(bouncer.engine);
  const { kills, vendorCalls, verified } = await crash({
    engine: bouncer.engine,
    vendor: "peer",
    rounds,
    seed: "pooled",
  });
  return { ...journey, rounds, kills, vendorCalls, verified };
}
