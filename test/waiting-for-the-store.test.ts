import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, suite, test } from "node:test";
import pg from "pg";
import { pino } from "pino";
import { readConfig } from "../src/config/read-config.ts";
import { waitForStore } from "../src/serve/wait-for-store.ts";
import { StoreError } from "../src/storage/store.ts";
import { engines, type Fresh } from "./support/engines.ts";
import { freePort } from "./support/free-port.ts";
import { PostgresDoor } from "./support/postgres-door.ts";
import { nodeEnvironment } from "./support/process.ts";
import { ask } from "./support/service.ts";
import { until } from "./support/until.ts";

const postgres = engines.find(({ name }) => name === "postgres")!;
const bundles = "/api/v2/internet/data/lookup?provider=MTNDATA";

suite("a start before its PostgreSQL is there", () => {
  let place: Fresh;
  let door: PostgresDoor;
  let url: string;
  const running = new Set<ChildProcess>();

  before(async () => {
    place = await postgres.ready();
    url = place.settings.databaseUrl!;
    door = await PostgresDoor.open(url);
  });
  after(async () => {
    for (const child of running) child.kill("SIGKILL");
    await door.become("open");
    await door.close();
    await place.dispose();
  });

  async function start(settings: Record<string, string> = {}) {
    const port = await freePort();
    const own = { HOST: "127.0.0.1", PORT: String(port), DUBA_DATA: place.settings.dataDirectory };
    const env = { ...nodeEnvironment, ...own, DUBA_DATABASE_URL: door.url, ...settings };
    const child = spawn(process.execPath, ["src/main.ts", "serve"], { env });
    running.add(child);
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        text += chunk;
      });
    const ended = once(child, "close").then(([code]) => {
      running.delete(child);
      return code as number | null;
    });
    const end = () => {
      child.kill("SIGTERM");
      return ended;
    };
    return { port, written: () => text, ended, end };
  }

  for (const workers of ["", "2"])
    test(`a start without a store is alive but not ready, and serves once the store is there${workers && " (DUBA_WORKERS)"}`, async () => {
      await door.become("refuse");
      const service = await start({ DUBA_WORKERS: workers });
      const { port, written } = service;
      await until(() => /"msg":"waits for the store"/.test(written()));
      assert.match(written(), /"seconds_left":\d+,"reason":"PostgreSQL at \S+ cannot be reached \(ECONNREFUSED\)/);
      assert.equal((await ask(port, "/healthz", { credential: false })).status, 200);
      const { status, json } = await ask(port, "/readyz", { credential: false });
      assert.deepEqual([status, json], [503, { status: "not ready", reason: "waits for the store" }]);
      const refused = await ask(port, bundles, { credential: false });
      assert.deepEqual([refused.status, refused.headers["retry-after"]], [503, "2"]);
      assert.equal(refused.json.error.code, "shutting_down");
      assert.deepEqual(refused.json.data.data, []);
      await door.become("open");
      await until(() => /"msg":"ready"/.test(written()));
      assert.equal((await ask(port, "/readyz", { credential: false })).status, 200);
      assert.equal((await ask(port, bundles, { credential: false })).status, 200);
      assert.equal(await service.end(), 0);
    });

  test("a start that waits too long for the store ends with a sentence", async () => {
    for (const [manner, reason] of [
      ["refuse", /PostgreSQL at \S+ cannot be reached \(ECONNREFUSED\): check that it runs/],
      ["holdRequests", /PostgreSQL gives no answer: check that it runs/],
    ] as const) {
      await door.become(manner);
      const config = readConfig({ PORT: "0", DUBA_DATABASE_URL: door.url });
      await assert.rejects(
        waitForStore({ ...config, startTimeout: 1000 }, pino({ enabled: false })),
        (error: Error) => {
          assert.match(error.message, /^The store was not there within 1 s\. /);
          assert.match(error.message, reason);
          return error instanceof StoreError;
        },
      );
      await door.become("open");
    }
  });

  test("a start that waits for the store ends with 0 on SIGTERM", async () => {
    await door.become("refuse");
    const service = await start();
    await until(() => /"msg":"waits for the store"/.test(service.written()));
    assert.equal(await service.end(), 0);
    await door.become("open");
  });

  test("a start waits for a read-only server to accept writes", async () => {
    const { pathname } = new URL(url);
    const set = async (way: string) => {
      const client = new pg.Client({ connectionString: url, options: "-c default_transaction_read_only=off" });
      await client.connect();
      await client.query(`alter database "${pathname.slice(1)}" ${way}`);
      await client.end();
    };
    await set("set default_transaction_read_only = on");
    const service = await start();
    await until(() => /"msg":"waits for the store"/.test(service.written()));
    assert.match(service.written(), /takes no writes/);
    await set("reset default_transaction_read_only");
    await until(() => /"msg":"ready"/.test(service.written()));
    assert.equal(await service.end(), 0);
  });

  test("a start waits while PostgreSQL has no database yet", async () => {
    const { pathname } = new URL(url);
    const server = new URL(url);
    server.pathname = "/postgres";
    const rename = async (from: string, to: string) => {
      const client = new pg.Client({ connectionString: server.href });
      await client.connect();
      await client.query(`alter database "${from}" rename to "${to}"`);
      await client.end();
    };
    const name = pathname.slice(1);
    await door.become("refuse");
    const service = await start();
    await until(() => /"msg":"waits for the store"/.test(service.written()));
    await rename(name, `${name}_later`);
    await door.become("open");
    await until(() => service.written().includes(`has no database ${name}`));
    await rename(`${name}_later`, name);
    await until(() => /"msg":"ready"/.test(service.written()));
    assert.equal(await service.end(), 0);
  });

  test("a start ends at once if a wait for the store cannot help", async () => {
    const otherDatabase = new URL(url);
    otherDatabase.pathname = "/no_such_database";
    const stranger = new URL(url);
    stranger.username = "no_such_user";
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query("select hash from baseline");
    try {
      for (const [databaseUrl, sentence] of [
        [otherDatabase.href, /has no database no_such_database: create it/],
        [stranger.href, /refuses the user no_such_user/],
        [url, /made by an earlier version of Duba/],
      ] as const) {
        if (databaseUrl === url) await client.query("update baseline set hash = 'earlier'");
        const service = await start({ DUBA_DATABASE_URL: databaseUrl });
        assert.equal(await service.ended, 1);
        assert.match(service.written(), sentence);
        assert.doesNotMatch(service.written(), /waits for the store|was not there/);
      }
    } finally {
      await client.query("update baseline set hash = $1", [rows[0].hash]);
      await client.end();
    }
  });
});
