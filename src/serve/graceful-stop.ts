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

/** Two equal signals within this many milliseconds count as one. */
const sameSignal = 500;

/** What to do at SIGTERM or SIGINT. */
export interface OnStop {
  /** Called at the first signal. */
  stop: (signal: NodeJS.Signals) => void;
  /** Milliseconds after the first signal. A further signal within this time calls `hurry`, at most once. */
  delay?: number;
  hurry?: (signal: NodeJS.Signals) => void;
  /** Called at any later signal. */
  end: () => void;
}

/** Acts on SIGTERM and SIGINT. Returns a function that stops listening for them. */
export function onStopSignals({ stop, delay = 0, hurry, end }: OnStop): () => void {
  let last: { signal: NodeJS.Signals; at: number } | undefined;
  let hurriesUntil = Number.NEGATIVE_INFINITY;
  const onSignal = (signal: NodeJS.Signals) => {
    const at = performance.now();
    // One Ctrl-C arrives twice: from the terminal, and from npm or the supervising process.
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

/** Stops the service at a signal, or when `sooner` resolves. Returns the exit code. */
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

/** Milliseconds of waiting, after the delay, for requests that are already on their way. */
const lastMoment = 200;

/**
 * Keeps serving for this many milliseconds while proxies see that the service is not ready. Few of their connections
 * remain afterwards.
 */
async function leave(service: Service, milliseconds: number, hurry: AbortSignal): Promise<void> {
  if (milliseconds === 0) return;
  service.leave();
  answerForTheLastTime(service.app.server);
  await pause(milliseconds, undefined, { signal: hurry }).catch(() => undefined);
  await letGo(service.app.server, lastMoment);
}

/**
 * Accepts no more connections, and answers one last request on each open connection. Resolves when all are closed, or
 * after this many milliseconds: if we closed an idle connection sooner, a request on its way could be lost.
 */
export async function letGo(server: Server, milliseconds: number): Promise<void> {
  answerForTheLastTime(server);
  // `close` of an HTTP server would also close idle connections at once.
  const closed = once(server, "close");
  NetServer.prototype.close.call(server);
  await withTimeout(closed, milliseconds);
}

/** From now on each connection ends with its next response. */
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
