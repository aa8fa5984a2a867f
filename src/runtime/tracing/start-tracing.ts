import type { Log } from "../log.ts";
import type { Tracing } from "./trace.ts";

/** Sends spans to this collector; undefined without one. The SDK loads only if there is one. */
export async function startTracing(endpoint: string, version: string, log: Log): Promise<Tracing | undefined> {
  if (endpoint === "") return undefined;
  const { openTracing } = await import("./open-telemetry.ts");
  return openTracing(endpoint, version, log);
}
