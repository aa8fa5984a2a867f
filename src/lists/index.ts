import type { Static } from "../declare/schema/type.ts";
import { cableAddOns } from "./cable-add-ons.ts";
import { cableProducts } from "./cable-products.ts";
import { cableProviders } from "./cable-providers.ts";
import { corporateBundles } from "./corporate-bundles.ts";
import { dataBundles } from "./data-bundles.ts";
import { dataProviders } from "./data-providers.ts";
import type { DeclaredList } from "./list.ts";

/** Every list of the catalogue. Each comes after the list of its parents. */
const every = [dataProviders, dataBundles, corporateBundles, cableProviders, cableProducts, cableAddOns] as const;

type Every = (typeof every)[number];
export type ListName = Every["name"];
/** The lists whose entries are for sale. */
export type SoldListName = Extract<Every, { isSold: true }>["name"];

/** Every list by its name. */
export const lists = Object.fromEntries(every.map((each) => [each.name, each])) as unknown as {
  readonly [List in Every as List["name"]]: List;
};
export const listNames: readonly ListName[] = every.map(({ name }) => name);

/** A list whose members are not known to the compiler. */
export function declaredList(name: ListName): DeclaredList {
  return lists[name];
}

/** An entry of a source, with the members of the interface document in their order. Money is naira text. */
export type SourceEntryOf<Name extends ListName> = Static<(typeof lists)[Name]["sourceEntry"]>;

/** A source's facts about an entry beyond the interface. For an absent member the catalogue keeps the known fact. */
export type EntrySupply = {
  /** The operator's cost, in naira text above 0; empty if the source no longer knows the cost. */
  cost?: string;
  /** Whether the entry is available. An unavailable entry leaves the lists of clients, and stays in the catalogue. */
  available?: boolean;
};

/** A source's lists for a catalogue. If an entry occurs twice in a list, the first one counts. */
export type CatalogueLists = {
  [Name in ListName]: (SourceEntryOf<Name> & (Name extends SoldListName ? EntrySupply : unknown))[];
};
