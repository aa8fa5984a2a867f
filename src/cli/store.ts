import type { Kysely } from "kysely";
import { readConfig } from "../config.ts";
import type { Tables } from "../storage/tables.ts";
import type { Io } from "./io.ts";
import { overridden } from "./options.ts";

/** Opens the store that the settings (or `--data`) name, beside a process that may be serving it, and closes it after use. */
export async function withStore<Result>(
  io: Io,
  data: string | undefined,
  use: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const { dataDirectory, databaseUrl } = readConfig(overridden(io.environment, { DUBA_DATA: data }));
  const { openStore } = await import("../storage/store.ts");
  const store = await openStore({ dataDirectory, databaseUrl, serving: false });
  try {
    return await use(store.db);
  } finally {
    await store.close();
  }
}
