import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { engines, type Fresh } from "../../test/support/engines.ts";
import { openStore, type Store, StoreError } from "./store.ts";

const usual = { suspended_at: null, address: null, tax_number: null, fees: "{}", answers: "full", terms: "{}" };

async function refusal(opening: Promise<Store>): Promise<string> {
  const error = await opening.then(
    async (store) => {
      await store.close();
      return assert.fail("the store opened");
    },
    (error: unknown) => error,
  );
  assert.ok(error instanceof StoreError, String(error));
  assert.equal(error.exitCode, 1);
  assert.match(error.message, /^[^\n]+\.$/, "one sentence, no stack");
  return error.message;
}

async function withFresh(fresh: () => Promise<Fresh>, use: (settings: Fresh["settings"]) => Promise<void>) {
  const { settings, dispose } = await fresh();
  try {
    await use(settings);
  } finally {
    await dispose();
  }
}

for (const { name, fresh } of engines) {
  suite(`a store on ${name}`, { concurrency: true }, () => {
    test("a new store has its tables and change counters, and keeps written rows", () =>
      withFresh(fresh, async (settings) => {
        const first = await openStore({ ...settings, serving: true, starting: true });
        assert.equal(first.engine, name);
        await first.db
          .insertInto("account")
          .values({ id: "a", name: "Ada", email: "ada@example.com", created_at: 1_700_000_000_123, ...usual })
          .execute();
        await first.close();

        const second = await openStore({ ...settings, serving: true, starting: true });
        assert.deepEqual(await second.db.selectFrom("account").selectAll().execute(), [
          { id: "a", name: "Ada", email: "ada@example.com", created_at: 1_700_000_000_123, ...usual },
        ]);
        assert.deepEqual(await second.db.selectFrom("change_counter").selectAll().orderBy("name").execute(), [
          { name: "access", number: 0 },
          { name: "catalogue", number: 0 },
          { name: "event", number: 0 },
          { name: "routes", number: 0 },
        ]);
        const { total } = await second.db
          .selectFrom("account")
          .select((it) => it.fn.sum<number>("created_at").as("total"))
          .executeTakeFirstOrThrow();
        assert.equal(total, 1_700_000_000_123, "sums are numbers");
        await second.close();
      }));

    test("several processes can start on a new store at once", () =>
      withFresh(fresh, async (settings) => {
        const stores = await Promise.all([1, 2, 3, 4].map(() => openStore({ ...settings, serving: false })));
        for (const store of stores) {
          assert.equal((await store.db.selectFrom("change_counter").selectAll().execute()).length, 4);
        }
        await Promise.all(stores.map((store) => store.close()));
      }));

    test("a database of a newer version is refused", () =>
      withFresh(fresh, async (settings) => {
        const store = await openStore({ ...settings, serving: false });
        await sql`insert into kysely_migration (name, timestamp) values ('9999_later', '2999-01-01T00:00:00.000Z')`.execute(
          store.db,
        );
        await store.close();
        assert.match(await refusal(openStore({ ...settings, serving: false })), /newer version.*9999_later/);
      }));

    test("a killed process loses no acknowledged row", () =>
      withFresh(fresh, async (settings) => {
        const script = fileURLToPath(new URL("../../test/support/acknowledged-writer.ts", import.meta.url));
        const child = spawn(
          process.execPath,
          [script, JSON.stringify({ ...settings, serving: true, starting: true })],
          {
            stdio: ["ignore", "pipe", "inherit"],
          },
        );
        const exited = once(child, "exit");
        const acknowledged: string[] = [];
        for await (const line of createInterface({ input: child.stdout })) {
          acknowledged.push(line);
          if (acknowledged.length === 400) child.kill("SIGKILL");
        }
        assert.deepEqual(await exited, [null, "SIGKILL"]);
        // The kill may have cut off the last line.
        acknowledged.pop();

        const store = await openStore({ ...settings, serving: true, starting: true });
        const rows = await store.db.selectFrom("fact").select("name").execute();
        await store.close();
        const kept = new Set(rows.map((row) => row.name));
        assert.deepEqual(
          acknowledged.filter((row) => !kept.has(row)),
          [],
        );
      }));
  });
}

