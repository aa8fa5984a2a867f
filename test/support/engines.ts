import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type PostgresServer, withPostgres } from "./postgres.ts";

/** Settings of a store that nobody used before, as `openStore` takes them. */
export interface FreshSettings {
  readonly dataDirectory: string;
  readonly databaseUrl?: string;
}

export interface Fresh {
  readonly settings: FreshSettings;
  /** Removes the folder and empties the database, whoever is still connected. */
  dispose(): Promise<void>;
}

export interface Engine {
  readonly name: "sqlite" | "postgres";
  fresh(): Promise<Fresh>;
}

function freshDirectory(): { dataDirectory: string; remove(): void } {
  const dataDirectory = mkdtempSync(join(tmpdir(), "duba-test-"));
  return { dataDirectory, remove: () => rmSync(dataDirectory, { recursive: true, force: true }) };
}

async function freshSqlite(): Promise<Fresh> {
  const { dataDirectory, remove } = freshDirectory();
  return { settings: { dataDirectory }, dispose: async () => remove() };
}

let server: Promise<PostgresServer> | undefined;

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Databases that a test is done with, empty again: to make one takes half a second under load. */
const idle: string[] = [];

/** Named by a runner that drops the databases in the end: else there is nobody to leave one to. */
const run = process.env.DUBA_TEST_RUN;

/** Drops what the tests of a run left. */
export async function dropDatabases(url: string, run: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>(
      "select datname from pg_database where starts_with(datname, $1)",
      [`duba_test_${run}_`],
    );
    for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`);
  } finally {
    await client.end();
  }
}

async function newDatabase(url: string): Promise<string> {
  const name = `duba_test_${run ?? "alone"}_${randomBytes(8).toString("hex")}`;
  await administer(url, `create database ${name}`);
  return name;
}

/** Ends every connection to it, and leaves it as it was made. */
async function empty(url: string, name: string): Promise<void> {
  await administer(url, `alter database ${name} reset all`);
  await administer(
    urlOf(url, name),
    `do $$ begin
      perform pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid();
      execute (
        select string_agg(format('drop schema %I cascade;', nspname), '') from pg_namespace
        where nspname !~ '^pg_' and nspname <> 'information_schema'
      ) || 'create schema public';
    end $$`,
  );
}

function urlOf(server: string, database: string): string {
  const own = new URL(server);
  own.pathname = `/${database}`;
  return own.href;
}

async function freshPostgres(): Promise<Fresh> {
  server ??= withPostgres();
  const { url } = await server;
  const name = idle.pop() ?? (await newDatabase(url));
  const { dataDirectory, remove } = freshDirectory();
  let isDisposed = false;
  return {
    settings: { dataDirectory, databaseUrl: urlOf(url, name) },
    async dispose() {
      if (isDisposed) return;
      isDisposed = true;
      remove();
      if (run === undefined) return administer(url, `drop database ${name} with (force)`);
      await empty(url, name);
      idle.push(name);
    },
  };
}

/** Every engine that Duba runs on: a test that touches the store runs once on each. */
export const engines: readonly Engine[] = [
  { name: "sqlite", fresh: freshSqlite },
  { name: "postgres", fresh: freshPostgres },
];
