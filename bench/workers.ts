import { engines } from "../test/support/engines.ts";
import { loadCore, moveTo, serverCore } from "./cores.ts";
import { median, table } from "./figures.ts";
import { generator, load, lookUpOfBundles } from "./load.ts";
import { partOfCore } from "./part-of-core.ts";
import { startServe } from "./process-tree.ts";
import type { Pace } from "./run.ts";

const crowds = [64, 1000];
const counts = [1, 2];
/** The part of its core that each worker gets. The rest is for the load, which shares the second worker's core. */
const part = 0.3;

interface Shown {
  /** Look-ups a second. */
  rate: number;
  /** CPU time of a look-up in microseconds. */
  cpu: number;
  /** The busier worker's part of the CPU time. */
  share: number;
}

/**
 * Measures the gain from a second worker. Two cores are too few for two workers and their load, so each worker gets an
 * equal part of its core. Where the kernel cannot limit workers, only the CPU time of a look-up and the workers' shares
 * are measured.
 */
export async function workers({ starts = 3, seconds = 3, warm = 3 }: Pace): Promise<void> {
  const trial = partOfCore("trial", part);
  trial?.[Symbol.dispose]();
  console.log(`
Look-ups of 4.1 with one worker and with two, on PostgreSQL; each worker on a core of its own
  ${trial ? `Once warm, each worker gets ${part * 100} % of its core` : "The load takes as much as it likes of the second worker's core, since no control group can be made here: the rates tell nothing"}
  ${starts} starts of each in turn, each warmed ${warm} s, then ${seconds} s for each count of connections; medians; ${generator}
`);
  const shown = new Map<string, Shown[]>();
  for (let start = 1; start <= starts; start += 1)
    for (const count of counts) {
      using groups = new DisposableStack();
      const environment = { DUBA_WORKERS: String(count) };
      await using service = await startServe(await engines[1]!.fresh(), lookUpOfBundles, environment, serverCore);
      await load(service.url + lookUpOfBundles, warm);
      for (const [at, pid] of service.children().entries()) {
        moveTo(at === 0 ? serverCore : loadCore, pid);
        const group = partOfCore(String(pid), part);
        if (group) groups.use(group).add(pid);
      }
      for (const connections of crowds) {
        const before = await service.cpuOfEach();
        const { responses, rate } = await load(service.url + lookUpOfBundles, seconds, undefined, connections);
        const used = (await service.cpuOfEach()).map((cpu, worker) => cpu - before[worker]!);
        const all = used.reduce((sum, cpu) => sum + cpu, 0);
        const name = `${count} ${connections}`;
        shown.set(name, [...(shown.get(name) ?? []), { rate, cpu: all / responses, share: Math.max(...used) / all }]);
      }
    }
  const rows = crowds.map((connections) => {
    const [one, two] = counts.map((count) => {
      const seen = shown.get(`${count} ${connections}`)!;
      const of = (figure: keyof Shown) => median(seen.map((one) => one[figure]));
      return { rate: of("rate"), cpu: of("cpu"), share: of("share") };
    });
    const byRate = [one!.rate.toFixed(0), two!.rate.toFixed(0), (two!.rate / one!.rate).toFixed(2)];
    const byCpu = (one!.cpu / (two!.cpu * two!.share)).toFixed(2);
    const words = [one!.cpu.toFixed(1), two!.cpu.toFixed(1), `${(two!.share * 100).toFixed(0)} %`, byCpu];
    return [String(connections), ...byRate, ...words];
  });
  const heading = [
    "connections",
    "1: /s",
    "2: /s",
    "two/one",
    "1: µs CPU",
    "2: µs CPU",
    "busier worker",
    "by CPU time",
  ];
  console.log(table([heading, ...rows]));
  console.log(`
  Aim: two/one at least 1.8. By CPU time it is arithmetic: how many times as many look-ups two workers answer where each has all of its
  core, if a look-up costs the CPU time there that it costs here.`);
}
