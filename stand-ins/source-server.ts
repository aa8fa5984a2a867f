import { listenAsStandIn, type Running, type StandInPlace, sendJson } from "./listener.ts";
import type { Lists } from "./source-stand-in.ts";
import { sourceStandIns } from "./stand-ins.ts";

/** A stand-in that serves. */
export interface RunningSourceStandIn extends Running {
  /** The status of each response. */
  statuses: readonly number[];
}

/** Serves the source's wire format with these lists. Rejects with Node's error if it cannot listen. */
export async function startSourceStandIn(
  name: string,
  lists: Lists,
  place: StandInPlace,
): Promise<RunningSourceStandIn> {
  const { base, answer } = sourceStandIns[name]!;
  const statuses: number[] = [];
  const running = await listenAsStandIn({ name, base }, place, (request, response) => {
    const told = answer(request, lists);
    statuses.push(told.status);
    sendJson(response, told);
  });
  return { ...running, statuses };
}
