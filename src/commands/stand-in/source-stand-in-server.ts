import { starterLists } from "../../catalogue/starter.ts";
import { sourceStandIns } from "../../upstreams/stand-in/stand-ins.ts";
import { listenAsStandIn, type Running, type StandInPlace, sendJson } from "./stand-in-listener.ts";

/** A stand-in that serves. */
export interface RunningSourceStandIn extends Running {
  /** The status of each response. */
  statuses: readonly number[];
}

/** Speaks the source's wire with the lists of the starter catalogue. Rejects with Node's error if it cannot listen. */
export async function startSourceStandIn(name: string, place: StandInPlace): Promise<RunningSourceStandIn> {
  const { base, answer } = sourceStandIns[name]!;
  const lists = await starterLists();
  const statuses: number[] = [];
  const running = await listenAsStandIn({ name, base }, place, (request, response) => {
    const told = answer(request, lists);
    statuses.push(told.status);
    sendJson(response, told);
  });
  return { ...running, statuses };
}
