import { openAccess } from "../access/access.ts";
import { whyReplaced } from "../access/bootstrap.ts";
import { anchorPath } from "../audit/anchor/anchor.ts";
import { openAuditTrail } from "../audit/audit.ts";
import { openCatalogue } from "../catalogue/catalogue.ts";
import type { Follow } from "../catalogue/sync/follow-source.ts";
import { openFollowed } from "../catalogue/sync/followed-sources.ts";
import { identitySettingsOf } from "../config/identity-settings-of.ts";
import type { Config } from "../config/read-config.ts";
import { openEvents } from "../events/events.ts";
import { openIdentity } from "../identity/identity.ts";
import { checkClaim, claimStore } from "../identity/stand-in-store.ts";
import { UpstreamNotes } from "../identity/upstream-status.ts";
import { checkKeyringPlace, keyringPath } from "../keyring/file.ts";
import { selfRotation } from "../keyring/self-rotation.ts";
import { watchKeyring } from "../keyring/watch.ts";
import { openRequests } from "../requests/request-log-room.ts";
import type { Log } from "../runtime/log.ts";
import { addressList } from "../runtime/network/address.ts";
import { startTracing } from "../runtime/tracing/start-tracing.ts";
import { version } from "../runtime/version.ts";
import { sayProtection } from "../storage/protection.ts";
import { Pulse } from "../storage/pulse/pulse.ts";
import { RetentionClock } from "../storage/retention/retention-clock.ts";
import { checkDirectory } from "../storage/sqlite/data-directory.ts";
import { openStore } from "../storage/store.ts";
import type { LiveUpstreams } from "../upstreams/open-vendors.ts";
import { sandbox } from "../upstreams/sandbox/index.ts";
import { everyOperation } from "./every-operation.ts";

/** Everything of a service that needs no listening. */
export type Rooms = Awaited<ReturnType<typeof openRooms>>;

export interface RoomOptions {
  config: Config;
  log: Log;
  isWorker: boolean;
  /** Milliseconds that verifications may still take at the stop. */
  patience: () => number;
}

/** Opens every room, in the order in which they need each other. What is opened is ended by `opened`. */
export async function openRooms({ config, log, isWorker, patience }: RoomOptions, opened: AsyncDisposableStack) {
  const ringFile = keyringPath(config);
  // Before anything is made, so that a first start that cannot go on leaves nothing behind.
  if (!config.databaseUrl) checkDirectory(config.dataDirectory);
  checkKeyringPlace(ringFile);
  const tracer = opened.use(await startTracing(config.traces, version, log));
  const { dataDirectory, databaseUrl } = config;
  const process = { serving: true, starting: true, isWorker, traced: tracer !== undefined };
  const store = await openStore({ dataDirectory, databaseUrl, ...process });
  opened.defer(() => store.close());
  const { db, engine, connections, now } = store;
  // Before anything writes a row by this clock.
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
  });
  opened.defer(() => auditTrail.stop());
  const audit = auditTrail.append;
  await sayProtection({ db, audit, now }, pulse.id, config);
  const rotation = config.keyringRotate !== null && { every: config.keyringRotate, actor: "system", path: ringFile };
  const rotateKeyring = rotation ? selfRotation({ ...rotation, db, audit, now }, log) : undefined;
  const live = await liveUpstreams(config, log, () => upstreams.changed());
  opened.defer(() => live.close());
  const upstreams = new UpstreamNotes(db, pulse.id, live.upstreams);
  opened.defer(() => upstreams.stop());
  // Whoever asks how the service is finds its vendors from the start.
  await upstreams.note();
  const identity = await openIdentity({
    ...{ db, pulse, connections, now },
    keyring,
    upstreams: { test: sandbox(config), live: live.upstreams },
    settings: identitySettingsOf(config),
    retention: clock,
    log,
    audit,
  });
  opened.defer(() => identity.stop(patience()));
  const follows: Follow[] = [];
  for (const followed of config.pull.sources) {
    const source = await openFollowed(followed, config, log);
    opened.defer(() => source.close());
    follows.push({ ...config.pull, source, log });
  }
  const catalogue = await openCatalogue({ db, now, guard: config.guard, audit, follows });
  const events = await openEvents({
    db,
    instance: pulse.id,
    engine,
    now,
    keyring,
    log,
    audit,
    networks: addressList(config.eventNetworks),
    standIns: config.upstream.standIns,
  });
  opened.defer(() => events.stop());
  await audit(
    db,
    { kind: "service.started", actor: "system", facts: { version, engine } },
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
    standIns: config.upstream.standIns,
    // On SQLite no other process starts on this store.
    patience: engine === "sqlite" ? 0 : 5000,
  });
  opened.defer(() => access.stop());
  opened.defer(store.listen({ access: pulse.beat, catalogue: pulse.beat, routes: pulse.beat }));
  if (access.replaced) log.warn({ key: access.replaced.key }, whyReplaced[access.replaced.why]);

  const paths = new Map(everyOperation.map(({ id, path }) => [id, path]));
  const requests = openRequests({ db, now, paths }, config.requestLog === null ? null : pulse.id);
  opened.defer(() => requests.entries?.write().catch(() => undefined));

  return {
    ...{ tracer, store, clock, pulse, keyring, rotateKeyring, audit: auditTrail, live, upstreams, identity, catalogue },
    ...{ events, access, requests },
  };
}

async function liveUpstreams(config: Config, log: Log, onChange: () => void): Promise<LiveUpstreams> {
  if (config.upstreams.length === 0) return { upstreams: [], close: () => {} };
  const { openLive } = await import("../upstreams/open-vendors.ts");
  const { upstreams, vendors, upstream, vendorTimeouts: timeouts } = config;
  return openLive(upstreams, vendors, { ...upstream, timeouts, log, onChange });
}
