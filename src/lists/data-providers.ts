import { catalogueList } from "./list.ts";
import { providerMembers } from "./providers.ts";

export const dataProviders = catalogueList({
  name: "data-providers",
  one: "data provider",
  many: "data providers",
  title: "DataProvider",
  members: providerMembers,
  key: ["type"],
  served: { path: "internet/data/fetch-providers", entries: ["billers"] },
});
