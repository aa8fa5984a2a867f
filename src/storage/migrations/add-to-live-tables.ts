import { setTimeout as pause } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { codeOf, StoreError } from "../errors.ts";
import { runUntimed } from "../postgres/own-session.ts";
import type { Tables } from "../tables.ts";

export interface Migration {
  /**
   * Creates tables and adds columns in a short transaction. Must not read or write rows of existing tables, or index
   * them.
   */
  tables?: (db: Kysely<Tables>) => Promise<void>;
  /** Indexes of old tables, such as `index top_up_by_time on top_up (at)`. */
  indexes?: readonly string[];
}

/** Longest time that other statements wait behind ours, in milliseconds. A serving process gives up after 700. */
const longestLock = 200;
const pauseBetween = 300;

/** Time after which we give up on a table that stays locked, in milliseconds. */
const longestWait = 10 * 60_000;

/** PostgreSQL's codes for a lock time-out, a deadlock, and two sessions that create the same table. */
const heldBack = new Set(["55P03", "40P01", "23505", "42P07"]);

/**
 * Migrates PostgreSQL while other processes serve. A table change needs a lock, and all later statements queue behind
 * its wait; so each wait is short, and is repeated. Indexes are created concurrently. Every step can be repeated after
 * a kill; `note` records the migration as done. Throws `StoreError` if a table stays locked.
 */
export async function addToLiveTables(
  { db, url }: { db: Kysely<Tables>; url: string },
  { tables, indexes = [] }: Migration,
  note: () => Promise<void>,
): Promise<void> {
  if (tables) await changeTables(db, tables);
  for (const index of indexes) await makeIndex(db, url, index);
  await note();
}

async function changeTables(db: Kysely<Tables>, change: (db: Kysely<Tables>) => Promise<void>): Promise<void> {
  const until = performance.now() + longestWait;
  for (;;) {
    try {
      await db.transaction().execute(async (trx) => {
        await sql`set local lock_timeout = ${sql.lit(longestLock)}`.execute(trx);
        await change(trx);
      });
      return;
    } catch (error) {
      if (!heldBack.has(codeOf(error) ?? "")) throw error;
      if (performance.now() > until)
        throw new StoreError(
          "A transaction has held a table of the store for ten minutes, so it cannot be changed: " +
            "end that transaction (see pg_stat_activity) and start again.",
          { cause: error },
        );
    }
    await pause(pauseBetween);
  }
}

/**
 * Creates an index unless a valid one exists. A killed process can leave an invalid index, or a server that still
 * builds it.
 */
async function makeIndex(db: Kysely<Tables>, url: string, definition: string): Promise<void> {
  const [, unique = "", name, rest] = /^(unique )?index (\w+) (.*)$/s.exec(definition)!;
  for (;;) {
    const state = await indexState(db, name!);
    if (state === "valid") return;
    if (state === "being made") await pause(pauseBetween);
    else if (state === "broken") await runAgainst(url, `drop index concurrently if exists ${name}`);
    else await runAgainst(url, `create ${unique}index concurrently if not exists ${name} ${rest}`);
  }
}

/**
 * Two sessions that build indexes on one table wait for each other: the server ends one of them, and the other
 * continues.
 */
async function runAgainst(url: string, statement: string): Promise<void> {
  await runUntimed(url, statement).catch((error: unknown) => {
    if (!heldBack.has(codeOf(error) ?? "")) throw error;
  });
}

async function indexState(db: Kysely<Tables>, name: string): Promise<"missing" | "being made" | "broken" | "valid"> {
  const { rows } = await sql<{ valid: boolean; made: boolean }>`
    select indisvalid as valid,
        exists (select from pg_stat_progress_create_index where index_relid = indexrelid) as made
      from pg_index where indexrelid = to_regclass(${name})`.execute(db);
  const [found] = rows;
  if (!found) return "missing";
  if (found.valid) return "valid";
  return found.made ? "being made" : "broken";
}
