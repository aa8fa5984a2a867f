import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { narrowNetworks, type Setting } from "../declare/setting.ts";
import type { Log } from "../runtime/log.ts";
import { isClosed, isLoopback, widthOf } from "../runtime/network/address.ts";
import { catalogueSources, vendors } from "../vendors/registry.ts";
import type { Config } from "./read-config.ts";

/** What may be right, but is dangerous if it is a mistake: a sentence for each such setting, by its name. */
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
  const live = upstream.standIns ? [] : config.upstreams.map((name) => [name, vendors, config.vendors] as const);
  const followed = config.pull.sources.map(({ name }) => [name, catalogueSources, config.sources] as const);
  for (const [vendor, all, values] of [...live, ...followed]) {
    const own: Readonly<Record<string, Setting<string>>> = all.find(({ name }) => name === vendor)!.settings;
    for (const [member, { name, secret }] of Object.entries(own)) {
      const value = values[vendor]![member]!;
      if (member === "url" && isClearAndPublic(value))
        risks[name] =
          `${name} begins with http://, so what is sent to ${vendor} and what it answers cross the internet in clear text. Set it to the https:// address.`;
      if (secret && !upstream.standIns && isTestKey(value))
        risks[name] =
          `${name} looks like a test key of ${vendor}, whose people and prices are invented. Set it to a live key.`;
    }
  }
  return risks;
}

/** Logs these sentences. */
export function warnOfSettings(config: Config, log: Pick<Log, "warn">): void {
  for (const [setting, sentence] of Object.entries(riskySettings(config))) log.warn({ setting }, sentence);
  for (const sentence of config.formerSettings) log.warn({}, sentence);
}

/** Addresses at which others reach this machine. */
function addressesOfMachine(): string[] {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.filter(({ internal }) => !internal).map(({ address }) => address);
}

/** Whether a vendor's address is not encrypted, and outside of networks of the operator's own. */
function isClearAndPublic(address: string): boolean {
  const { protocol = "", hostname = "" } = URL.parse(address) ?? {};
  if (protocol !== "http:") return false;
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host)) return !isClosed(host);
  return !isLoopback(host) && host.includes(".") && !/\.(?:internal|local|localhost|lan|svc|home\.arpa)$/.test(host);
}

/** Whether a key says that it is one of the vendor's trials, as `sk_test_…` and `test_sk_…` do. */
function isTestKey(key: string): boolean {
  return /(?:^|_)(?:test|sandbox)_/i.test(key);
}
