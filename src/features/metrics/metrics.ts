import { collectDefaultMetrics, type Metric, Registry } from "@prometheus-io/client";
import type { DeclaredMetric, MetricValue } from "../../commands/feature.ts";
import { warnedPercent } from "../../declare/account-terms.ts";
import type { ResponseCounts } from "../../http/monitoring/response-counts.ts";
import type { HttpServer } from "../../http/shell/open-server.ts";
import type { Durations } from "../../runtime/duration-histogram.ts";
import type { Log } from "../../runtime/log.ts";
import { runningCommit, version } from "../../runtime/version.ts";
import type { VendorStanding } from "../../verification/routes/vendor-standing.ts";
import { serveMetrics } from "./metrics-server.ts";
import { gaugeValues, type MeasuredUpstream, upstreamGauges, vendorGauges } from "./vendor-gauges.ts";

/** Figures that come from the store. Times are milliseconds since 1970; null: there is none. */
export interface StoredFigures {
  /** Verifications without an outcome; `since` is when the oldest was accepted. */
  openVerifications: readonly { mode: string; state: string; count: number; since: number }[];
  heldChanges: number;
  /** Entries of the audit trail without a seal. */
  unsealed: { count: number; oldest: number | null };
  lastBackupAt: number | null;
  /** The names of open alarms, such as `vendor:dojah`. */
  alarms: readonly string[];
  vendors: readonly VendorStanding[];
  /** Deliveries of events that wait or are dead; `oldest` is when the oldest event that waits happened. */
  undelivered: { waiting: number; dead: number; oldest: number | null };
}

export interface MetricSources {
  answers: ResponseCounts;
  /** The live upstreams, and the attempts at each. */
  upstreams: () => readonly (MeasuredUpstream & {
    attempts: { outcomes: ReadonlyMap<string, number>; durations: Durations; unknownBanks: number };
  })[];
  /** Current errors of the audit trail. */
  auditAlarms: () => readonly string[];
  /** The jobs of this process whose last run failed. */
  failingJobs: () => readonly { name: string }[];
  /** `asOf`: when the lists last agreed with their source. Times are milliseconds since 1970. */
  catalogue: () => {
    revision: number;
    publishedAt: number;
    confirmedAt: number;
    sources: readonly { source: string; asOf: number | null; isStale: boolean }[];
  };
  usage: { commits: Durations; connections: () => Readonly<Record<"busy" | "idle" | "waiting", number>> };
  /** Rejects if the store is away. */
  stored: () => Promise<StoredFigures>;
  /** Milliseconds since 1970. */
  now: () => number;
  /** How many accounts have used `warnedPercent` of a cap, or of their last top-up. */
  nearlySpent: () => Readonly<Record<"cap" | "balance", number>>;
  ofFeatures: readonly DeclaredMetric[];
}

type Labels = Record<string, string | number>;
type Value = MetricValue;
type Values = ReturnType<DeclaredMetric["values"]>;

/** Milliseconds between two queries of the store, however many scrapers there are. */
const askEvery = 5000;

