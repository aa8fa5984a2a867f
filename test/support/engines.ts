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
  /** Removes the folder and the database, whoever is still connected. */
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

async function freshPostgres(): Promise<Fresh> {
  server ??= withPostgres();
  const { url } = await server;
  const name = `duba_test_${randomBytes(8).toString("hex")}`;
  await administer(url, `create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  const { dataDirectory, remove } = freshDirectory();
  return {
    settings: { dataDirectory, databaseUrl: own.href },
    async dispose() {
      remove();
      await administer(url, `drop database if exists ${name} with (force)`);
    },
  };
}

/** Every engine that Duba runs on: a test that touches the store runs once on each. */
export const engines: readonly Engine[] = [
  { name: "sqlite", fresh: freshSqlite },
  { name: "postgres", fresh: freshPostgres },
];
