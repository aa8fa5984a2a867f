import { networkInterfaces } from "node:os";
import type { Log } from "../runtime/log.ts";
import { isClosed, widthOf } from "../runtime/network/address.ts";
import type { Config } from "./read-config.ts";

/** What may be right, but is dangerous if it is a mistake: a sentence for each such setting, by its name. */
export function riskySettings({
  trustProxy,
  metrics,
}: Pick<Config, "trustProxy" | "metrics">): Partial<Record<"DUBA_TRUST_PROXY" | "DUBA_METRICS", string>> {
  const ranges = trustProxy.filter((entry) => widthOf(entry) < (entry.includes(":") ? 128 : 32) && !isClosed(entry));
  return {
    ...(ranges.length > 0 && {
      DUBA_TRUST_PROXY: `DUBA_TRUST_PROXY names public networks, ${ranges.join(", ")}: whoever sends from there gives any address as the caller's. Name only addresses of your proxies.`,
    }),
    ...(metrics &&
      isPublic(metrics.host) && {
        DUBA_METRICS: `DUBA_METRICS opens the metrics on a public address of this machine, and nobody signs in to read them. Set it to an address of your own network, or let a firewall close the port ${metrics.port}.`,
      }),
  };
}

/** Logs these sentences. */
export function warnOfSettings(config: Config, log: Pick<Log, "warn">): void {
  for (const [setting, sentence] of Object.entries(riskySettings(config))) log.warn({ setting }, sentence);
}

/** Whether an address to listen on is one that the internet may reach. */
function isPublic(host: string): boolean {
  if (host !== "0.0.0.0" && host !== "::") return !isClosed(host);
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some(({ internal, address }) => !internal && !isClosed(address));
}
