import { join } from "node:path";
import type { FreshSettings } from "../test/support/engines.ts";

export const benchKey = "a-known-sandbox-key-for-benches";

/** The service on a store as a user would run it, with rate limits on and wide enough not to refuse the load. */
export function benchSettings({ dataDirectory, databaseUrl = "" }: FreshSettings): Record<string, string> {
  return {
    DUBA_DATA: dataDirectory,
    DUBA_DATABASE_URL: databaseUrl,
    // In the data directory, so that removing the directory removes the key ring.
    DUBA_KEYRING: join(dataDirectory, "keyring"),
    DUBA_BOOTSTRAP_KEY: benchKey,
    DUBA_LIMIT_CATALOGUE: "999999999/min",
    DUBA_LIMIT_VERIFICATION: "999999999/min",
  };
}
