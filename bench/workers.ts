import { engines } from "../test/support/engines.ts";
import { serverCore } from "./cores.ts";
import { median, table } from "./figures.ts";
import { generator, load, lookUpOfBundles } from "./load.ts";
import { startServe } from "./process-tree.ts";
import type { Pace } from "./run.ts";

const crowds = [64, 1000];
const counts = [1, 2];

/** CPU time of a look-up in microseconds, and the busier worker's part of it. */
interface Shown {
  cpu: number;
  share: number;
}

/**
 * What a second worker brings, from CPU time. The machine has too few cores for workers and load to have their own, so the rate cannot
 * show it. The CPU time of a look-up, and how evenly the workers share it, can.
 */
export async function workers({ starts = 3, seconds = 3, warm = 3 }: Pace): Promise<void> {
  console.log(`
Look-ups of 4.1 with one worker and with two, on PostgreSQL; all workers on one core
  ${starts} starts of each in turn, each warmed ${warm} s, then ${seconds} s for each count of connections; medians; ${generator}
`);
  const shown = new Map<string, Shown[]>();
  for (let start = 1; start <= starts; start += 1)
    for (const count of counts) {
      const environment = { DUBA_WORKERS: String(count) };
      await using service = await startServe(await engines[1]!.fresh(), lookUpOfBundles, environment, serverCore);
      await load(service.url + lookUpOfBundles, warm);
      for (const connections of crowds) {
        const before = await service.cpuOfEach();
        const { answers } = await load(service.url + lookUpOfBundles, seconds, undefined, connections);
        const used = (await service.cpuOfEach()).map((cpu, worker) => cpu - before[worker]!);
        const all = used.reduce((sum, cpu) => sum + cpu, 0);
        const name = `${count} ${connections}`;
        shown.set(name, [...(shown.get(name) ?? []), { cpu: all / answers, share: Math.max(...used) / all }]);
      }
    }
  const of = (count: number, connections: number, figure: keyof Shown) =>
    median(shown.get(`${count} ${connections}`)!.map((one) => one[figure]));
  const rows = crowds.map((connections) => {
    const [one, two, share] = [of(1, connections, "cpu"), of(2, connections, "cpu"), of(2, connections, "share")];
    const words = [String(connections), one.toFixed(1), two.toFixed(1), `${(share * 100).toFixed(0)} %`];
    return [...words, (one / (two * share)).toFixed(2)];
  });
  console.log(table([["connections", "1: µs CPU", "2: µs CPU", "busier worker", "two/one"], ...rows]));
  console.log(`
  two/one is arithmetic, not a rate that was seen: how many times as many look-ups two workers answer where each has a core of its
  own, if a look-up costs the CPU time there that it costs here. Aim: at least 1.8.`);
}
