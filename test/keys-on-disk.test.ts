import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { eraseSubject } from "../src/features/data-subjects/subjects.ts";
import { rewrap } from "../src/features/key-rotation/rewrap.ts";
import { KeyedHashes } from "../src/keyring/keyed-hash.ts";
import type { Keyring } from "../src/keyring/keyring.ts";
import { applyRetention } from "../src/storage/tables/apply-retention.fixture.ts";
import { keyring, newRequest, suiteStore } from "../src/verification/identity.fixture.ts";
import { wrappedKeys } from "../src/verification/ledger.fixture.ts";
import { startOwnDatabase } from "./crash/database.ts";
import type { Engine, Fresh } from "./support/engines.ts";

const start = Date.UTC(2026, 0, 1, 12);
const day = 24 * 60 * 60_000;

/** A PostgreSQL of this test's own, because the test reads the server's files. */
async function fresh(): Promise<Fresh> {
  const { url, stop } = await startOwnDatabase();
  const dataDirectory = mkdtempSync(join(tmpdir(), "duba-test-"));
  return {
    settings: { dataDirectory, databaseUrl: url },
    async dispose() {
      rmSync(dataDirectory, { recursive: true });
      await stop();
    },
  };
}

const ownPostgres: Engine = { name: "postgres", fresh, ready: fresh };

suite("the wrapped keys of records in PostgreSQL's files", () => {
  const store = suiteStore(ownPostgres);

  /** The texts that occur in any file of any database of the server. */
  const onDisk = async (texts: readonly string[]): Promise<string[]> => {
    await sql`checkpoint`.execute(store.db);
    const { rows } = await sql<{ data_directory: string }>`show data_directory`.execute(store.db);
    const found = new Set<string>();
    for (const path of globSync(join(rows[0]!.data_directory, "base", "**"))) {
      if (!statSync(path).isFile()) continue;
      const bytes = readFileSync(path);
      for (const text of texts) if (bytes.includes(text)) found.add(text);
    }
    return texts.filter((text) => found.has(text));
  };

  const wrappedTexts = async () => [...(await wrappedKeys(store.db)).values()];

  test("wrapped keys disappear from the files after an erasure, a rewrapping and retention", async (t) => {
    const room = await store.open(t, { now: () => start, settings: { limits: null } });
    const mine = newRequest({ number: "22000000123" });
    const other = newRequest({ number: "22000000456" });
    const all = (request: typeof mine, count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => room.verify({ ...request, idempotencyKey: `k-${n}` })));
    await all(mine, 50);
    const keys = await wrappedTexts();
    assert.deepEqual(await onDisk(keys), keys);
    await all(other, 10);
    const others = (await wrappedTexts()).filter((key) => !keys.includes(key));

    const keyedHashes = new KeyedHashes({ current: keyring });
    await eraseSubject({ db: store.db, audit: async () => {}, actor: "system", keyedHashes }, mine);
    assert.deepEqual(await onDisk([...keys, ...others]), others);
    assert.equal((await room.verify({ ...other, idempotencyKey: "k-3" })).replayed, true);

    const rotated: Keyring = {
      ...keyring,
      records: [...keyring.records, { id: "r2", key: Buffer.alloc(32, 2), from: 1 }],
    };
    assert.equal((await rewrap(store.db, rotated, { now: start })).rows, 10);
    const renewed = await wrappedTexts();
    assert.deepEqual(await onDisk([...others, ...renewed]), renewed);

    await applyRetention(store.db, { now: start + day + 1, recordRetention: day });
    assert.deepEqual(await onDisk(renewed), []);
  });
});
