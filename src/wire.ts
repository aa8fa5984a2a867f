import manifest from "../package.json" with { type: "json" };
import { openAccess } from "./access/access.ts";
import { isAbsent } from "./access/authenticator.ts";
import { whyReplaced } from "./access/bootstrap.ts";
import { accessOperations } from "./access/operations/index.ts";
import { anchorPath } from "./audit/anchor/anchor.ts";
import { openAuditTrail } from "./audit/audit.ts";
import { openCatalogue } from "./catalogue/catalogue.ts";
import { guardOf } from "./catalogue/guard/guard.ts";
import { catalogueOperations } from "./catalogue/operations/index.ts";
import type { EveryCommand } from "./commands/desk.ts";
import { identitySettingsOf } from "./config/identity-settings-of.ts";
import type { Config } from "./config/read-config.ts";
import type { OperatorConsole } from "./console/console.ts";
import { everyOperation } from "./contract/every-operation.ts";
import { openEvents } from "./events/events.ts";
import { eventOperations } from "./events/operations/index.ts";
import type { HttpDependencies } from "./http/dependencies.ts";
import { AnswerCounts } from "./http/monitoring/answer-counts.ts";
import { registerHealth } from "./http/monitoring/health.ts";
import { registerPages } from "./http/pages/index.ts";
import { AddressRateLimiter } from "./http/rate-limit.ts";
import { callerAddress } from "./http/request/caller-address.ts";
import { type ApiServer, buildServer } from "./http/server.ts";
import type { HttpServer } from "./http/shell/open-server.ts";
import { openIdentity } from "./identity/identity.ts";
import { identityOperations } from "./identity/operations/index.ts";
import { UpstreamNotes } from "./identity/upstream-status.ts";
import { everyJob } from "./jobs.ts";
import { checkKeyringPlace, keyringPath } from "./keyring/file.ts";
import { selfRotation } from "./keyring/self-rotation.ts";
import { watchKeyring } from "./keyring/watch.ts";
import { measures } from "./measures.ts";
import { bind } from "./operation/operation.ts";
import { requestOperations } from "./requests/operations/index.ts";
import { openRequests } from "./requests/request-log-room.ts";
import { everyRule } from "./retention.ts";
import { addressList, localUrl } from "./runtime/address.ts";
import { FairQueue } from "./runtime/fair-queue.ts";
import type { Log } from "./runtime/log.ts";
import { RateLimiter } from "./runtime/rate-limiter.ts";
import { startTracing } from "./runtime/tracing/start-tracing.ts";
import { noteFailingJobs } from "./storage/pulse/failing-jobs.ts";
import { Pulse } from "./storage/pulse/pulse.ts";
import { RetentionClock } from "./storage/retention/retention-clock.ts";
import { sweeper } from "./storage/retention/sweep.ts";
import { checkDirectory } from "./storage/sqlite/data-directory.ts";
import { openStore } from "./storage/store.ts";
import type { LiveUpstreams } from "./upstreams/open-vendors.ts";
import { sandbox } from "./upstreams/sandbox/index.ts";

/** A service that is ready to listen. */
export interface Service {
  app: ApiServer;
  /** Serves the metrics, if `DUBA_METRICS` is set and this is no worker. It does not listen yet. */
  metrics?: HttpServer;
  /** Reads the metrics of a worker, if `DUBA_METRICS` is set. */
  scrape?: () => Promise<string>;
  /** Serves operators, if `DUBA_CONSOLE` is set. It does not listen yet. */
  console?: OperatorConsole;
  /** The sandbox key, only on the first start and only if it was made at random. */
  printed?: string;
  /** Notes that it was shown: else the next start makes another. */
  noteShown(): Promise<void>;
  /** Path of the key ring, only if it was made by this start. */
  madeKeyring?: string;
  /** From here on it is not ready, and serves all the same. */
  leave(): void;
  /** From here on new requests are refused; those in flight go on. */
  refuseNewWork(): void;
  /** Finishes verifications that outlive their callers, for at most `patience` milliseconds, and closes the store. */
  close(patience: number): Promise<void>;
}

const noCommands: EveryCommand = async () => [];

/**
 * Builds the whole service: every arrow between two rooms is in this function. What was begun is ended if it throws. `worker`:
 * its place among several workers, of which the first one has the console.
 */
