import { type Config, settingOf } from "../../config/read-config.ts";
import type { Log } from "../../runtime/log.ts";
import type { Tracing } from "../../runtime/trace.ts";
import { version } from "../../runtime/version.ts";
import { traceSettings } from "./trace-settings.ts";

/** The SDK is not installed; `message` says how to get it. */
class TracingError extends Error {
  readonly exitCode = 2;
}

/**
 * Sends spans to the collector of the settings; undefined without a collector. Loads the SDK only if there is one.
 * Throws a `TracingError` if the SDK is not installed, because most services do not need it.
 */
export async function startTracing(config: Config, log: Log): Promise<Tracing | undefined> {
  const collector = settingOf(config, traceSettings.collector);
  if (collector === "") return undefined;
  try {
    const { openTracing } = await import("./open-telemetry.ts");
    return openTracing(collector, version, log);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new TracingError(
      "OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages of OpenTelemetry are not installed. " +
        "Install them (docs/watching.md names them), or empty the setting.",
    );
  }
}
