import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { sql } from "kysely";
import { openSqlite } from "../sqlite/dialect.ts";
import { commandTimeouts } from "../timeouts.ts";
import { baselineHash, makeBaseline } from "./0001_baseline.ts";
import { outcomeSums } from "./0002_outcome_sums.ts";
import { foundAgain } from "./0003_found_again.ts";
import { stateSums } from "./0004_state_sums.ts";
import type { Migration } from "./add-to-live-tables.ts";

/** A hash of the tables and indexes of each released migration. */
const released: [migration: Migration, hash: string][] = [
  [{ tables: makeBaseline }, "68a6b5a7623143f1"],
  [outcomeSums, "018983355ae1bcd3"],
  [foundAgain, "2cb64f45b8244ef2"],
  [stateSums, "0ff764e7692090d9"],
];

test("a released migration creates the same tables as when it was released", async () => {
  const { db, close } = await openSqlite(":memory:", commandTimeouts);
  const made: string[] = [];
  for (const [{ tables, indexes = [] }] of released) {
    await tables?.(db);
    const { rows } = await sql<{
      sql: string;
    }>`select sql from sqlite_master where sql is not null order by name`.execute(db);
    const text = [...rows.map(({ sql }) => sql), ...indexes].join("\n");
    made.push(createHash("sha256").update(text).digest("hex").slice(0, 16));
  }
  await close();
  assert.deepEqual(
    made,
    released.map(([, hash]) => hash),
  );
  assert.equal(baselineHash, "9ce894b28975b460");
});