suite("a store on sqlite refuses", { concurrency: true }, () => {
  const sqlite = engines[0]!;

  test("sqlite refuses a directory that another process serves from, until that process closes it", () =>
    withFresh(sqlite.fresh, async (settings) => {
      const serving = await openStore({ ...settings, serving: true, starting: true });
      assert.match(await refusal(openStore({ ...settings, serving: true, starting: true })), /Another process serves/);
      const beside = await openStore({ ...settings, serving: false });
      await beside.close();
      await serving.close();
      const next = await openStore({ ...settings, serving: true, starting: true });
      await next.close();
    }));

  test("sqlite refuses a directory that cannot be created", () =>
    withFresh(sqlite.fresh, async ({ dataDirectory }) => {
      const file = join(dataDirectory, "file");
      writeFileSync(file, "");
      assert.match(
        await refusal(openStore({ dataDirectory: join(file, "data"), serving: true, starting: true })),
        /cannot be written/,
      );
    }));

  test("sqlite refuses a directory below /proc without hanging", { skip: process.platform !== "linux" }, async () => {
    const dataDirectory = "/proc/duba/data";
    assert.match(
      await refusal(openStore({ dataDirectory, serving: true, starting: true })),
      /\/proc\/duba\/data cannot be written \(ENOENT\)/,
    );
  });

  test("sqlite refuses a file that is not a database, and releases the directory", () =>
    withFresh(sqlite.fresh, async (settings) => {
      writeFileSync(
        join(settings.dataDirectory, "duba.db"),
        "a note to myself, of more than a hundred bytes ".repeat(9),
      );
      assert.match(await refusal(openStore({ ...settings, serving: true, starting: true })), /not a database/);
      assert.match(await refusal(openStore({ ...settings, serving: true, starting: true })), /not a database/);
    }));

  test("sqlite refuses a database file that is a directory", () =>
    withFresh(sqlite.fresh, async (settings) => {
      mkdirSync(join(settings.dataDirectory, "duba.db"));
      await refusal(openStore({ ...settings, serving: false }));
    }));

  test("other users cannot read a store on SQLite", { skip: process.platform === "win32" }, () =>
    withFresh(sqlite.fresh, async (settings) => {
      const dataDirectory = join(settings.dataDirectory, "made");
      const store = await openStore({ dataDirectory, serving: true, starting: true });
      await store.db.insertInto("fact").values({ name: "a", value: "b", created_at: 0 }).execute();
      assert.equal(statSync(dataDirectory).mode & 0o777, 0o700);
      for (const file of ["duba.db", "duba.db-wal", "duba.db-shm", "duba.lock"]) {
        assert.equal(statSync(join(dataDirectory, file)).mode & 0o777, 0o600, file);
      }
      await store.close();
    }),
  );
});

suite("a store on postgres", () => {
  const postgres = engines[1]!;
  const password = "s3cret-of-the-operator";

  async function refused(url: URL): Promise<string> {
    url.password = password;
    const message = await refusal(
      openStore({ dataDirectory: "/nonexistent", databaseUrl: url.href, serving: true, starting: true }),
    );
    assert.ok(!message.includes(password));
    return message;
  }

  test("an unreachable PostgreSQL, an unknown user, a missing database and a malformed URL are refused", () =>
    withFresh(postgres.fresh, async ({ databaseUrl }) => {
      const given = () => new URL(databaseUrl!);
      assert.match(await refused(Object.assign(given(), { port: "1" })), /cannot be reached/);
      assert.match(await refused(Object.assign(given(), { pathname: "/duba_nowhere" })), /no database duba_nowhere/);
      assert.match(await refused(Object.assign(given(), { username: "duba_nobody" })), /refuses the user duba_nobody/);
      const wrong = openStore({
        dataDirectory: "/nonexistent",
        databaseUrl: `mysql://a:${password}@b/c`,
        serving: true,
      });
      assert.ok(!(await refusal(wrong)).includes(password));
    }));

  test("a store on PostgreSQL survives dropped connections, idle ones and ones in a transaction", () =>
    withFresh(postgres.fresh, async (settings) => {
      const store = await openStore({ ...settings, serving: true, starting: true });
      const other = await openStore({ ...settings, serving: true, starting: true });
      const dropOthers = () =>
        sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`.execute(other.db);

      await assert.rejects(
        store.db.transaction().execute(async (transaction) => {
          await transaction.updateTable("change_counter").set({ number: 7 }).execute();
          await dropOthers();
          await transaction.selectFrom("change_counter").selectAll().execute();
        }),
      );
      await store.db.selectFrom("change_counter").selectAll().execute();
      await dropOthers();
      // The first statement may still use the dropped connection.
      await store.db
        .selectFrom("change_counter")
        .execute()
        .catch(() => undefined);
      const rows = await store.db.selectFrom("change_counter").select("number").execute();
      assert.deepEqual(rows, [{ number: 0 }, { number: 0 }, { number: 0 }, { number: 0 }]);
      await store.close();
      await other.close();
    }));
});
