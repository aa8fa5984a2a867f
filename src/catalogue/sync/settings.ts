import { duration, setting, someTime } from "../../operation/setting.ts";
import { catalogueSources } from "../../upstreams/registry.ts";

const names = catalogueSources.map(({ name }) => name);

/** Settings of the source that the catalogue follows. Those of the source itself are its own. */
export const syncSettings = {
  source: setting({
    name: "DUBA_CATALOGUE_SOURCE",
    default: "",
    about: "Source that the catalogue follows. Empty: it is changed by imports alone.",
    form: `${names.join(" or ")}, or empty`,
    read: (text) => (text === "" || names.includes(text) ? text : undefined),
  }),
  every: setting({
    name: "DUBA_CATALOGUE_PULL_EVERY",
    default: "15min",
    about: "How often the source is asked, by one of all instances; a tenth longer at most, drawn by lot.",
    form: "a length of time of 10s or more",
    read: (text) => {
      const milliseconds = duration.read(text);
      return milliseconds !== undefined && milliseconds >= 10_000 ? milliseconds : undefined;
    },
  }),
  staleAfter: setting({
    name: "DUBA_CATALOGUE_STALE_AFTER",
    default: "24h",
    about: "How long ago the last successful pull may be before answers say Duba-Catalogue-Stale.",
    ...someTime,
  }),
};
