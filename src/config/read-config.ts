import { readFileSync } from "node:fs";
import { syncSettings } from "../catalogue/sync/sync-settings.ts";
import { closestName } from "../operation/closest-name.ts";
import type { Setting } from "../operation/setting.ts";
import { isLoopback } from "../runtime/network/address.ts";
import { isSandbox, missingOf, type VendorValues } from "../upstreams/ports/vendor.ts";
import { catalogueSources, vendors } from "../upstreams/registry.ts";
import { upstreamPauses, upstreamSettings } from "../upstreams/upstream-settings.ts";
import { type FixedValues, fixedValues } from "./fixed-values.ts";
import { goneSetting } from "./gone-settings.ts";
import { everySetting, settings } from "./settings.ts";

/** The bootstrap key of the README's examples. */
const publishedKey = "a-known-key-for-the-sandbox";

/** What programs that call Duba have in their environment, as our guides name it. */
const namesOfCallers = ["DUBA_KEY", "DUBA_WEBHOOK_SECRET"];

/** What tells settings apart. */
const withoutPrefix = (name: string) => name.replace(/^DUBA_/, "");

type Values<Settings extends Readonly<Record<string, Setting<unknown>>>> = {
  [Name in keyof Settings]: Exclude<ReturnType<Settings[Name]["read"]>, undefined>;
};

export type Config = Values<typeof settings> &
  FixedValues & {
    /** What all vendors share. */
    upstream: Values<typeof upstreamSettings> & ReturnType<typeof upstreamPauses>;
    /** Settings that differ from their defaults, for the audit trail: no secret's text, no user or password of a URL. */
    overrides: readonly { name: string; value: string }[];
    /** By the name of the vendor. */
    vendors: Readonly<Record<string, VendorValues>>;
    /** Time-out of each vendor in milliseconds, by its name. */
    vendorTimeouts: Readonly<Record<string, number>>;
    pull: Values<typeof syncSettings> & Pick<FixedValues, "staleAfter">;
    /** By the name of the catalogue source. */
    sources: Readonly<Record<string, VendorValues>>;
  };

/** One or more settings are wrong; `message` has a sentence for each. */
export class ConfigError extends Error {
  readonly exitCode = 2;
}

/**
 * Reads all settings from the environment. An unset or empty setting has its default. Throws a `ConfigError` that lists
 * every problem at once. An unknown name that begins with DUBA_ is a problem, because it is probably a typing error.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const upstream = valuesOf(upstreamSettings, environment, problems) as Values<typeof upstreamSettings>;
  const config: Config = {
    ...fixedValues,
    ...(valuesOf(settings, environment, problems) as Values<typeof settings>),
    overrides: overridesIn(environment),
    upstream: { ...upstream, ...upstreamPauses(upstream.standIns) },
    vendors: Object.fromEntries(
      vendors.map(({ name, settings }) => [name, valuesOf(settings, environment, problems) as VendorValues]),
    ),
    vendorTimeouts: {},
    pull: {
      ...(valuesOf(syncSettings, environment, problems) as Values<typeof syncSettings>),
      staleAfter: fixedValues.staleAfter,
    },
    sources: Object.fromEntries(
      catalogueSources.map(({ name, settings }) => [name, valuesOf(settings, environment, problems) as VendorValues]),
    ),
  };
  for (const vendor of vendors) {
    const missing = config.upstreams?.includes(vendor.name) ? missingOf(vendor, config.vendors[vendor.name]!) : [];
    if (missing.length > 0)
      problems.push(`${settings.upstreams.name} names ${vendor.name}, but ${missing.join(", ")} must be set for it.`);
  }
  problems.push(...sandboxProblems(config), ...rehearsalProblems(config), ...routeProblems(config));
  const common = environment[upstreamSettings.timeout.name] ? config.upstream.timeout : undefined;
  config.vendorTimeouts = Object.fromEntries(
    vendors.map(({ name, timeout }) => [name, common ?? timeout ?? config.upstream.timeout]),
  );
  problems.push(...timeoutFaults(config, common !== undefined));
  problems.push(...sourceFaults(config));
  const isLocal = config.host === undefined || isLoopback(config.host);
  if (config.bootstrapKey === publishedKey && !isLocal)
    problems.push(
      `${settings.bootstrapKey.name} is the public key from the README, and ${settings.host.name} opens the service to the network. Choose another key, or set ${settings.host.name} to 127.0.0.1.`,
    );
  if (config.console && !isLoopback(config.console.host) && !config.consoleOrigin?.startsWith("https:"))
    problems.push(
      `${settings.console.name} opens the console to the network. Set it to 127.0.0.1 and a port, or set ${settings.consoleOrigin.name} to the https:// origin of your proxy.`,
    );
  if (typeof config.workers === "number" && config.workers > 1 && config.databaseUrl === "")
    problems.push(
      `${settings.workers.name} is ${config.workers}, but SQLite serves from one process only: unset it, or set ${settings.databaseUrl.name} to a PostgreSQL database.`,
    );
  if (config.databaseReadUrl && config.databaseUrl === "")
    problems.push(
      `${settings.databaseReadUrl.name} is set, but SQLite has no replica: unset it, or set ${settings.databaseUrl.name} to the PostgreSQL database that it follows.`,
    );
  const known = everySetting.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]));
  for (const name of Object.keys(environment)) {
    if (!name.startsWith("DUBA_") || name.startsWith("DUBA_TEST_") || [...known, ...namesOfCallers].includes(name))
      continue;
    const instead = goneSetting(name);
    if (instead !== undefined) {
      problems.push(`${name} is no setting any more: ${instead}`);
      continue;
    }
    const meant = closestName(withoutPrefix(name), known.map(withoutPrefix));
    const full = known.find((each) => withoutPrefix(each) === meant);
    problems.push(`${name} is not a setting of Duba.${full === undefined ? "" : ` Did you mean ${full}?`}`);
  }
  // A vendor and a catalogue source may share a setting, which then has its problem twice.
  if (problems.length > 0) throw new ConfigError([...new Set(problems)].join("\n"));
  return config;
}

/**
 * The common vendor time-out must end before the verification's, so that we know the vendor's outcome before we answer. A
 * vendor with its own time-out may take longer.
 */
