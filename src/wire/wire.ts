import type { FeatureServer } from "../commands/feature.ts";
import type { Config } from "../config/read-config.ts";
import type { Lifecycle } from "../http/dependencies.ts";
import { ResponseCounts } from "../http/monitoring/response-counts.ts";
import type { ApiServer } from "../http/server.ts";
import { keyringPath } from "../keyring/file.ts";
import type { Log } from "../runtime/log.ts";
import { openApi } from "./api.ts";
import { coreOf } from "./core.ts";
import { everyJob } from "./jobs.ts";
import { openRooms } from "./rooms.ts";

/** A service that is ready to listen. */
export interface Service {
  app: ApiServer;
  /** The servers of features. They do not listen yet. */
  servers: readonly FeatureServer[];
  /** Returns a worker's measurements for its supervisor. Absent if no feature measures. */
  scrape?: () => Promise<string>;
  /** The sandbox key, only if this start created it at random. */
  printed?: string;
  /** Notes that the key was shown; otherwise the next start makes another one. */
  noteShown(): Promise<void>;
  /** Path of the key ring, only if this start made the ring. */
  madeKeyring?: string;
  /** From now on the service is not ready, but still serves. */
  leave(): void;
  /** From now on the service refuses new requests; running ones go on. */
  refuseNewWork(): void;
  /** Finishes verifications that outlive their callers, for at most `patience` milliseconds, and closes the store. */
  close(patience: number): Promise<void>;
}

/**
 * Builds the whole service. If it throws, it first closes everything that it opened. `worker`: the place of this
 * process among several workers.
 */
export async function wire(config: Config, log: Log, worker?: number): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  let patience = 0;
  const lifecycle: Lifecycle = { stage: "serving" };
  const answers = new ResponseCounts();
  const core = coreOf(config, log);
  const options = { core, worker, answers, patience: () => patience };
  const rooms = await openRooms(options, opened);
  const { access, keyring, pulse, store } = rooms;
  const app = openApi({ config, log, rooms, answers, lifecycle });
  const jobs = pulse.begin(await everyJob({ ...rooms, core }));
  opened.defer(() => jobs.stop());
  await store.serve(config.storeTimeouts);

  const scrape = rooms.opened.find((each) => each.scrape)?.scrape;
  const running = opened.move();
  return {
    app,
    servers: rooms.opened.flatMap(({ server }) => server ?? []),
    ...(scrape ? { scrape } : {}),
    ...(access.printed === undefined ? {} : { printed: access.printed }),
    noteShown: () => access.noteShown(),
    ...(keyring.made ? { madeKeyring: keyringPath(config) } : {}),
    leave() {
      lifecycle.stage = "leaving";
    },
    refuseNewWork() {
      lifecycle.stage = "stopping";
    },
    async close(milliseconds) {
      patience = milliseconds;
      await running.disposeAsync();
    },
  };
}
