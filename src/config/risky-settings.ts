import { networkInterfaces } from "node:os";
import { narrowNetworks } from "../declare/setting.ts";
import type { Log } from "../runtime/log.ts";
import { isClosed, widthOf } from "../runtime/network/address.ts";
import { vendors } from "../vendors/registry.ts";
import { vendorRisks } from "../vendors/vendor-risks.ts";
import type { Config } from "./read-config.ts";

/** A sentence for each setting that may be right, but is dangerous if set by mistake, by its name. */
export function riskySettings(
  config: Config,
  ownAddresses: readonly string[] = addressesOfMachine(),
): Readonly<Record<string, string>> {
  const { trustProxy, eventNetworks, upstream } = config;
  const risks: Record<string, string> = {};
  const proxies = trustProxy.filter((entry) => widthOf(entry) < (entry.includes(":") ? 128 : 32) && !isClosed(entry));
  if (proxies.length > 0)
    risks.DUBA_TRUST_PROXY = `DUBA_TRUST_PROXY names public networks, ${proxies.join(", ")}: whoever sends from there gives any address as the caller's. Name only addresses of your proxies.`;
  for (const [setting, value] of config.ofFeatures) {
    const risk = setting.risk?.(value, ownAddresses);
    if (risk !== undefined) risks[setting.name] = risk;
  }
  const wide = eventNetworks.filter((entry) => !narrowNetworks.read(entry));
  if (wide.length > 0)
    risks.DUBA_EVENT_NETWORKS = `DUBA_EVENT_NETWORKS names ${wide.join(", ")}: Duba would send to every machine of a private network. Name only the networks of your receivers.`;
  for (const vendor of vendors.filter(({ name }) => !upstream.standIns && config.upstreams.includes(name)))
    Object.assign(risks, vendorRisks(vendor, config.vendors[vendor.name]!, upstream.standIns));
  return Object.assign(risks, config.risksOfFeatures);
}

/** Logs the sentences about risky settings, and those about settings of former versions. */
export function warnOfSettings(config: Config, log: Pick<Log, "warn">): void {
  for (const [setting, sentence] of Object.entries(riskySettings(config))) log.warn({ setting }, sentence);
  for (const sentence of config.formerSettings) log.warn({}, sentence);
}

/** Addresses at which other machines reach this machine. */
function addressesOfMachine(): string[] {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.filter(({ internal }) => !internal).map(({ address }) => address);
}
