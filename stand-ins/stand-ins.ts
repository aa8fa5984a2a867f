import { baxiStandIn } from "./baxi/stand-in.ts";
import { blusaltStandIn } from "./blusalt/stand-in.ts";
import { dojahStandIn } from "./dojah/stand-in.ts";
import { ebillsStandIn } from "./ebills/stand-in.ts";
import { korapayStandIn } from "./korapay/stand-in.ts";
import { premblyStandIn } from "./prembly/stand-in.ts";
import { qoreidStandIn } from "./qoreid/stand-in.ts";
import { seamfixStandIn } from "./seamfix/stand-in.ts";
import type { SourceStandIn } from "./source-stand-in.ts";
import type { StandIn } from "./stand-in.ts";
import { youverifyStandIn } from "./youverify/stand-in.ts";

/** Stand-ins by the name of the identity vendor. Each vendor and source of the registry is in one of these tables. */
export const standIns: Readonly<Record<string, StandIn<object>>> = {
  blusalt: blusaltStandIn,
  dojah: dojahStandIn,
  korapay: korapayStandIn,
  prembly: premblyStandIn,
  qoreid: qoreidStandIn,
  seamfix: seamfixStandIn,
  youverify: youverifyStandIn,
};

/** Stand-ins by the name of the catalogue source. */
export const sourceStandIns: Readonly<Record<string, SourceStandIn>> = { baxi: baxiStandIn, ebills: ebillsStandIn };

/** Vendors and sources that have no stand-in, and why. */
export const withoutStandIn: Readonly<Record<string, string>> = {
  peer: "Another Duba that rehearses with a stand-in takes its place.",
  vtpass: "Its own sandbox takes its place.",
};
