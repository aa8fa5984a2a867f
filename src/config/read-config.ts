import { readFileSync } from "node:fs";
import { closestName } from "../declare/closest-name.ts";
import type { Setting } from "../declare/setting.ts";
import { isLoopback } from "../runtime/network/address.ts";
import { isSandbox, missingOf, type VendorValues } from "../vendors/ports/vendor.ts";
import { vendorFiles, vendors } from "../vendors/registry.ts";
import { upstreamPauses, upstreamSettings } from "../vendors/upstream-settings.ts";
import { type FixedValues, fixedValues } from "./fixed-values.ts";
import { coreSettings, settings } from "./settings.ts";

/** The bootstrap key of the documentation's examples. */
const publishedKey = "a-known-key-for-the-sandbox";

/** Environment variables of programs that call Duba, as the guides name them. */
const namesOfCallers = ["DUBA_KEY", "DUBA_WEBHOOK_SECRET"];

/** The part of a setting's name in which names differ. */
const withoutPrefix = (name: string) => name.replace(/^DUBA_/, "");

type Values<Settings extends Readonly<Record<string, Setting<unknown>>>> = {
  [Name in keyof Settings]: Exclude<ReturnType<Settings[Name]["read"]>, undefined>;
};

export type Config = Values<typeof settings> &
  FixedValues & {
    /** Which changes of the catalogue wait for approval. */
    guard: { removal: number; factor: number; mean: number };
    /** Sentences about settings of former versions that are set. */
    formerSettings: readonly string[];
    /** The values of the settings of features. */
    ofFeatures: ReadonlyMap<Setting<unknown>, unknown>;
    /** Sentences of features about settings that may be right but are dangerous, by the settings' names. */
    risksOfFeatures: Readonly<Record<string, string>>;
    /** What all vendors share. */
    upstream: Values<typeof upstreamSettings> & ReturnType<typeof upstreamPauses>;
    /**
     * Settings that differ from their defaults, for the audit trail: no secret's text, no user or password of a URL.
     */
    overrides: readonly { name: string; value: string }[];
    /** By the name of the vendor. */
    vendors: Readonly<Record<string, VendorValues>>;
    /** Time-out of each vendor in milliseconds, by its name. */
    vendorTimeouts: Readonly<Record<string, number>>;
  };

/** The settings of a feature, and its checks of the configuration. */
export interface FeatureSettings {
  settings?: Readonly<Record<string, Setting<unknown>>>;
  /** Sentences about settings that contradict each other. A single wrong setting has a sentence of its own. */
  misfits?: (config: Config) => Iterable<string>;
  /** A sentence about each setting that may be right but is dangerous if set by mistake, by its name. */
  risks?: (config: Config) => Readonly<Record<string, string>>;
}

/** One or more settings are wrong; `message` has a sentence for each. */
export class ConfigError extends Error {
  readonly exitCode = 2;
}

/**
 * Reads the settings of the core and of these features from the environment. An unset or empty setting has its default.
 * Throws a `ConfigError` that lists every problem at once. An unknown name that begins with DUBA_ is a problem, because
 * it is probably a typing error.
 */