function timeoutFaults({ upstream, upstreams, verificationTimeout: limit }: Config, isSet: boolean): string[] {
  const isUsed = isSet || vendors.some(({ name, timeout }) => !timeout && upstreams?.includes(name));
  if (!isUsed || limit === undefined || upstream.timeout === undefined || upstream.timeout < limit) return [];
  const [own, whole] = [upstreamSettings.timeout.name, settings.verificationTimeout.name];
  return [
    `${own} is ${upstream.timeout}ms and ${whole} is ${limit}ms: ${own} must be shorter, such as ${Math.ceil(limit * 0.75)}ms.`,
  ];
}

/** Sources that are not set up. A wrong setting has a problem of its own. */
function sourceFaults({ pull, sources: values }: Config): string[] {
  return catalogueSources.flatMap((each) => {
    const isNamed = pull.sources?.some(({ name }) => name === each.name);
    const missing = isNamed ? missingOf(each, values[each.name]!) : [];
    if (missing.length === 0) return [];
    return [`${syncSettings.sources.name} names ${each.name}, but ${missing.join(", ")} must be set for it.`];
  });
}

/** Orders and bounds that lack what they are made of. A wrong setting has a problem of its own. */
function routeProblems({ upstreams, vendorPrices: prices, ...config }: Config): string[] {
  if (!upstreams || !prices) return [];
  const { route, routeShare: share, routeAfterNotFound: after } = settings;
  const unlisted = (config.routeShare ?? []).filter(({ vendor }) => !upstreams.includes(vendor));
  const unpriced = upstreams.filter((name) => Object.keys(prices[name] ?? {}).length === 0);
  const compares =
    config.route === "cheapest"
      ? `${route.name} is cheapest`
      : typeof config.routeAfterNotFound === "number" && `${after.name} is next`;
  return [
    ...unlisted.map(
      ({ vendor }) =>
        `${share.name} names ${vendor}, and ${settings.upstreams.name} does not: name it in both, or in neither.`,
    ),
    ...(compares ? unpriced : []).map(
      (name) =>
        `${compares}, and nothing says what ${name} bills: name it in ${settings.vendorPrices.name}, such as ${name}=50.`,
    ),
  ];
}

/** An address of a vendor's trials, which live keys must not use. */
function sandboxProblems({ upstreams, vendors: values }: Config): string[] {
  return (upstreams ?? []).flatMap((name) => {
    const vendor = vendors.find((each) => each.name === name);
    if (!vendor || !isSandbox(values[name] ?? {})) return [];
    return [
      `${settings.upstreams.name} names ${name}, and ${vendor.settings.url!.name} is its sandbox: live keys would get invented people. Set its live address, or take ${name} out.`,
    ];
  });
}

/** In a rehearsal no vendor may be asked about a real person. */
function rehearsalProblems({ upstream, upstreams, vendors: values }: Config): string[] {
  if (!upstream.standIns) return [];
  return (upstreams ?? []).flatMap((name) => {
    const url = vendors.find((each) => each.name === name)?.settings.url;
    if (!url || url.default === "" || values[name]?.url !== url.default) return [];
    return [
      `${upstreamSettings.standIns.name} is on, and ${url.name} is the address of ${name} itself: set it to a stand-in's, or take ${name} out of ${settings.upstreams.name}.`,
    ];
  });
}

function overridesIn(environment: Record<string, string | undefined>): { name: string; value: string }[] {
  return everySetting.flatMap(({ name, default: usual, secret, onlyCall }) => {
    const text = environment[name] || (secret && environment[`${name}_FILE`]) || usual;
    return text === usual || onlyCall ? [] : [{ name, value: secret ? "(a secret)" : withoutUser(text) }];
  });
}

/** A URL without user and password. Other text is unchanged. */
function withoutUser(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, "$1");
}

function valuesOf(
  members: Readonly<Record<string, Setting<unknown>>>,
  environment: Record<string, string | undefined>,
  problems: string[],
): Record<string, unknown> {
  const read = Object.entries(members).map(([member, setting]) => {
    const text = setting.secret ? secretOf(setting.name, environment, problems) : environment[setting.name];
    const value = setting.read(text || setting.default);
    if (value === undefined)
      problems.push(
        [`${setting.name} must be ${setting.form}.`, ...(setting.problemsIn?.(text ?? "") ?? [])].join(" "),
      );
    return [member, value];
  });
  return Object.fromEntries(read);
}

/** Reads a secret from the environment, or from the file that `NAME_FILE` names. */
export function secretOf(
  name: string,
  environment: Record<string, string | undefined>,
  problems: string[],
): string | undefined {
  const file = environment[`${name}_FILE`];
  if (!file) return environment[name];
  if (environment[name]) problems.push(`${name} and ${name}_FILE are both set: remove one of them.`);
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    problems.push(`Duba cannot read the file that ${name}_FILE names (${(error as NodeJS.ErrnoException).code}).`);
    return undefined;
  }
}
