import { openAccess } from "../access/access.ts";
import { whyReplaced } from "../access/bootstrap.ts";
import { anchorPath } from "../audit/anchor/anchor.ts";
import { openAuditTrail } from "../audit/audit.ts";
import { openCatalogue } from "../catalogue/catalogue.ts";
import { neverFilled } from "../catalogue/starter.ts";
import type { Core } from "../commands/context.ts";
import type { OpenedFeature, ServingCore } from "../commands/feature.ts";
import { serviceTrail } from "../commands/service-trail.ts";
import { identitySettingsOf } from "../config/identity-settings-of.ts";
import type { Config } from "../config/read-config.ts";
import { withLines } from "../declare/command/with-lines.ts";
import { features, pagesOfFeatures } from "../features.ts";
import type { ResponseCounts } from "../http/monitoring/response-counts.ts";
import { checkKeyringPlace, keyringPath } from "../keyring/file.ts";
import { watchKeyring } from "../keyring/watch.ts";
import type { Log } from "../runtime/log.ts";
import { version } from "../runtime/version.ts";
import { sayProtection } from "../storage/protection.ts";
import { Pulse } from "../storage/pulse/pulse.ts";
import { RetentionClock } from "../storage/retention/retention-clock.ts";
import { checkDirectory } from "../storage/sqlite/data-directory.ts";
import { openStore } from "../storage/store.ts";
import type { LiveUpstreams } from "../vendors/open-vendors.ts";
import { sandbox } from "../vendors/sandbox/index.ts";
import { openIdentity } from "../verification/identity.ts";
import { UpstreamNotes } from "../verification/routes/upstream-status.ts";
import { checkClaim, claimStore } from "../verification/stand-in-store.ts";
import { everyOperation } from "./every-operation.ts";

/** Everything of a service that needs no listening. */
export type Rooms = Awaited<ReturnType<typeof openRooms>>;

export interface RoomOptions {
  core: Core;
  /** The worker's place among several workers. */
  worker: number | undefined;
  answers: ResponseCounts;
  /** Milliseconds that verifications may still take at the stop. */
  patience: () => number;
}

/** Opens every part of the service, in the order of their dependencies. `opened` closes each opened part. */
export async function openRooms({ core, worker, answers, patience }: RoomOptions, opened: AsyncDisposableStack) {
  const { config, log } = core;
  const ringFile = keyringPath(config);
  // Check this before anything is created, so that a first start that fails leaves nothing behind.
  if (!config.databaseUrl) checkDirectory(config.dataDirectory);
  checkKeyringPlace(ringFile);
  const tracers = await Promise.all(features.map(({ trace }) => trace?.(config, log)));
  const tracer = opened.use(tracers.find((each) => each !== undefined));
  const { dataDirectory, databaseUrl } = config;
  const process = { serving: true, starting: true, isWorker: worker !== undefined, traced: tracer !== undefined };
  const store = await openStore({ dataDirectory, databaseUrl, ...process });
  opened.defer(() => store.close());
  const { db, engine, connections, now } = store;
  // The clock must be open before anything writes a row with its time.
  const clock = await RetentionClock.open({ store, log });
  const start = { standIns: config.upstream.standIns, upstreams: config.upstreams };
  await claimStore(db, start, now());
  const pulse = await Pulse.open({ store, log });
  opened.defer(() => pulse.stop());
  await checkClaim(db, start);

  const keyring = await watchKeyring({ path: ringFile, db, log, now });
  const auditTrail = await openAuditTrail({
    db,
    sealKey: keyring.current.audit,
    anchor: anchorPath(ringFile),
    log,
    now,
  });
  opened.defer(() => auditTrail.stop());
  const audit = auditTrail.append;
  await sayProtection({ db, audit, now }, pulse.id, config);
  const live = await liveUpstreams(config, log, () => upstreams.changed());
  opened.defer(() => live.close());
  const upstreams = new UpstreamNotes(db, pulse.id, live.upstreams);
  opened.defer(() => upstreams.stop());
  // Notes the vendors now, so that every status of the service includes them from the start.
  await upstreams.note();
  const identity = await openIdentity({
    db,
    pulse,
    connections,
    now,
    keyring,
    upstreams: { test: sandbox(config), live: live.upstreams },
    settings: identitySettingsOf(config),
    retention: clock,
    log,
    audit,
  });
  opened.defer(() => identity.stop(patience()));
  const catalogue = await openCatalogue({ db, now, guard: config.guard, audit });
  for (const { sentence, mends } of neverFilled(catalogue.responses.snapshot)) {
    const lines = (await withLines(mends, core.commands)).map(({ says, line }) => `${says.join("")}: ${line}`);
    log.warn({}, `Catalogue: ${[sentence, ...lines].join(" ")}`);
  }
  const openedFeatures: OpenedFeature[] = [];
  const serving: ServingCore = {
    ...core,
    store,
    instance: pulse.id,
    keyring,
    audit,
    auditAlarms: () => auditTrail.alarms(),
    catalogue,
    identity,
    upstreams: live.upstreams,
    answers,
    failingJobs: pulse.failing,
    operations: everyOperation,
    pages: pagesOfFeatures,
    records: async () => (await import("./every-record.ts")).everyRecord,
    opened: openedFeatures,
    worker,
  };
  for (const { open } of features) if (open) openedFeatures.push(await open(serving, opened));
  await audit(
    db,
    serviceTrail.serviceStarted("system", { version, engine }),
    ...config.overrides.map((facts) => serviceTrail.serviceSetting("system", facts)),
  );

  // Opened last, because this creates the key that is shown only once: nothing may fail between creating and showing
  // the key.
  const access = await openAccess({
    db,
    storeNow: now,
    audit,
    bootstrapKey: config.bootstrapKey,
    failedLimit: config.limitFailedCredentials,
    tokenLifetime: config.tokenLifetime,
    standIns: config.upstream.standIns,
    // On SQLite no other process starts on this store, so there is nobody to wait for.
    patience: engine === "sqlite" ? 0 : 5000,
  });
  opened.defer(() => access.stop());
  opened.defer(store.listen({ access: pulse.beat, catalogue: pulse.beat, routes: pulse.beat }));
  if (access.replaced) log.warn({ key: access.replaced.key }, whyReplaced[access.replaced.why]);

  return {
    tracer,
    store,
    clock,
    pulse,
    keyring,
    audit: auditTrail,
    live,
    upstreams,
    identity,
    catalogue,
    access,
    opened: openedFeatures,
  };
}

async function liveUpstreams(config: Config, log: Log, onChange: () => void): Promise<LiveUpstreams> {
  if (config.upstreams.length === 0) return { upstreams: [], close: () => {} };
  const { openLive } = await import("../vendors/open-vendors.ts");
  const { upstreams, vendors, upstream, vendorTimeouts: timeouts } = config;
  return openLive(upstreams, vendors, { ...upstream, timeouts, log, onChange });
}
