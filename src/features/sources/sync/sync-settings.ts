import { type Config, settingOf } from "../../../config/read-config.ts";
import { timeFrom } from "../../../declare/duration.ts";
import { setting } from "../../../declare/setting.ts";
import type { ListName } from "../../../lists/index.ts";
import { missingOf } from "../../../vendors/ports/vendor.ts";
import { vendorRisks } from "../../../vendors/vendor-risks.ts";
import { catalogueSources, valuesOfSource } from "../vendors/every-source.ts";

const names = catalogueSources.map(({ name }) => name);

/**
 * How often a source is pulled, and when its lists become stale, in milliseconds. A source may require longer
 * intervals.
 */
export function followTimes(name: string, { every, staleAfter }: { every: number; staleAfter: number }) {
  const pace = catalogueSources.find((source) => source.name === name)?.pace ?? 0;
  return { every: Math.max(every, pace), staleAfter: Math.max(staleAfter, 2 * pace) };
}

/** A source and the lists that this source supplies here. */
export interface FollowedSource {
  readonly name: string;
  readonly covers: readonly ListName[];
}

/** A source with all of its lists; undefined for an unknown source. */
export function withAllLists(name: string): FollowedSource | undefined {
  const source = catalogueSources.find((each) => each.name === name);
  return source && { name, covers: source.covers };
}

function partsOf(text: string) {
  return text.split(",").map((part) => {
    const [, list = "", name = ""] = /^\s*([a-z-]+)\s*=\s*([a-z]+)\s*$/.exec(part) ?? [];
    return { list, source: withAllLists(name) };
  });
}

const gives = ({ covers }: FollowedSource, list: string) => covers.some((each) => each === list);

/** The sources of lists that are named one by one, each source once. A list has one source. */
function sourcesOfLists(text: string): FollowedSource[] | undefined {
  const parts = partsOf(text);
  const read = parts.flatMap(({ list, source }) =>
    source && gives(source, list) ? [{ list: list as ListName, name: source.name }] : [],
  );
  if (read.length < parts.length || new Set(read.map(({ list }) => list)).size < read.length) return undefined;
  return Map.groupBy(read, ({ name }) => name)
    .entries()
    .map(([name, lists]) => ({ name, covers: lists.map(({ list }) => list) }))
    .toArray();
}

/** Sentences about lists that a named source does not have. */
function lackingIn(text: string): string[] {
  const known = catalogueSources.flatMap(({ covers }): readonly string[] => covers);
  return partsOf(text).flatMap(({ list, source }) =>
    source && known.includes(list) && !gives(source, list)
      ? [`${source.name} has no ${list}, only ${source.covers.join(", ")}.`]
      : [],
  );
}

/**
 * Each source declares its own settings in its folder. Another Duba as a source shares its settings with the identity
 * vendor.
 */
export const syncSettings = {
  sources: setting({
    name: "DUBA_CATALOGUE_SOURCE",
    default: "",
    about:
      "Source from which Duba updates the catalogue, or one for each list, such as " +
      "data-bundles=ebills,cable-add-ons=baxi. Lists without a source change by imports only.",
    form: `${names.join(", ")}, or lists with a source that has them, such as data-bundles=ebills,cable-add-ons=baxi, each list once, or empty`,
    read(text): readonly FollowedSource[] | undefined {
      if (text === "") return [];
      const whole = withAllLists(text);
      return whole ? [whole] : sourcesOfLists(text);
    },
    problemsIn: lackingIn,
  }),
  every: setting({
    name: "DUBA_CATALOGUE_PULL_EVERY",
    default: "15min",
    about: "How often one of the instances updates the catalogue from the source, plus up to 10 % jitter.",
    ...timeFrom("10s"),
  }),
};

/** Which sources are followed, how often, and when their lists are stale. */
export function pullOf(config: Pick<Config, "ofFeatures" | "staleAfter">) {
  return {
    sources: settingOf(config, syncSettings.sources),
    every: settingOf(config, syncSettings.every),
    staleAfter: config.staleAfter,
  };
}

/** Yields a sentence for each followed source that lacks settings. */
export function* sourceMisfits(config: Config): Generator<string> {
  for (const source of followedIn(config)) {
    const missing = missingOf(source, valuesOfSource(source, config)).join(", ");
    if (missing !== "") yield `${syncSettings.sources.name} names ${source.name}, but ${missing} must be set for it.`;
  }
}

/** A sentence about each dangerous setting of followed sources, by the setting's name. */
export function sourceRisks(config: Config): Record<string, string> {
  const { standIns } = config.upstream;
  const risks = followedIn(config).map((source) => vendorRisks(source, valuesOfSource(source, config), standIns));
  return Object.assign({}, ...risks);
}

function followedIn(config: Config) {
  const { sources } = pullOf(config);
  // Undefined if the setting is wrong.
  return catalogueSources.filter(({ name }) => sources?.some((each) => each.name === name));
}
