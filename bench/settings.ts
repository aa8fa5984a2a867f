export const benchKey = "a-known-sandbox-key-for-benches";

/** The service as a user would run it, with limits on and wide enough not to refuse the load. */
export function benchSettings(dataDirectory: string): Record<string, string> {
  return {
    DUBA_DATA: dataDirectory,
    DUBA_BOOTSTRAP_KEY: benchKey,
    DUBA_LIMIT_CATALOGUE: "999999999/min",
    DUBA_LIMIT_VERIFICATION: "999999999/min",
  };
}
