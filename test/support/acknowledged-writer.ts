import { openStore, type StoreSettings } from "../../src/storage/store.ts";

/**
 * A process for crash tests. It inserts rows into `fact` without end, and prints the name of each row after its commit.
 */

const WRITERS = 16;

const store = await openStore(JSON.parse(process.argv[2]!) as StoreSettings);
let next = 0;

async function write(): Promise<never> {
  for (;;) {
    const name = `row-${next++}`;
    await store.db.insertInto("fact").values({ name, value: "x", created_at: 0 }).execute();
    process.stdout.write(`${name}\n`);
  }
}

await Promise.all(Array.from({ length: WRITERS }, write));
