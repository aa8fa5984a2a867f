import { feature } from "../../commands/feature.ts";
import { traceSettings } from "./trace-settings.ts";

export const tracing = feature({
  name: "tracing",
  about: "A trace of each request, for a collector of OpenTelemetry.",
  settings: traceSettings,
  trace: async (config, log) => (await import("./start-tracing.ts")).startTracing(config, log),
});
