import type { CatalogueSource } from "./ports/catalogue-source.ts";
import type { Vendor } from "./ports/vendor.ts";
import { blusalt } from "./vendors/blusalt/index.ts";
import { dojah } from "./vendors/dojah/index.ts";
import { peerCatalogue } from "./vendors/peer/catalogue.ts";
import { peer } from "./vendors/peer/index.ts";
import { vtpass } from "./vendors/vtpass/index.ts";

/** Every live vendor, one line each. The sandbox is none: test keys reach it and nothing else, live keys never do. */
export const vendors: readonly Vendor[] = [blusalt, dojah, peer];

/** Every source of a catalogue, one line each. */
export const catalogueSources: readonly CatalogueSource[] = [peerCatalogue, vtpass];
