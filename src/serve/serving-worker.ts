import { stopTime } from "../config/fixed-values.ts";
import type { Config } from "../config/read-config.ts";
import { wire } from "../wire/wire.ts";
import { letGo, untilStopped } from "./graceful-stop.ts";
import { openLog } from "./open-log.ts";
import { greet, listen } from "./run-service.ts";
import { aliveEvery, type FromWorker, placeName, type ToWorker } from "./worker-messages.ts";

/**
 * Runs the service as one of several workers, until its supervisor stops it or has its callers moved to a successor.
 */
export async function serveAsWorker(config: Config): Promise<number> {
  const place = Number(process.env[placeName]);
  const tell = (message: FromWorker) => process.send?.(message);
  tell({ kind: "alive" });
  const living = setInterval(() => tell({ kind: "alive" }), aliveEvery);
  // A terminal sends SIGHUP to all processes, but only the supervisor acts on it.
  process.on("SIGHUP", () => undefined);
  try {
    const log = openLog(config.logLevel, { worker: place });
    const service = await wire(config, log, place);
    const handingOver = Promise.withResolvers<void>();
    process.on("message", (message: ToWorker) => {
      if (message.kind === "hand over") handingOver.resolve();
      else void service.scrape!().then((text) => tell({ kind: "metrics", asked: message.asked, text }));
    });
    const url = await listen(service, config, log);
    const handedOver = handingOver.promise.then(() => {
      log.info({}, "handing over to the next worker");
      return letGo(service.app.server, stopTime(config));
    });
    const stopped = untilStopped(service, config, log, handedOver);
    greet(service, config, log, url);
    tell({ kind: "ready", url });
    return await stopped;
  } finally {
    clearInterval(living);
    // Without this, the channel to the supervisor would keep this process alive.
    process.channel?.unref();
  }
}
