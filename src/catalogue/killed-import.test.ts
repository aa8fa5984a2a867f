import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { openTerminal } from "../../test/support/catalogue-terminal.ts";
import { engines } from "../../test/support/engines.ts";
import { nodeEnvironment } from "../../test/support/process.ts";
import { until } from "../../test/support/until.ts";
import { openStore } from "../storage/store.ts";
import type { Db } from "../storage/tables.ts";

for (const engine of engines)
  suite(`an import that is killed while it writes, on ${engine.name}`, () => {
    test("a killed import leaves nothing behind that would hinder the next one", async () => {
      const terminal = await openTerminal(engine);
      const { DUBA_DATA, DUBA_DATABASE_URL } = terminal.environment;
      const store = await openStore({ dataDirectory: DUBA_DATA!, databaseUrl: DUBA_DATABASE_URL, serving: false });
      const { db } = store;
      const file = engine.name === "sqlite" ? new DatabaseSync(join(DUBA_DATA!, "duba.db"), { timeout: 0 }) : undefined;
      const isWriting = async () => {
        if (file) return isLocked(file);
        const writing = sql`select 1 from pg_stat_activity where datname = current_database() and backend_xid is not null`;
        return (await writing.execute(db)).rows.length > 0;
      };
      const rows = async () => [
        await db.selectFrom("catalogue_draft").select("id").execute(),
        await db.selectFrom("catalogue_document").select("revision").where("revision", ">", 1).execute(),
      ];
      try {
        const exported = async () => (await terminal.duba("catalogue", "export", "--list", "corporate-bundles")).out;
        const [heading, ...entries] = (await exported()).trimEnd().split(/\r?\n/);
        // Clients see every second entry.
        const stocked = entries.map((entry, at) => `${entry},1${at + 10},${at % 2 === 0 ? "no" : "yes"}`);
        const supplied = `${heading},cost,available\n`;
        const old = terminal.write("corporate-bundles.csv", `${supplied}${stocked.join("\n")}\n`);
        assert.match((await terminal.duba("catalogue", "import", old)).out, /Revision 2 is published/);
        const before = await exported();
        const changed = stocked.slice(1).map((entry, at) => entry.replace(/\d+,(?=yes|no)/, `1${at + 12},`));
        const after = `${supplied}one,One,7,no\n${changed.join("\n")}\n`;
        const list = terminal.write("corporate-bundles.csv", after);
        const release = await (file ? slowed(db) : stopped(db));
        const child = spawn(process.execPath, ["src/main.ts", "catalogue", "import", list], {
          env: { ...nodeEnvironment, ...terminal.environment },
          stdio: "ignore",
        });
        const ended = once(child, "exit");
        await until(isWriting);
        child.kill("SIGKILL");
        assert.deepEqual(await ended, [null, "SIGKILL"]);
        await release();
        assert.deepEqual(await rows(), [[{ id: 1 }, { id: 2 }], [{ revision: 2 }]]);
        assert.equal(await exported(), before);

        assert.match(
          (await terminal.duba("catalogue", "import", list)).out,
          /Revision 3 is published: 1 entry added, /,
        );
        assert.equal(await exported(), after);
      } finally {
        file?.close();
        await store.close();
        await terminal.close();
      }
    });
  });

/** Makes writing a revision take a minute, until the returned function is called. */
async function slowed(db: Db): Promise<() => Promise<void>> {
  const count = sql`with recursive n(x) as (select 1 union all select x + 1 from n where x < 1e9) select max(x) from n`;
  await sql`create view slow as ${count}`.execute(db);
  await sql`create trigger slowly after insert on catalogue_document begin select * from slow; end`.execute(db);
  return async () => {
    await sql`drop trigger slowly`.execute(db);
    await sql`drop view slow`.execute(db);
  };
}

/** Keeps every revision from being written completely, until the returned function is called. */
async function stopped(db: Db): Promise<() => Promise<void>> {
  const transaction = await db.startTransaction().execute();
  await sql`lock table audit_entry in exclusive mode`.execute(transaction);
  return () => transaction.rollback().execute();
}

function isLocked(file: DatabaseSync): boolean {
  try {
    file.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch {
    return true;
  }
}
