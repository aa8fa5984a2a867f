import type { CatalogueSource } from "./ports/catalogue-source.ts";
import type { Vendor } from "./ports/vendor.ts";
import { baxi } from "./vendors/baxi/index.ts";
import { blusalt } from "./vendors/blusalt/index.ts";
import { dojah } from "./vendors/dojah/index.ts";
import { ebills } from "./vendors/ebills/index.ts";
import { korapay } from "./vendors/korapay/index.ts";
import { peerCatalogue } from "./vendors/peer/catalogue.ts";
import { peer } from "./vendors/peer/index.ts";
import { prembly } from "./vendors/prembly/index.ts";
import { qoreid } from "./vendors/qoreid/index.ts";
import { seamfix } from "./vendors/seamfix/index.ts";
import { vtpass } from "./vendors/vtpass/index.ts";
import { youverify } from "./vendors/youverify/index.ts";

/** All live vendors. The sandbox is not one of them: only test keys reach it. */
export const vendors: readonly Vendor[] = [blusalt, dojah, korapay, peer, prembly, qoreid, seamfix, youverify];

/** A vendor as people write it: "Dojah". */
export function vendorTitle(name: string): string {
  return vendors.find((each) => each.name === name)?.title ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** All sources of a catalogue. */
export const catalogueSources: readonly CatalogueSource[] = [peerCatalogue, vtpass, ebills, baxi];
