import type { Logger } from "pino";
import type { Config } from "../config/read-config.ts";
import { warnOfSettings } from "../config/risky-settings.ts";
import { localUrl } from "../runtime/network/address.ts";
import { tellSystemd } from "../runtime/network/tell-systemd.ts";
import { warnOfNode } from "../runtime/node-risk.ts";
import { type Service, wire } from "../wire/wire.ts";
import { listenError, ownAddress, tryAddresses } from "./addresses.ts";
import { untilStopped } from "./graceful-stop.ts";
import { openLog } from "./open-log.ts";
import { waitForStore } from "./wait-for-store.ts";

/**
 * Runs the service in this process until SIGTERM or SIGINT. Then it serves on without being ready (for
 * `DUBA_STOP_DELAY`), stops accepting, finishes running requests (for a little longer than a verification takes),
 * closes the store and returns 0. A second signal ends the delay, or the process at once. Start errors have a sentence
 * for people and an `exitCode`.
 */
export async function runService(config: Config, ready?: (url: string) => void): Promise<number> {
  const log = openLog(config.logLevel);
  warnOfNode(log);
  warnOfSettings(config, log);
  // Check the ports before we create anything: a first start that cannot listen must not create, and so lose, the key.
  await tryAddresses(config);
  if (!(await waitForStore(config, log))) return 0;
  const service = await wire(config, log);
  const url = await listen(service, config, log);
  // Listens for signals before announcing that the service is ready.
  const stopped = untilStopped(service, config, log);
  log.info({ url }, "ready");
  await tellSystemd("READY=1", log);
  greet(service, config, log, url);
  ready?.(url);
  return stopped;
}

/** Listens on every address of the service. Returns the URL that integrators call. */
export async function listen(service: Service, config: Config, log: Logger): Promise<string> {
  const own = ownAddress(config);
  const listening: { name: string; url: string; says?: string }[] = [];
  let port: number;
  try {
    port = await service.app.listen(own);
    for (const server of service.servers) listening.push({ name: server.name, ...(await server.listen()) });
  } catch (error) {
    await service.close(0);
    throw listenError(error as NodeJS.ErrnoException, own);
  }
  for (const { name, url } of listening) log.info({ url }, name);
  for (const { says } of listening) if (says !== undefined) process.stdout.write(says);
  return localUrl(config.host, port);
}

/** Logs and prints facts that only this process's start knows. */
export function greet(service: Service, config: Config, log: Logger, url: string): void {
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
}

/** Returns the text that shows a new sandbox key. */
function welcome(url: string, docs: boolean, key: string): string {
  return `
Duba is ready at ${url}${docs ? ` (reference: ${url}/docs)` : ""}.

Your sandbox key, shown this once (test mode: invented people, historical sample prices):

  ${key}

Try it:

  curl -s '${url}/api/v2/internet/data/lookup?provider=MTNDATA'

  curl -s ${url}/api/v2/corporate-data/list -H 'Authorization: Bearer ${key}'

  curl -s ${url}/api/v2/kyc/verify-bvn -H 'Authorization: Bearer ${key}' \\
    -H 'Content-Type: application/json' -H 'Idempotency-Key: order-1001' \\
    -d '{"bvn":"22000000017","phone":"08000000017","amount":"100"}'

`;
}
