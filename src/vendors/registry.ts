import { blusalt } from "./blusalt/index.ts";
import { dojah } from "./dojah/index.ts";
import { korapay } from "./korapay/index.ts";
import { peer } from "./peer/index.ts";
import type { Vendor } from "./ports/vendor.ts";
import { prembly } from "./prembly/index.ts";
import { qoreid } from "./qoreid/index.ts";
import { seamfix } from "./seamfix/index.ts";
import { youverify } from "./youverify/index.ts";

/** All live vendors. The sandbox is not one of them: only test keys reach it. */
export const vendors: readonly Vendor[] = [blusalt, dojah, korapay, peer, prembly, qoreid, seamfix, youverify];

/** A vendor as people write it: "Dojah". */
export function vendorTitle(name: string): string {
  return vendors.find((each) => each.name === name)?.title ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
