import type { Operation } from "../../declare/operation.ts";
import type { Catalogue } from "../catalogue.ts";
import { fetchCablePlans } from "./fetchCablePlans.ts";
import { fetchCableProviders } from "./fetchCableProviders.ts";
import { fetchDataProviders } from "./fetchDataProviders.ts";
import { fetchTvAddOns } from "./fetchTvAddOns.ts";
import { listCorporateBundles } from "./listCorporateBundles.ts";
import { lookupDataBundles } from "./lookupDataBundles.ts";

/** The catalogue's operations: the documented ones in the document's order, then those for compatibility. */
export const catalogueOperations: Operation<Catalogue>[] = [
  lookupDataBundles,
  listCorporateBundles,
  fetchTvAddOns,
  fetchDataProviders,
  fetchCableProviders,
  fetchCablePlans,
];
