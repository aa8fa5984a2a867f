import { setting, someTime, timeFrom } from "../../operation/setting.ts";
import type { PulledList } from "../../upstreams/ports/catalogue-source.ts";
import { catalogueSources } from "../../upstreams/registry.ts";

const names = catalogueSources.map(({ name }) => name);

/** How often a source is pulled, and when its lists are stale, in milliseconds: a source may want few pulls. */
export function followTimes(name: string, { every, staleAfter }: { every: number; staleAfter: number }) {
  const pace = catalogueSources.find((source) => source.name === name)?.pace ?? 0;
  return { every: Math.max(every, pace), staleAfter: Math.max(staleAfter, 2 * pace) };
}

/** Where a list comes from, and which source it is compared with. */
export interface ListSource {
  readonly list: PulledList;
  readonly source: string;
  readonly comparedWith: string | null;
}

/** A list has one source. One to compare with is asked at each pull, so it must have no pace of its own. */
function listSourcesIn(text: string): ListSource[] | undefined {
  const sourceOf = (name: string | undefined, list: string) =>
    catalogueSources.find((source) => source.name === name && (source.covers as readonly string[]).includes(list));
  const read = text.split(",").flatMap((part) => {
    const [, list = "", source, other] = /^\s*([a-z-]+)\s*=\s*([a-z]+)(?:\s*\+\s*([a-z]+))?\s*$/.exec(part) ?? [];
    if (!sourceOf(source, list)) return [];
    const compared = sourceOf(other, list);
    if (other !== undefined && (other === source || !compared || compared.pace !== undefined)) return [];
    return [{ list: list as PulledList, source: source!, comparedWith: other ?? null }];
  });
  const isWhole = read.length === text.split(",").length && new Set(read.map(({ list }) => list)).size === read.length;
  return isWhole ? read : undefined;
}

/** How far prices of two sources may be apart: 0.2 is 20 % of the second one's. */
export interface PriceDifference {
  readonly part: number;
  readonly holds: boolean;
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
  sources: setting({
    name: "DUBA_CATALOGUE_SOURCES",
    default: "",
    about:
      "A source for each list, in place of DUBA_CATALOGUE_SOURCE, and after + one to compare its prices with, such as data-bundles=ebills+vtpass,cable-add-ons=baxi. Lists that are not named change by imports only.",
    form: "lists with a source that has them, such as data-bundles=ebills+vtpass,cable-add-ons=baxi, or empty; each list once, and after + another source, which may be asked at each pull",
    read: (text): readonly ListSource[] | undefined => (text === "" ? [] : listSourcesIn(text)),
  }),
  difference: setting({
    name: "DUBA_CATALOGUE_DIFFERENCE",
    default: "20%",
    about:
      "How far a price may be from that of the source to compare with. Duba tells which are further and which are missing there; with =hold, as in 20%=hold, a new price of such an entry waits for approval.",
    form: "a percentage from 0% to 999%, with =hold after it or not",
    read(text): PriceDifference | undefined {
      const [, percent, hold] = /^(\d{1,3})\s?%(=hold)?$/.exec(text) ?? [];
      return percent === undefined ? undefined : { part: Number(percent) / 100, holds: hold !== undefined };
    },
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
