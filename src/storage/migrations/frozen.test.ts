import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { sql } from "kysely";
import { openSqlite } from "../sqlite/dialect.ts";
import { commandTimeouts } from "../timeouts.ts";
import { baselineHash, makeBaseline } from "./0001_baseline.ts";

test("0001 makes the tables that it always made: stores have them, so a change is a migration of its own", async () => {
  const { db, close } = await openSqlite(":memory:", commandTimeouts);
  await makeBaseline(db);
  const { rows } = await sql<{
    sql: string;
  }>`select sql from sqlite_master where sql is not null order by name`.execute(db);
  await close();
  const made = createHash("sha256")
    .update(rows.map(({ sql }) => sql).join("\n"))
    .digest("hex")
    .slice(0, 16);
  assert.deepEqual([made, baselineHash], ["68a6b5a7623143f1", "9ce894b28975b460"]);
});
