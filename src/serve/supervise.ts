import { availableParallelism } from "node:os";
import { stopTime } from "../config/fixed-values.ts";
import type { Config } from "../config/read-config.ts";
import { warnOfSettings } from "../config/risky-settings.ts";
import { features } from "../features.ts";
import { tellSystemd } from "../runtime/network/tell-systemd.ts";
import { warnOfNode } from "../runtime/node-risk.ts";
import { singleFlight } from "../runtime/single-flight.ts";
import { listenError, tryAddresses } from "./addresses.ts";
import { onStopSignals } from "./graceful-stop.ts";
import { openLog } from "./open-log.ts";
import { waitForStore } from "./wait-for-store.ts";
import { WorkerPool } from "./worker-pool.ts";

/** Milliseconds that a worker has beyond `DUBA_STOP_DELAY` and the time of a stop, until it is killed. */
const stopReserve = 5000;

/**
 * Runs the service in several workers until SIGTERM or SIGINT, and passes the signal to each worker. A second signal
 * ends the delay of the workers, or all workers at once. SIGHUP replaces the workers one after another. Throws if the
 * first worker cannot start. That worker has then printed the reason.
 */
export async function supervise(config: Config, workers: number | "auto"): Promise<number> {
  const count = workers === "auto" ? availableParallelism() : workers;
  const log = openLog(config.logLevel);
  warnOfNode(log);
  warnOfSettings(config, log);
  await tryAddresses(config);
  if (!(await waitForStore(config, log))) return 0;
  const pool = new WorkerPool(count, config.stopDelay + stopTime(config) + stopReserve, log);
  const ended = Promise.withResolvers<number>();
  const forget = onStopSignals({
    stop: (signal) => {
      log.info({ signal }, "stopping");
      void tellSystemd("STOPPING=1", log);
      pool.stop(signal).then(() => ended.resolve(0), ended.reject);
    },
    delay: config.stopDelay,
    hurry: (signal) => pool.send(signal),
    end: () => {
      pool.send("SIGKILL");
      process.exit(1);
    },
  });
  const restart = singleFlight(() => pool.replaceAll());
  const onHangUp = () => void restart();
  process.on("SIGHUP", onHangUp);
  const supervised = await Promise.all(features.map(({ supervise }) => supervise?.(config, log, pool)));
  const servers = supervised.filter((server) => server !== undefined);
  try {
    const url = await pool.start();
    if (url === undefined) return await ended.promise;
    for (const server of servers) {
      const listening = await server.listen().catch((error) => {
        throw listenError(error, server.address);
      });
      log.info({ url: listening.url }, server.name);
    }
    log.info({ workers: count, url }, "ready");
    await tellSystemd("READY=1", log);
    return await ended.promise;
  } catch (error) {
    await pool.stop("SIGTERM");
    throw error;
  } finally {
    for (const server of servers) server.end();
    process.off("SIGHUP", onHangUp);
    forget();
  }
}
