import { catalogueList } from "./list.ts";
import { providerMembers } from "./providers.ts";

export const cableProviders = catalogueList({
  name: "cable-providers",
  one: "cable provider",
  many: "cable providers",
  title: "CableProvider",
  members: providerMembers,
  key: ["type"],
  isOpen: true,
  served: { path: "cable-tv/fetch-providers", entries: ["billers"] },
});
