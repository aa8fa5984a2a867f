import { unsealedEntries } from "../../audit/read.ts";
import { listWaiting } from "../../catalogue/revisions/draft.ts";
import type { FeatureServer, OpenedFeature, ServingCore, Supervisor } from "../../commands/feature.ts";
import { type Config, settingOf } from "../../config/read-config.ts";
import type { HttpServer } from "../../http/shell/open-server.ts";
import { openVerifications } from "../../ledger/reports/open-verifications.ts";
import type { Log } from "../../runtime/log.ts";
import { localUrl } from "../../runtime/network/address.ts";
import { undelivered } from "../../storage/events/undelivered.ts";
import { lastBackupAt } from "../../storage/last-backup.ts";
import { vendorStandings } from "../../verification/routes/vendor-standing.ts";
import type { MetricSources } from "./metrics.ts";
import { serveMetrics } from "./metrics-server.ts";
import { metricsSettings } from "./metrics-settings.ts";

/** Measures a process. A single process serves its own metrics; a worker sends its metrics to its supervisor. */
export async function openMetrics(core: ServingCore, opened: AsyncDisposableStack): Promise<OpenedFeature> {
  const { config, log, worker, answers } = core;
  if (settingOf(config, metricsSettings.address) === null) return {};
  answers.measureDurations();
  // Import only here, so that a service without metrics does not need the package.
  const { metricsOfWorker, metricsServer } = await import("./metrics.ts");
  const sources = measures(core);
  if (worker !== undefined) return { scrape: metricsOfWorker(sources, worker) };
  const server = metricsServer(sources, log);
  opened.defer(() => void server.end());
  return { server: listening(server, config) };
}

/** Serves the metrics of all workers, and the number of workers. */
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

/** Joins texts in Prometheus' format, which wants all values of a metric under one heading. */
function mergeMetrics(texts: readonly string[]): string {
  const metrics = new Map<string, { heading: string[]; values: string[] }>();
  for (const text of texts) {
    let current: { heading: string[]; values: string[] } | undefined;
    for (const line of text.split("\n")) {
      const name = /^# HELP (\S+)/.exec(line)?.[1];
      if (name !== undefined) {
        const known = metrics.get(name);
        current = known ?? { heading: [], values: [] };
        metrics.set(name, current);
      }
      if (line.startsWith("#")) {
        if (!current!.heading.includes(line)) current!.heading.push(line);
      } else if (line !== "") current!.values.push(line);
    }
  }
  return [...metrics.values()].map(({ heading, values }) => `${[...heading, ...values].join("\n")}\n`).join("\n");
}

/** Collects the sources of the metrics from the parts of a process. */
function measures(core: ServingCore): MetricSources {
  const { config, health, store, answers, auditAlarms, upstreams, failingJobs, catalogue, identity, opened } = core;
  const { db, now, usage } = store;
  return {
    answers,
    usage,
    now,
    upstreams: () =>
      upstreams.map((upstream) => ({
        ...upstream.health(),
        attempts: upstream.attempts,
        paused: upstream.kinds.filter((kind) => identity.isPaused(upstream.name, kind)),
      })),
    auditAlarms,
    failingJobs,
    catalogue: () => ({ ...catalogue.state(), sources: catalogue.freshness }),
    stored: async () => ({
      openVerifications: await openVerifications(db),
      heldChanges: (await listWaiting(db)).filter(({ state }) => state === "held").length,
      unsealed: await unsealedEntries(db),
      lastBackupAt: await lastBackupAt(db),
      vendors: await vendorStandings(db, now(), config.vendorPrices),
      undelivered: await undelivered(db),
      alarms: (await core.openAlarms({ db, now, config, health })).map(({ name }) => name),
    }),
    nearlySpent: () => identity.nearlySpent(),
    ofFeatures: opened.flatMap(({ metrics }) => metrics ?? []),
  };
}
