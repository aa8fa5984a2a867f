import type { SourceStandIn } from "../ports/source-stand-in.ts";
import type { StandIn } from "../ports/stand-in.ts";
import { baxiStandIn } from "../vendors/baxi/stand-in.ts";
import { blusaltStandIn } from "../vendors/blusalt/stand-in.ts";
import { dojahStandIn } from "../vendors/dojah/stand-in.ts";
import { ebillsStandIn } from "../vendors/ebills/stand-in.ts";
import { korapayStandIn } from "../vendors/korapay/stand-in.ts";
import { premblyStandIn } from "../vendors/prembly/stand-in.ts";
import { qoreidStandIn } from "../vendors/qoreid/stand-in.ts";
import { seamfixStandIn } from "../vendors/seamfix/stand-in.ts";
import { youverifyStandIn } from "../vendors/youverify/stand-in.ts";

/** By the name of the identity vendor. Each vendor and source of the registry is in one of these tables. */
export const standIns: Readonly<Record<string, StandIn>> = {
  blusalt: blusaltStandIn,
  dojah: dojahStandIn,
  korapay: korapayStandIn,
  prembly: premblyStandIn,
  qoreid: qoreidStandIn,
  seamfix: seamfixStandIn,
  youverify: youverifyStandIn,
};

/** The same of sources of the catalogue. */
export const sourceStandIns: Readonly<Record<string, SourceStandIn>> = { baxi: baxiStandIn, ebills: ebillsStandIn };

/** Vendors and sources that have none, and why. */
export const withoutStandIn: Readonly<Record<string, string>> = {
  peer: "Another Duba that rehearses with a stand-in takes its place.",
  vtpass: "Its own sandbox takes its place.",
};
