import { once } from "node:events";
import { createServer } from "node:net";
import { type Logger, pino } from "pino";
import type { Config } from "./config/read-config.ts";
import { localUrl } from "./runtime/address.ts";
import { surroundingLogFields } from "./runtime/log.ts";
import { type EveryCommand, wire } from "./wire.ts";

/** Milliseconds within which the same signal is the same request to stop. */
const sameSignal = 500;

/**
 * Runs the service until SIGTERM or SIGINT: then it stops accepting, finishes what is in flight (for at most
 * `DUBA_STOP_TIMEOUT`), closes the store and gives 0. A second signal ends the process at once. Start faults are thrown
 * with a sentence for people and an `exitCode`.
 */
export async function serve(config: Config, commands: EveryCommand): Promise<number> {
  const log = await openLog(config.logLevel);
  // Before anything is made: the first start's key must not be lost on a start that cannot listen.
  const own = { host: config.host, port: config.port, setting: "PORT" };
  const ofMetrics = config.metrics && { ...config.metrics, setting: "DUBA_METRICS" };
  const ofConsole = config.console && { ...config.console, setting: "DUBA_CONSOLE" };
  await tryAddress(own);
  if (ofConsole) await tryAddress(ofConsole);
  if (ofMetrics) await tryAddress(ofMetrics);
  const service = await wire(config, log, commands);
  const stopped = Promise.withResolvers<number>();
  let first: { signal: NodeJS.Signals; at: number } | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const at = performance.now();
    // One Ctrl-C reaches us twice under `npm start`: from the terminal and from npm.
    if (first?.signal === signal && at - first.at < sameSignal) return;
    if (first) process.exit(1);
    first = { signal, at };
    log.info({ signal }, "stopping");
    stop().then(stopped.resolve, stopped.reject);
  };
  const stop = async () => {
    const until = Date.now() + config.stopTimeout;
    service.refuseNewWork();
    const patience = Promise.withResolvers<"late">();
    const timer = setTimeout(() => patience.resolve("late"), config.stopTimeout);
    const end = await Promise.race([service.app.close().then(() => "done" as const), patience.promise]);
    clearTimeout(timer);
    if (end === "late") {
      log.warn({}, "some requests were still in flight when the time to stop was up");
      service.app.server.closeAllConnections();
    }
    await service.close(Math.max(1000, until - Date.now()));
    log.info({}, "stopped");
    return 0;
  };

  let operators: Awaited<ReturnType<NonNullable<typeof service.console>["listen"]>> | undefined;
  try {
    await service.app.listen({ host: own.host, port: own.port });
    if (ofMetrics) await once(service.metrics!.listen(ofMetrics.port, ofMetrics.host), "listening");
    operators = await service.console?.listen();
  } catch (error) {
    await service.close(0);
    throw listenFault(error as NodeJS.ErrnoException, own);
  }
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  const url = addressOf(service.app.server.address(), config.host);
  if (ofMetrics) log.info({ url: `${addressOf(service.metrics!.address(), ofMetrics.host)}/metrics` }, "metrics");
  if (operators) log.info({ url: operators.origin }, "console");
  if (operators?.firstLink) process.stdout.write(invitation(operators.firstLink));
  log.info({ url }, "ready");
  if (service.madeKeyring)
    log.warn({ keyring: service.madeKeyring }, "a key ring was made; keep a copy of it apart from the data");
  if (service.printed) {
    const text = welcome(url, config.docs, service.printed);
    process.stdout.write(text, (error) => {
      if (error) return;
      service
        .noteShown()
        .catch(() => log.warn({}, "the sandbox key may be replaced: the store did not note that it was shown"));
    });
  }
  try {
    return await stopped.promise;
  } finally {
    process.off("SIGTERM", onSignal).off("SIGINT", onSignal);
  }
}

/** Logs to standard output: lines for people if that is a terminal, else a JSON object a line. */
async function openLog(level: string): Promise<Logger> {
  const options = { level, base: null, mixin: surroundingLogFields };
  if (!process.stdout.isTTY) return pino(options);
  const { default: pretty } = await import("pino-pretty");
  return pino(options, pretty({ sync: true, singleLine: true, translateTime: "SYS:HH:MM:ss.l" }));
}

/** Where to listen, and the setting that says so. */
interface Address {
  host: string;
  port: number;
  setting: string;
}

async function tryAddress(address: Address): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen(address.port, address.host), "listening");
  } catch (error) {
    throw listenFault(error as NodeJS.ErrnoException, address);
  }
  probe.close();
  await once(probe, "close");
}

class ListenFault extends Error {
  readonly exitCode = 1;
}

function listenFault(error: NodeJS.ErrnoException, { host, port, setting }: Address): Error {
  if (error.code === "EADDRINUSE")
    return new ListenFault(`Port ${port} on ${host} is taken by another program. Choose another with ${setting}.`);
  if (error.code === "EACCES")
    return new ListenFault(`This user may not listen on port ${port}. Choose one above 1023 with ${setting}.`);
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    const which = setting === "PORT" ? "HOST" : setting;
    return new ListenFault(`This machine has no address ${host}. Choose another with ${which}, such as 127.0.0.1.`);
  }
  return error;
}

function addressOf(
  bound: ReturnType<Awaited<ReturnType<typeof wire>>["app"]["server"]["address"]>,
  host: string,
): string {
  const port = typeof bound === "object" && bound ? bound.port : 0;
  return localUrl(host, port);
}

/** What a start says while nobody can sign in to the console. */
function invitation(link: string): string {
  return `
Nobody can sign in to the console yet. This link registers the first officer. It works once, for 15 minutes:

  ${link}

`;
}

/** What the first start says: the key is shown here and never again. */
function welcome(url: string, docs: boolean, key: string): string {
  return `
Duba is ready at ${url}${docs ? ` (reference: ${url}/docs)` : ""}.

Your sandbox key, shown this once (test mode: invented people, historical sample prices):

  ${key}

Try it:

  curl -s '${url}/api/v2/internet/data/lookup?provider=MTNDATA'

  curl -s ${url}/api/v2/corporate-data/list -H 'Authorization: Bearer ${key}'

  curl -s ${url}/api/v2/kyc/verify-bvn -H 'Authorization: Bearer ${key}' \\
    -H 'Content-Type: application/json' -d '{"bvn":"22000000017","phone":"08000000017","amount":"100"}'

`;
}
