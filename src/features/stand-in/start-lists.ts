import { type RunningSourceStandIn, startSourceStandIn } from "../../../stand-ins/source-server.ts";
import { starterLists } from "../../catalogue/starter.ts";
import { standInHeader } from "../../vendors/ports/stand-in.ts";

/** Starts the stand-in of a catalogue source with the lists of the starter catalogue. */
export async function startListsStandIn(
  name: string,
  place: { host?: string; port: number },
): Promise<RunningSourceStandIn> {
  return startSourceStandIn(name, await starterLists(), { ...place, header: standInHeader });
}