export async function wire(config: Config, log: Log, commands = noCommands, worker?: number): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const ringFile = keyringPath(config);
  // Before anything is made, so that a first start that cannot go on leaves nothing behind.
  if (!config.databaseUrl) checkDirectory(config.dataDirectory);
  checkKeyringPlace(ringFile);
  const tracer = opened.use(await startTracing(config.traces, manifest.version, log));
  const { dataDirectory, databaseUrl } = config;
  const process = { serving: true, starting: true, isWorker: worker !== undefined, traced: tracer !== undefined };
  const store = await openStore({ dataDirectory, databaseUrl, ...process });
  opened.defer(() => store.close());
  const { db, engine, connections, now } = store;
  // Before anything writes a row by this clock.
  const clock = await RetentionClock.open({ store, log });
  const pulse = await Pulse.open({ store, log });
  opened.defer(() => pulse.stop());

  const keyring = await watchKeyring({ path: ringFile, db, log, now });
  const auditTrail = await openAuditTrail({
    db,
    sealKey: keyring.current.audit,
    anchor: anchorPath(ringFile),
    logAnchor: config.auditAnchorLog,
    log,
  });
  opened.defer(() => auditTrail.stop());
  const audit = auditTrail.append;
  const rotation = config.keyringRotate !== null && { every: config.keyringRotate, actor: "system", path: ringFile };
  const rotateKeyring = rotation ? selfRotation({ ...rotation, db, audit, now }, log) : undefined;
  const live = await liveUpstreams(config, log, () => upstreams.changed());
  opened.defer(() => live.close());
  const upstreams = new UpstreamNotes(db, pulse.id, live.upstreams);
  opened.defer(() => upstreams.stop());
  const identity = await openIdentity({
    ...{ db, pulse, connections, now },
    keyring,
    upstreams: { test: sandbox(config), live: live.upstreams },
    settings: identitySettingsOf(config),
    retention: clock,
    log,
    audit,
  });
  let patience = 0;
  opened.defer(() => identity.stop(patience));
  const { source: followed, every, staleAfter } = config.pull;
  const source =
    followed === ""
      ? undefined
      : (await import("./upstreams/open-vendors.ts")).openSource(followed, config.sources[followed]!, log);
  opened.defer(() => source?.close());
  const follows = source && { source, every, staleAfter, log };
  const catalogue = await openCatalogue({ db, now, guard: guardOf(config), audit, follows });
  opened.defer(() => catalogue.stop());
  const events = await openEvents({
    db,
    engine,
    now,
    keyring,
    log,
    audit,
    networks: addressList(config.eventNetworks),
  });
  opened.defer(() => events.stop());
  await audit(
    db,
    { kind: "service.started", actor: "system", facts: { version: manifest.version, engine } },
    ...config.overrides.map((facts) => ({ kind: "service.setting", actor: "system", facts })),
  );

  // Last, as it makes the key that is shown only once: nothing may fail between making and showing it.
  const access = await openAccess({
    db,
    now,
    audit,
    bootstrapKey: config.bootstrapKey,
    failedLimit: config.limitFailedCredentials,
    tokenLifetime: config.tokenLifetime,
    // On SQLite no other process starts on this store.
    patience: engine === "sqlite" ? 0 : 5000,
  });
  opened.defer(() => access.stop());
  opened.defer(store.listen({ access: pulse.beat, catalogue: pulse.beat }));
  if (access.replaced) log.warn({ key: access.replaced.key }, whyReplaced[access.replaced.why]);

  const requests = openRequests({ db, now }, config.requestLog === null ? null : pulse.id);
  opened.defer(() => requests.entries?.write().catch(() => undefined));

  const answers = new AnswerCounts(config.metrics !== null || config.console !== null);
  const measured = { config, store, pulse, answers, live, catalogue, identity, events, requests };
  const sources = measures({ ...measured, audit: auditTrail });
  const monitoring = config.metrics ? await import("./http/monitoring/metrics.ts") : undefined;
  const metrics = worker === undefined ? monitoring?.metricsServer(sources, log) : undefined;
  opened.defer(() => void metrics?.end());
  const scrape = worker === undefined ? undefined : monitoring?.metricsOfWorker(sources, worker);
  const alarms = config.alarmUrl
    ? (await import("./commands/health/tell-alarms.ts")).alarmTeller({ config, db, now, log })
    : undefined;
  let stage: "serving" | "leaving" | "stopping" = "serving";
  const { publicUrl, pathPrefixes } = config;
  const site = {
    operations: everyOperation,
    version: manifest.version,
    // Port 0 is not known before the service listens.
    origin: publicUrl || localUrl(config.host, config.port || 8080),
    ...{ publicUrl, pathPrefixes },
  };
  const http: HttpDependencies = {
    addressOf: callerAddress(config.trustProxy),
    authenticator: { isAbsent, credentialOf: (...asked) => access.credentials.credentialOf(...asked) },
    anonymous: config.anonymous,
    rateLimiters: config.limits
      ? {
          catalogue: new RateLimiter("catalogue", config.limitCatalogue),
          anonymous: new AddressRateLimiter("anonymous", config.limitAnonymous),
          verification: new RateLimiter("verification", config.limitVerification),
        }
      : null,
    bounds: {
      body: config.limitBody,
      url: config.limitUrl,
      headers: config.limitHeaders,
      arrival: config.requestTimeout,
    },
    connections: { most: config.maxConnections, answer: config.answerTimeout },
    docs: config.docs,
    wrongPathPage: config.docs
      ? () => import("./http/pages/site.ts").then((made) => made.wrongPathPage(site))
      : undefined,
    ...{ publicUrl, pathPrefixes },
    fairQueue: new FairQueue(),
    answers,
    tracer,
    requestEntries: requests.entries,
    accessLog: config.accessLog,
    serverTiming: config.serverTiming,
    log,
    now: Date.now,
    stopping: () => stage === "stopping",
  };
  const bound = [
    ...bind(catalogueOperations, catalogue),
    ...bind(identityOperations, identity),
    ...bind(eventOperations, events),
    ...bind(accessOperations, access.room),
    ...bind(requestOperations, requests),
  ];
  const app = buildServer(bound, http);
  if (config.docs) registerPages(app, site, http);
  registerHealth(app, { stopping: () => stage !== "serving", takesWrites: () => store.takesWrites() });
  const counts = config.console
    ? (await import("./console/counters/minute-counts.ts")).keepMinuteCounts(store, answers, pulse.id)
    : undefined;
  opened.defer(() => counts?.flush().catch(() => undefined));
  const operators =
    config.console && (worker ?? 1) === 1
      ? await (await import("./console/console.ts")).openConsole(config, {
          commands: await commands(),
          counts: counts!,
          now,
          health: { takesWrites: () => store.takesWrites(), auditAlarms: () => auditTrail.alarms() },
          log,
        })
      : undefined;
  opened.defer(() => operators?.close());
  const sweep = sweeper({ db, clock, rules: everyRule(config, keyring.current.audit, audit), audit, log });
  const jobs = pulse.begin(
    everyJob({
      ...{ keyring, rotateKeyring, access, catalogue, identity, upstreams, events, requests, counts, alarms, sweep },
      audit: auditTrail,
      noteFailing: () => noteFailingJobs(db, pulse.id, pulse.failing(), now()),
      tickClock: () => clock.tick(pulse.isLeader()),
    }),
  );
  opened.defer(() => jobs.stop());
  await store.serve();

  const running = opened.move();
  return {
    app,
    ...(metrics ? { metrics } : {}),
    ...(scrape ? { scrape } : {}),
    ...(operators ? { console: operators } : {}),
    ...(access.printed === undefined ? {} : { printed: access.printed }),
    noteShown: () => access.noteShown(),
    ...(keyring.made ? { madeKeyring: ringFile } : {}),
    leave() {
      stage = "leaving";
    },
    refuseNewWork() {
      stage = "stopping";
    },
    async close(milliseconds) {
      patience = milliseconds;
      await running.disposeAsync();
    },
  };
}

async function liveUpstreams(config: Config, log: Log, onChange: () => void): Promise<LiveUpstreams> {
  if (config.upstreams.length === 0) return { upstreams: [], close: () => {} };
  const { openLive } = await import("./upstreams/open-vendors.ts");
  const { upstreams, vendors, upstream, vendorTimeouts: timeouts } = config;
  return openLive(upstreams, vendors, { ...upstream, timeouts, log, onChange });
}
