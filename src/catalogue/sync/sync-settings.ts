import { setting, someTime, timeFrom } from "../../operation/setting.ts";
import { catalogueSources } from "../../upstreams/registry.ts";

const names = catalogueSources.map(({ name }) => name);

/** How often a source is pulled, and when its lists are stale, in milliseconds: a source may want few pulls. */
export function followTimes(name: string, { every, staleAfter }: { every: number; staleAfter: number }) {
  const pace = catalogueSources.find((source) => source.name === name)?.pace ?? 0;
  return { every: Math.max(every, pace), staleAfter: Math.max(staleAfter, 2 * pace) };
}

/** Each source declares its own settings in its folder. */
export const syncSettings = {
  source: setting({
    name: "DUBA_CATALOGUE_SOURCE",
    default: "",
    about: "Source from which Duba updates the catalogue. Empty: only imports change the catalogue.",
    form: `${names.join(", ")}, or empty`,
    read: (text) => (text === "" || names.includes(text) ? text : undefined),
  }),
  every: setting({
    name: "DUBA_CATALOGUE_PULL_EVERY",
    default: "15min",
    about: "How often one of the instances updates the catalogue from the source, plus up to 10 % jitter.",
    ...timeFrom("10s"),
  }),
  staleAfter: setting({
    name: "DUBA_CATALOGUE_STALE_AFTER",
    default: "24h",
    about: "If the last successful update is older than this, responses have the header Duba-Catalogue-Stale.",
    ...someTime,
  }),
};
