import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { answerTime } from "../config/fixed-values.ts";
import type { Config } from "../config/read-config.ts";
import { Failure } from "../declare/failures.ts";
import { failureResponse, jsonHeaders } from "../http/failure-response.ts";
import { endingOf } from "../http/request/meant-operation.ts";
import { requestIdOf } from "../http/request/request-id.ts";
import { openServer } from "../http/shell/open-server.ts";
import { withTimeout } from "../runtime/timeout.ts";
import { version } from "../runtime/version.ts";
import { MissingDatabase } from "../storage/errors.ts";
import { checkReached, StoreError, UnreachedStore } from "../storage/store.ts";
import { listenError } from "./addresses.ts";
import { onStopSignals } from "./graceful-stop.ts";

/** Milliseconds between two tries. */
const againAfter = 500;
/** Milliseconds between two log lines. */
const tellEvery = 5000;

/**
 * Waits until PostgreSQL takes writes and has the database, for a minute at most. Meanwhile answers on the service's
 * port: alive, and not ready. False if a signal asked to stop. Throws `StoreError` when the time is up, and at once if
 * waiting does not help.
 */
export async function waitForStore(config: Config, log: Logger): Promise<boolean> {
  if (!config.databaseUrl || (await whyUnreached(config.databaseUrl, config.startTimeout)) === undefined) return true;
  const stopping = new AbortController();
  const forget = onStopSignals({
    stop: (signal) => {
      log.info({ signal }, "stopping");
      stopping.abort();
    },
    end: () => process.exit(1),
  });
  const stopAnswering = await answerNotReady(config, log);
  try {
    return await reached(config.databaseUrl, config.startTimeout, log, stopping.signal);
  } finally {
    await stopAnswering();
    forget();
  }
}

async function reached(url: string, patience: number, log: Logger, stopping: AbortSignal): Promise<boolean> {
  const until = performance.now() + patience;
  for (let loggedAt = Number.NEGATIVE_INFINITY; !stopping.aborted; ) {
    const left = until - performance.now();
    // A starting PostgreSQL server accepts connections a little before it creates its database.
    const reason = await whyUnreached(url, left).catch((error: unknown) => {
      if (error instanceof MissingDatabase) return error.message;
      throw error;
    });
    if (reason === undefined) return !stopping.aborted;
    if (left <= 0) throw new StoreError(`The store was not there within ${patience / 1000} s. ${reason}`);
    if (performance.now() - loggedAt >= tellEvery) {
      loggedAt = performance.now();
      log.warn({ seconds_left: Math.ceil(left / 1000), reason }, "waits for the store");
    }
    await pause(againAfter, undefined, { signal: stopping }).catch(() => undefined);
  }
  return false;
}

/** Says why the store takes no writes; undefined if it does. */
async function whyUnreached(url: string, milliseconds: number): Promise<string | undefined> {
  try {
    const asked = checkReached(url).then(() => "reached" as const);
    asked.catch(() => undefined);
    const isReached = await withTimeout(asked, Math.min(5000, Math.max(1000, milliseconds)));
    return isReached ? undefined : "PostgreSQL gives no answer: check that it runs and that the database URL is right.";
  } catch (error) {
    if (error instanceof UnreachedStore) return error.message;
    throw error;
  }
}

/** Answers on the service's port that the service is not ready, until the returned function is called. */
async function answerNotReady(config: Config, log: Logger): Promise<() => Promise<void>> {
  const { everyOperation } = await import("../wire/every-operation.ts");
  const waiting = new Failure("shutting_down", "The service waits for its store. Send the request again soon.", {
    retryAfter: 2,
  });
  const bounds = {
    arrival: config.requestTimeout,
    connections: { most: config.maxConnections, answer: answerTime(config) },
  };
  const http = openServer(bounds, log, (request, response) => {
    const id = requestIdOf(request.headers["x-request-id"]);
    const path = request.url!.split("?", 1)[0]!;
    const answer = (status: number, told: object) => {
      const body = JSON.stringify(told);
      response.writeHead(status, [...jsonHeaders(Buffer.byteLength(body)), "X-Request-Id", id, "Connection", "close"]);
      response.end(body);
    };
    if (path === "/healthz") return answer(200, { status: "ok", version });
    if (path === "/readyz") return answer(503, { status: "not ready", reason: "waits for the store" });
    const meant = everyOperation.find((operation) => endingOf(operation).test(path));
    const { publicUrl } = config;
    const { status, headers, body } = failureResponse(waiting, id, { publicUrl, rateLimiters: null }, "", meant);
    response.writeHead(status, [...headers, "Connection", "close"]).end(body);
  });
  await http.listen(config).catch((error) => {
    throw listenError(error, { ...config, setting: "PORT" });
  });
  return http.end;
}
