import type { FeatureServer, OpenedFeature, ServingCore, Supervisor } from "../../commands/feature.ts";
import { type Config, settingOf } from "../../config/read-config.ts";
import type { HttpServer } from "../../http/shell/open-server.ts";
import type { Log } from "../../runtime/log.ts";
import { localUrl } from "../../runtime/network/address.ts";
import { measures } from "./measures.ts";
import { mergeMetrics } from "./merge-metrics.ts";
import { metricsOfWorker, metricsServer } from "./metrics.ts";
import { serveMetrics } from "./metrics-server.ts";
import { metricsSettings } from "./metrics-settings.ts";

/** Measures a process: for its own server, or, in a worker, for the supervisor. */
export async function openMetrics(core: ServingCore, opened: AsyncDisposableStack): Promise<OpenedFeature> {
  const { config, log, worker, answers } = core;
  if (settingOf(config, metricsSettings.address) === null) return {};
  answers.measureDurations();
  const sources = measures(core);
  if (worker !== undefined) return { scrape: metricsOfWorker(sources, worker) };
  const server = metricsServer(sources, log);
  opened.defer(() => void server.end());
  return { server: listening(server, config) };
}

/** Serves what all workers tell, and how many they are. */
export async function superviseMetrics(
  config: Config,
  log: Log,
  supervisor: Supervisor,
): Promise<FeatureServer | undefined> {
  if (settingOf(config, metricsSettings.address) === null) return undefined;
  const read = async () => mergeMetrics([ofWorkers(supervisor.figures()), ...(await supervisor.scrape())]);
  return listening(serveMetrics(read, log), config);
}

function listening(server: HttpServer, config: Config): FeatureServer {
  const address = { ...settingOf(config, metricsSettings.address)!, setting: metricsSettings.address.name };
  return {
    name: "metrics",
    address,
    listen: async () => ({ url: `${localUrl(address.host, await server.listen(address))}/metrics` }),
    end: () => void server.end(),
  };
}

function ofWorkers({ wanted, ready, died, hung }: ReturnType<Supervisor["figures"]>): string {
  return `# HELP duba_workers Workers that DUBA_WORKERS asks for, and those that are ready
# TYPE duba_workers gauge
duba_workers{state="wanted"} ${wanted}
duba_workers{state="ready"} ${ready}

# HELP duba_worker_ends_total Workers that ended without being asked to: died, or killed because they hung
# TYPE duba_worker_ends_total counter
duba_worker_ends_total{reason="died"} ${died}
duba_worker_ends_total{reason="hung"} ${hung}
`;
}