/** Labels come from short fixed lists: never a caller, a person or text from a request. */
function metrics(sources: MetricSources): Registry {
  const { answers, upstreams, auditAlarms, failingJobs, catalogue, usage, nearlySpent, now } = sources;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const stored = remembered(sources.stored);

  const counter = (name: string, help: string, read: () => Values) =>
    registry.registerMetric(metric(name, help, "counter", read));
  const gauge = (name: string, help: string, read: () => Values) =>
    registry.registerMetric(metric(name, help, "gauge", read));
  const histogram = (name: string, help: string, read: () => Iterable<readonly [Labels, Durations]>) =>
    registry.registerMetric(metric(name, help, "histogram", () => [...read()].flatMap(bucketsOf)));
  /** Declares a metric with one value from the store and without labels. It has no value while the store is away. */
  const ofStore = (name: string, help: string, value: (figures: StoredFigures) => number) =>
    gauge(name, help, async () => {
      const figures = await stored();
      return figures ? [[{}, value(figures)]] : [];
    });
  const secondsSince = (at: number | null) => (at === null ? Number.POSITIVE_INFINITY : Math.max(0, now() - at) / 1000);

  // Read the commit once: a checkout may be updated while this process runs.
  const build = { version, commit: runningCommit() ?? "unknown" };
  gauge("build_info", "1, with the version of Duba that runs and its commit", () => [[build, 1]]);
  counter(
    "answers_total",
    "Answers by operation, mode of the key, HTTP status and outcome: ok, not_modified, rehearsed or the failure's code",
    () => answers.all().map(({ count, ...labels }) => [labels, count] as const),
  );
  histogram("answer_duration_seconds", "Time from a request's headers to its answer", function* () {
    for (const { operation, mode, tally } of answers.tallies())
      if (tally.durations && tally.durations.read().count > 0) yield [{ operation, mode }, tally.durations];
  });

  for (const { name, help, values } of upstreamGauges) gauge(name, help, () => values(upstreams()));
  counter(
    "upstream_calls_total",
    "Attempts at the identity vendor, by outcome or by the reason why it did no work",
    () =>
      upstreams().flatMap(({ name, attempts }) =>
        [...attempts.outcomes].map(([outcome, count]) => [{ upstream: name, outcome }, count] as const),
      ),
  );
  counter(
    "upstream_unknown_banks_total",
    "Records of the identity vendor that name a bank which Duba's table does not know",
    () => upstreams().map(({ name, attempts }) => [{ upstream: name }, attempts.unknownBanks] as const),
  );
  histogram(
    "upstream_call_duration_seconds",
    "Time of an attempt at the identity vendor, to its response or time-out",
    () => upstreams().map(({ name, attempts }) => [{ upstream: name }, attempts.durations] as const),
  );

  for (const each of vendorGauges)
    gauge(`upstream_${each.name}`, each.help, async () => gaugeValues(each, (await stored())?.vendors ?? []));

  const open = (value: (found: { count: number; since: number }) => number) => async () => {
    const figures = await stored();
    return (figures?.openVerifications ?? []).map(
      ({ mode, state, ...found }) => [{ mode, state }, value(found)] as const,
    );
  };
  gauge(
    "ledger_open_verifications",
    "Verifications without an outcome: started, or unknown",
    open(({ count }) => count),
  );
  gauge(
    "ledger_open_oldest_seconds",
    "Age of the oldest verification without an outcome",
    open(({ since }) => secondsSince(since)),
  );

  gauge("catalogue_revision", "The revision that this process serves", () => [[{}, catalogue().revision]]);
  gauge("catalogue_published_seconds", "Time since that revision was published", () => [
    [{}, secondsSince(catalogue().publishedAt)],
  ]);
  gauge("catalogue_confirmed_seconds", "Time since the store confirmed that it is the newest revision", () => [
    [{}, secondsSince(catalogue().confirmedAt)],
  ]);
  gauge("catalogue_as_of_seconds", "Time since the lists of this source agreed with it", () =>
    catalogue().sources.map(({ source, asOf }) => [{ source }, secondsSince(asOf)] as const),
  );
  gauge("catalogue_stale", "1 while answers say that the lists of this source are stale", () =>
    catalogue().sources.map(({ source, isStale }) => [{ source }, isStale ? 1 : 0] as const),
  );
  ofStore(
    "catalogue_held_changes",
    "Changes of the catalogue that wait for approval",
    ({ heldChanges }) => heldChanges,
  );

  gauge("audit_alarm", "1 while the audit trail is not sealed, or is not what its anchor names", () =>
    auditAlarms().map((alarm) => [{ alarm }, 1]),
  );
  gauge("job_failing", "1 while a job of this process fails", () =>
    failingJobs().map(({ name }) => [{ job: name }, 1]),
  );
  ofStore(
    "audit_unsealed_entries",
    "Entries of the audit trail that no seal covers yet",
    ({ unsealed }) => unsealed.count,
  );
  ofStore(
    "audit_unsealed_oldest_seconds",
    "Age of the oldest of them; 0 if there is none",
    ({ unsealed: { oldest } }) => (oldest === null ? 0 : secondsSince(oldest)),
  );
  ofStore("backup_age_seconds", "Time since the last backup; infinite if there was none", ({ lastBackupAt }) =>
    secondsSince(lastBackupAt),
  );

  gauge("alarms", "Open alarms by kind, as duba alarms list shows them", async () => {
    const figures = await stored();
    const kinds = Map.groupBy(figures?.alarms ?? [], (alarm) => alarm.split(":")[0]!);
    return [...kinds].map(([alarm, { length }]) => [{ alarm }, length] as const);
  });

  ofStore("event_deliveries_dead", "Deliveries of events that Duba gave up", ({ undelivered }) => undelivered.dead);
  ofStore("event_deliveries_waiting", "Deliveries of events that wait", ({ undelivered }) => undelivered.waiting);
  ofStore(
    "event_undelivered_oldest_seconds",
    "Age of the oldest event that waits; 0 if none does",
    ({ undelivered: { oldest } }) => (oldest === null ? 0 : secondsSince(oldest)),
  );

  gauge("store_up", "1 if the store answered the queries of this scrape and takes writes", async () => {
    const figures = await stored();
    return [[{}, figures && !figures.alarms.includes("store") ? 1 : 0]];
  });
  gauge("store_connections", "Connections of this process to the store", async () => {
    // Waits for the queries of this scrape, which would otherwise count as busy connections.
    await stored();
    const { busy, idle } = usage.connections();
    return [
      [{ state: "busy" }, busy],
      [{ state: "idle" }, idle],
    ];
  });
  gauge("store_waiting", "Statements and transactions that wait for a connection", () => [
    [{}, usage.connections().waiting],
  ]);
  histogram("store_commit_duration_seconds", "Time of a commit, to the store's answer", () => [[{}, usage.commits]]);
  gauge(
    "accounts_nearly_spent",
    `Accounts that have used ${warnedPercent} % of their monthly cap, or of their last top-up`,
    () => Object.entries(nearlySpent()).map(([terms, accounts]) => [{ terms }, accounts] as const),
  );
  for (const { type, name, help, values } of sources.ofFeatures)
    registry.registerMetric(metric(name, help, type, values));
  return registry;
}

