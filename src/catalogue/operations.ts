import type { Operation } from "../contract/operation.ts";
import type { Catalogue } from "./catalogue.ts";
import { fetchCablePlans } from "./fetch-cable-plans.ts";
import { fetchCableProviders } from "./fetch-cable-providers.ts";
import { fetchDataProviders } from "./fetch-data-providers.ts";
import { fetchTvAddOns } from "./fetch-tv-add-ons.ts";
import { listCatalogueChanges } from "./list-catalogue-changes.ts";
import { listCorporateBundles } from "./list-corporate-bundles.ts";
import { lookupDataBundles } from "./lookup-data-bundles.ts";

/** The catalogue's operations: the documented ones in the document's order, then those for compatibility, then our own. */
export const catalogueOperations: Operation<Catalogue>[] = [
  lookupDataBundles,
  listCorporateBundles,
  fetchTvAddOns,
  fetchDataProviders,
  fetchCableProviders,
  fetchCablePlans,
  listCatalogueChanges,
];
