import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { stopTime } from "../config/fixed-values.ts";
import type { Config } from "../config/read-config.ts";
import { tellSystemd } from "../runtime/network/tell-systemd.ts";
import { withTimeout } from "../runtime/timeout.ts";
import type { Service } from "../wire/wire.ts";

/** Milliseconds within which the same signal is the same request to stop. */
const sameSignal = 500;

/** What to do at SIGTERM or SIGINT. */
export interface OnStop {
  /** At the first one. */
  stop: (signal: NodeJS.Signals) => void;
  /** Milliseconds after the first one within which another one means `hurry`, once. */
  delay?: number;
  hurry?: (signal: NodeJS.Signals) => void;
  /** At a later one. */
  end: () => void;
}

/** Acts on SIGTERM and SIGINT. Returns a function that stops listening for them. */
export function onStopSignals({ stop, delay = 0, hurry, end }: OnStop): () => void {
  let last: { signal: NodeJS.Signals; at: number } | undefined;
  let hurriesUntil = Number.NEGATIVE_INFINITY;
  const onSignal = (signal: NodeJS.Signals) => {
    const at = performance.now();
    // One Ctrl-C reaches us twice: from the terminal, and from npm or the process that supervises us.
    if (last?.signal === signal && at - last.at < sameSignal) return;
    const isFirst = last === undefined;
    last = { signal, at };
    if (isFirst) {
      hurriesUntil = at + delay;
      return stop(signal);
    }
    if (at >= hurriesUntil) return end();
    hurriesUntil = Number.NEGATIVE_INFINITY;
    hurry?.(signal);
  };
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  return () => process.off("SIGTERM", onSignal).off("SIGINT", onSignal);
}

/** Stops the service at a signal, or when `sooner` resolves, and gives the exit code. */
export async function untilStopped(
  service: Service,
  config: Config,
  log: Logger,
  sooner?: Promise<void>,
): Promise<number> {
  const asked = Promise.withResolvers<"asked">();
  const hurry = new AbortController();
  const forget = onStopSignals({
    stop: (signal) => {
      log.info({ signal }, "stopping");
      asked.resolve("asked");
    },
    delay: config.stopDelay,
    hurry: () => hurry.abort(),
    end: () => process.exit(1),
  });
  try {
    const why = await (sooner ? Promise.race([asked.promise, sooner]) : asked.promise);
    if (why === "asked") {
      void tellSystemd("STOPPING=1", log);
      await leave(service, config.stopDelay, hurry.signal);
    }
    await stop(service, config, log);
    return 0;
  } finally {
    forget();
  }
}

/** Milliseconds for requests that are on their way when the delay ends. */
const lastMoment = 200;

/** Serves for so many milliseconds while proxies see that it is not ready. Then few of their connections are left. */
async function leave(service: Service, milliseconds: number, hurry: AbortSignal): Promise<void> {
  if (milliseconds === 0) return;
  service.leave();
  answerForTheLastTime(service.app.server);
  await pause(milliseconds, undefined, { signal: hurry }).catch(() => undefined);
  await letGo(service.app.server, lastMoment);
}

/**
 * Accepts no more connections and answers on those that are open, each for the last time. Resolves when they are gone,
 * after so many milliseconds at most: closing a quiet one sooner could lose a request that is on its way.
 */
export async function letGo(server: Server, milliseconds: number): Promise<void> {
  answerForTheLastTime(server);
  // `close` of an HTTP server would also cut the quiet connections.
  const closed = once(server, "close");
  NetServer.prototype.close.call(server);
  await withTimeout(closed, milliseconds);
}

/** From here on each connection ends with its next response. */
function answerForTheLastTime(server: Server): void {
  server.prependListener("request", (_: IncomingMessage, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  });
}

async function stop(service: Service, config: Config, log: Logger): Promise<void> {
  const until = Date.now() + stopTime(config);
  service.refuseNewWork();
  const patience = Promise.withResolvers<"late">();
  const timer = setTimeout(() => patience.resolve("late"), stopTime(config));
  const end = await Promise.race([service.app.close().then(() => "done" as const), patience.promise]);
  clearTimeout(timer);
  if (end === "late") {
    log.warn({}, "some requests were still in flight when the time to stop was up");
    service.app.server.closeAllConnections();
  }
  await service.close(Math.max(1000, until - Date.now()));
  log.info({}, "stopped");
}
