import { type RunningStandIn, type StandInOptions, startIdentityStandIn } from "../../../stand-ins/identity-server.ts";
import { type RunningSourceStandIn, startSourceStandIn } from "../../../stand-ins/source-server.ts";
import { starterLists } from "../../catalogue/starter.ts";
import { inventedPerson } from "../../checks/invented-person.ts";
import { standInHeader } from "../../vendors/ports/stand-in.ts";
import type { Vendor } from "../../vendors/ports/vendor.ts";

/** Starts the stand-in of an identity vendor with the sandbox's people. */
export function startStandIn(
  { name, testInput }: Pick<Vendor, "name" | "testInput">,
  options: Omit<StandInOptions, "header" | "person" | "testNumber">,
): Promise<RunningStandIn> {
  const testNumber = testInput && { number: testInput.number, phone: testInput.claims.phone! };
  return startIdentityStandIn(name, { ...options, header: standInHeader, person: inventedPerson, testNumber });
}

/** Starts the stand-in of a catalogue source with the lists of the starter catalogue. */
export async function startListsStandIn(
  name: string,
  place: { host?: string; port: number },
): Promise<RunningSourceStandIn> {
  return startSourceStandIn(name, await starterLists(), { ...place, header: standInHeader });
}
