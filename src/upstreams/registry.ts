import { blusalt } from "./blusalt/index.ts";
import type { CatalogueSource } from "./catalogue-source.ts";
import { compatibleCatalogue } from "./compatible/catalogue.ts";
import { compatible } from "./compatible/index.ts";
import { dojah } from "./dojah/index.ts";
import type { Vendor } from "./vendor.ts";
import { vtpass } from "./vtpass/index.ts";

/** Every live vendor, one line each. The sandbox is none: test keys reach it and nothing else, live keys never do. */
export const vendors: readonly Vendor[] = [blusalt, compatible, dojah];

/** Every source of a catalogue, one line each. */
export const catalogueSources: readonly CatalogueSource[] = [compatibleCatalogue, vtpass];
