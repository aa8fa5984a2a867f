import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { openStore } from "../../src/storage/store.ts";
import type { Engine, FreshSettings } from "./engines.ts";
import { PostgresDoor } from "./postgres-door.ts";

/**
 * Returns the forms in which a value may stand in raw bytes: plain, in hex, and in base64 at each of its three
 * alignments.
 */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((lead) => {
    const text = Buffer.concat([Buffer.alloc(lead), bytes])
      .toString("base64")
      .replaceAll("=", "");
    // Cut the edges, whose bits base64 shares with neighbouring bytes.
    return text.slice(lead === 0 ? 0 : lead + 1, -1);
  });
  const hex = bytes.toString("hex");
  return [
    value,
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

export function assertAbsent(where: string, haystack: string | Buffer, canaries: readonly string[]): void {
  for (const canary of canaries)
    for (const form of formsOf(canary)) assert.ok(!haystack.includes(form), `${where} holds "${canary}" as "${form}"`);
}

/** Reads every byte of an SQLite store, or every row of a PostgreSQL one as text. */
export async function bytesOf(settings: FreshSettings): Promise<Buffer> {
  if (settings.databaseUrl === undefined) {
    const files = ["duba.db", "duba.db-wal", "duba.db-shm"].map((name) => join(settings.dataDirectory, name));
    return Buffer.concat(files.filter((file) => existsSync(file)).map((file) => readFileSync(file)));
  }
  const store = await openStore({ ...settings, serving: false });
  try {
    const tables = await store.db.introspection.getTables();
    const texts = await Promise.all(
      tables.map(async ({ name }) => {
        const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(store.db);
        return rows.map(({ row }) => row).join("\n");
      }),
    );
    return Buffer.from(texts.join("\n"));
  } finally {
    await store.close();
  }
}

/**
 * Wraps an engine and records what PostgreSQL receives from then on: statements with their parameters, as it may log
 * them.
 */
export function overheard(engine: Engine): { engine: Engine; heard(): Buffer } {
  const said: (readonly Buffer[])[] = [];
  const behindDoor = (open: Engine["ready"]) => async () => {
    const { settings, dispose } = await open();
    if (settings.databaseUrl === undefined) return { settings, dispose };
    const door = await PostgresDoor.open(settings.databaseUrl);
    said.push(door.listen());
    return {
      settings: { ...settings, databaseUrl: door.url },
      async dispose() {
        await door.close();
        await dispose();
      },
    };
  };
  return {
    engine: { name: engine.name, fresh: behindDoor(engine.fresh), ready: behindDoor(engine.ready) },
    heard: () => Buffer.concat(said.flat()),
  };
}
