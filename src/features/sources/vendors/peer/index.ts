import { listNames } from "../../../../lists/index.ts";
import { peer } from "../../../../vendors/peer/index.ts";
import { catalogueSource } from "../catalogue-source.ts";

const { name, settings } = peer;

/**
 * The catalogue of any server with Duba's own interface, another Duba included, at the prices of the account there.
 * Every request has the account's token, because open operations return an account's own prices as well. If the server
 * has a change feed (`/catalogue/changes`), a process reads all lists once, and then only the changes.
 */
export const peerCatalogue = catalogueSource({
  name,
  about: "Any server with this same interface, such as another Duba; run against Duba itself.",
  settings: { url: settings.url!, email: settings.email!, key: settings.key! },
  covers: listNames,
  open: async (...given) => (await import("./catalogue-pull.ts")).pullFrom(...given),
});