export function readConfig(
  given: Record<string, string | undefined>,
  features: readonly FeatureSettings[] = [],
): Config {
  const ofFeatures = features.flatMap(({ settings }) => Object.values(settings ?? {}));
  // A feature may share a setting with a vendor.
  const everySetting = [...new Set([...coreSettings, ...ofFeatures])];
  const problems: string[] = [];
  const former = formerTexts(given, everySetting, problems);
  const environment = { ...given, ...former };
  const upstream = valuesOf(upstreamSettings, environment, problems) as Values<typeof upstreamSettings>;
  const own = valuesOf(settings, environment, problems) as Values<typeof settings>;
  const config: Config = {
    ...fixedValues,
    ...own,
    guard: { removal: own.guardRemoval, factor: own.guardFactor, mean: own.guardMean },
    formerSettings: everySetting.flatMap((setting) =>
      setting.former && setting.name in former
        ? [`${setting.former.name} is read until 0.3. Write ${setting.name}=${former[setting.name]} instead.`]
        : [],
    ),
    ofFeatures: new Map(
      ofFeatures.map((setting) => [setting, valuesOf({ value: setting }, environment, problems).value] as const),
    ),
    risksOfFeatures: {},
    overrides: overridesIn(environment, everySetting),
    upstream: { ...upstream, ...upstreamPauses(upstream.standIns) },
    vendors: Object.fromEntries(
      vendors.map(({ name, settings }) => [name, valuesOf(settings, environment, problems) as VendorValues]),
    ),
    vendorTimeouts: {},
  };
  const common = environment[upstreamSettings.timeout.name] ? config.upstream.timeout : undefined;
  config.vendorTimeouts = Object.fromEntries(
    vendors.map(({ name, timeout }) => [name, common ?? timeout ?? config.upstream.timeout]),
  );
  problems.push(...vendorFileProblems(config, everySetting), ...vendorProblems(config, common !== undefined));
  for (const { misfits } of features) problems.push(...(misfits?.(config) ?? []));
  const isLocal = config.host === undefined || isLoopback(config.host);
  if (config.bootstrapKey === publishedKey && !isLocal)
    problems.push(
      `${settings.bootstrapKey.name} is a key that earlier documentation published, and ${settings.host.name} opens the service to the network. Choose another key, or set ${settings.host.name} to 127.0.0.1.`,
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
  const formerNames = everySetting.flatMap(({ former }) => former?.name ?? []);
  for (const name of Object.keys(environment)) {
    if (
      !name.startsWith("DUBA_") ||
      name.startsWith("DUBA_TEST_") ||
      [...known, ...formerNames, ...namesOfCallers].includes(name)
    )
      continue;
    const meant = closestName(withoutPrefix(name), known.map(withoutPrefix));
    const full = known.find((each) => withoutPrefix(each) === meant);
    problems.push(`${name} is not a setting of Duba.${full === undefined ? "" : ` Did you mean ${full}?`}`);
  }
  // A setting that a feature shares with a vendor has its problem twice.
  if (problems.length > 0) throw new ConfigError([...new Set(problems)].join("\n"));
  config.risksOfFeatures = Object.assign({}, ...features.map(({ risks }) => risks?.(config)));
  return config;
}

/** The problems of the operator's vendor files, which were read when the process began. */
function vendorFileProblems({ vendorFiles: folder }: Config, all: readonly Setting<unknown>[]): string[] {
  if (folder !== vendorFiles.folder)
    return [`${settings.vendorFiles.name} must be in the environment of the process when it begins.`];
  const own = vendors.filter(({ name }) => vendorFiles.names.includes(name));
  const taken = own.flatMap(({ name: vendor, settings: of }) =>
    Object.values(of)
      .filter(({ name }) => all.filter((each) => each.name === name).length > 1)
      .map(
        ({ name }) =>
          `The vendor file of ${vendor} names ${name}, which is another setting of Duba: choose another name.`,
      ),
  );
  return [...vendorFiles.problems, ...taken];
}

/** The texts that a setting of a former version contains for today's settings, by their names. */
function formerTexts(
  given: Record<string, string | undefined>,
  all: readonly Setting<unknown>[],
  problems: string[],
): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { name, former } of all) {
    const whole = former && given[former.name];
    if (!whole) continue;
    if (!former.isFit(whole)) {
      const instead = all.filter((each) => each.former?.name === former.name).map((each) => each.name);
      problems.push(`${former.name} has a form that Duba does not know. Set ${instead.join(", ")} instead.`);
      continue;
    }
    const text = former.read(whole);
    if (!text) continue;
    if (given[name])
      problems.push(`${name} and ${former.name}, which it was in 0.1, are both set: remove ${former.name}.`);
    else texts[name] = text;
  }
  return texts;
}

/** The value of a feature's setting. If the configuration was read without the feature, its default. */
export function settingOf<Value>({ ofFeatures }: Pick<Config, "ofFeatures">, setting: Setting<Value>): Value {
  return (ofFeatures.has(setting) ? ofFeatures.get(setting) : setting.read(setting.default)) as Value;
}

/**
 * Missing and contradictory settings of vendors. A single wrong setting has a problem of its own. `isTimed`: the
 * vendors' time-out is set.
 */
function* vendorProblems(config: Config, isTimed: boolean): Generator<string> {
  const { upstream, upstreams = [], vendorPrices: prices, verificationTimeout: limit } = config;
  const { upstreams: listed, route, routeShare: share, routeAfterNotFound: after } = settings;
  const isNext = typeof config.routeAfterNotFound === "number";
  const compares = config.route === "cheapest" ? `${route.name} is cheapest` : isNext && `${after.name} is next`;
  for (const vendor of vendors.filter(({ name }) => upstreams.includes(name))) {
    const { name, settings: own } = vendor;
    const values = config.vendors[name]!;
    const missing = missingOf(vendor, values);
    if (missing.length > 0) yield `${listed.name} names ${name}, but ${missing.join(", ")} must be set for it.`;
    const { url } = own;
    if (url && isSandbox(values))
      yield `${listed.name} names ${name}, and ${url.name} is its sandbox: live keys would get invented people. Set its live address, or take ${name} out.`;
    // In a rehearsal no vendor may get a request about a real person.
    if (upstream.standIns && url && url.default !== "" && values.url === url.default)
      yield `${upstreamSettings.standIns.name} is on, and ${url.name} is the address of ${name} itself: set it to a stand-in's, or take ${name} out of ${listed.name}.`;
    if (compares && prices && Object.keys(prices[name] ?? {}).length === 0)
      yield `${compares}, and nothing says what ${name} bills: name it in ${settings.vendorPrices.name}, such as ${name}=50.`;
  }
  for (const { vendor } of (config.upstreams && config.routeShare) ?? [])
    if (!upstreams.includes(vendor))
      yield `${share.name} names ${vendor}, and ${listed.name} does not: name it in both, or in neither.`;
  // The vendor's time must end before the verification's time, so that the response has the outcome. A vendor with a
  // time-out of its own may take longer.
  const isUsed = isTimed || vendors.some(({ name, timeout }) => !timeout && upstreams.includes(name));
  const [own, whole] = [upstreamSettings.timeout.name, settings.verificationTimeout.name];
  if (isUsed && upstream.timeout >= limit)
    yield `${own} is ${upstream.timeout}ms and ${whole} is ${limit}ms: ${own} must be shorter, such as ${Math.ceil(limit * 0.75)}ms.`;
}

function overridesIn(
  environment: Record<string, string | undefined>,
  all: readonly Setting<unknown>[],
): { name: string; value: string }[] {
  return all.flatMap(({ name, default: usual, secret, onlyCall }) => {
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
