import type { StandIn } from "../ports/stand-in.ts";
import { premblyStandIn } from "../vendors/prembly/stand-in.ts";

/** By the name of the vendor. */
export const standIns: Readonly<Record<string, StandIn>> = {
  prembly: premblyStandIn,
};
