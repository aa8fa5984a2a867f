import type { EveryCommand } from "../commands/context.ts";
import type { Config } from "../config/read-config.ts";
import type { OperatorConsole } from "../console/console.ts";
import { ResponseCounts } from "../http/monitoring/response-counts.ts";
import type { ApiServer } from "../http/server.ts";
import type { HttpServer } from "../http/shell/open-server.ts";
import { keyringPath } from "../keyring/file.ts";
import type { Log } from "../runtime/log.ts";
import { openApi } from "./api.ts";
import { everyOperation } from "./every-operation.ts";
import { everyJob } from "./jobs.ts";
import { measures } from "./measures.ts";
import { openRooms } from "./rooms.ts";

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

/** Builds the whole service. What was begun is ended if it throws. `worker`: its place among several, of which the first has the console. */
export async function wire(config: Config, log: Log, commands = noCommands, worker?: number): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  let patience = 0;
  let stage: "serving" | "leaving" | "stopping" = "serving";
  const options = { config, log, isWorker: worker !== undefined, patience: () => patience };
  const rooms = await openRooms(options, opened);
  const { access, keyring, pulse, store } = rooms;
  const answers = new ResponseCounts(config.metrics !== null || config.console !== null);
  const sources = measures({ ...rooms, config, answers });
  const monitoring = config.metrics ? await import("../http/monitoring/metrics.ts") : undefined;
  const metrics = worker === undefined ? monitoring?.metricsServer(sources, log) : undefined;
  opened.defer(() => void metrics?.end());
  const scrape = worker === undefined ? undefined : monitoring?.metricsOfWorker(sources, worker);
  const app = openApi({ config, log, rooms, answers, stage: () => stage });
  const counts = config.console
    ? (await import("../console/counters/minute-counts.ts")).keepMinuteCounts(store, answers, pulse.id)
    : undefined;
  opened.defer(() => counts?.flush().catch(() => undefined));
  const operators =
    counts && (worker ?? 1) === 1
      ? await (await import("../console/console.ts")).openConsole(config, {
          ...{
            commands: await commands(),
            operations: everyOperation,
            counts,
            now: store.now,
            log,
            auditAlarms: () => rooms.audit.alarms(),
          },
        })
      : undefined;
  opened.defer(() => operators?.close());
  const jobs = pulse.begin(await everyJob({ ...rooms, config, counts, log }));
  opened.defer(() => jobs.stop());
  await store.serve(config.storeTimeouts);

  const running = opened.move();
  return {
    app,
    ...(metrics ? { metrics } : {}),
    ...(scrape ? { scrape } : {}),
    ...(operators ? { console: operators } : {}),
    ...(access.printed === undefined ? {} : { printed: access.printed }),
    noteShown: () => access.noteShown(),
    ...(keyring.made ? { madeKeyring: keyringPath(config) } : {}),
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
