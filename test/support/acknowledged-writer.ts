import { openStore, type StoreSettings } from "../../src/storage/store.ts";

/** A process for crash tests: writes rows to `fact` for ever, and prints the name of each once it is committed. */

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
