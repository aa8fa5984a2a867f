import { blusalt } from "./blusalt/index.ts";
import { compatible } from "./compatible/index.ts";
import { dojah } from "./dojah/index.ts";
import type { Vendor } from "./vendor.ts";

/** Every live vendor, one line each. The sandbox is none: test keys reach it and nothing else, live keys never do. */
export const vendors: readonly Vendor[] = [blusalt, compatible, dojah];