/** Returns a function that remembers the store's figures for a while. It returns null while the store is away. */
function remembered(ask: () => Promise<StoredFigures>): () => Promise<StoredFigures | null> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<StoredFigures | null>;
  return () => {
    if (performance.now() - askedAt >= askEvery) {
      askedAt = performance.now();
      answer = ask().catch(() => null);
    }
    return answer;
  };
}

/**
 * A metric that reads its values at the time of a scrape, so that counting costs no label and no hash. The library's
 * own metrics show 0 where there is no value.
 */
function metric(name: string, help: string, type: "counter" | "gauge" | "histogram", read: () => Values): Metric {
  const get = async () => {
    const values = [...(await read())].map(([labels, value, suffix = ""]) => ({
      metricName: `duba_${name}${suffix}`,
      labels,
      value,
    }));
    return { name: `duba_${name}`, help, type, values, aggregator: "sum" };
  };
  return { name: `duba_${name}`, get } as unknown as Metric;
}

function bucketsOf([labels, durations]: readonly [Labels, Durations]): Value[] {
  const { buckets, count, sum } = durations.read();
  return [
    ...buckets.map(({ bound, count }): Value => [{ ...labels, le: bound }, count, "_bucket"]),
    [{ ...labels, le: "+Inf" }, count, "_bucket"],
    [labels, sum, "_sum"],
    [labels, count, "_count"],
  ];
}

/** Serves the metrics of this process. It does not listen yet. */
export function metricsServer(sources: MetricSources, log: Log): HttpServer {
  const registry = metrics(sources);
  return serveMetrics(() => registry.metrics(), log);
}

/** Reads the metrics of one of several workers: each value has the worker's number as a label. */
export function metricsOfWorker(sources: MetricSources, worker: number): () => Promise<string> {
  const registry = metrics(sources);
  registry.setDefaultLabels({ worker: String(worker) });
  return () => registry.metrics();
}
