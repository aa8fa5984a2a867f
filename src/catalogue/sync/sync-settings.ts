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

interface NamedLists {
  readonly list: string;
  readonly source: (typeof catalogueSources)[number] | undefined;
  /** Undefined: none is named. Null: there is no such source. */
  readonly other: (typeof catalogueSources)[number] | null | undefined;
}

const sourceNamed = (name: string) => catalogueSources.find((source) => source.name === name);

function partsOf(text: string): NamedLists[] {
  return text.split(",").map((part) => {
    const [, list = "", source = "", other] = /^\s*([a-z-]+)\s*=\s*([a-z]+)(?:\s*\+\s*([a-z]+))?\s*$/.exec(part) ?? [];
    return { list, source: sourceNamed(source), other: other === undefined ? undefined : (sourceNamed(other) ?? null) };
  });
}

const gives = (source: { covers: readonly string[] }, list: string) => source.covers.includes(list);

/** A list has one source. One to compare with is asked at each pull, so it must have no pace of its own. */
function listSourcesIn(text: string): ListSource[] | undefined {
  const parts = partsOf(text);
  const read = parts.flatMap(({ list, source, other }) => {
    if (!source || !gives(source, list) || other === null || other === source) return [];
    if (other && (!gives(other, list) || other.pace !== undefined)) return [];
    return [{ list: list as PulledList, source: source.name, comparedWith: other?.name ?? null }];
  });
  const isWhole = read.length === parts.length && new Set(read.map(({ list }) => list)).size === read.length;
  return isWhole ? read : undefined;
}

/** The lists that a named source lacks, in sentences. */
function lackingIn(text: string): string[] {
  const known = catalogueSources.flatMap(({ covers }): readonly string[] => covers);
  return partsOf(text)
    .filter(({ list }) => known.includes(list))
    .flatMap(({ list, source, other }) => [
      ...[source, other].flatMap((it) =>
        !it || gives(it, list) ? [] : `${it.name} has no ${list}, only ${it.covers.join(", ")}.`,
      ),
      ...(other?.pace !== undefined && gives(other, list)
        ? [`${other.name} has ${list}, but may not be asked at each pull.`]
        : []),
    ]);
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
    faultsIn: lackingIn,
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
