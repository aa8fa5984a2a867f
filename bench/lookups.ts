import { engines } from "../test/support/engines.ts";
import { Trees } from "./against.ts";
import { startChild } from "./child.ts";
import { canPin, serverCore } from "./cores.ts";
import { mebibytes, median, table } from "./figures.ts";
import { generator, load, lookUpOfBundles } from "./load.ts";
import { type Running, startServe } from "./process-tree.ts";
import type { Pace } from "./run.ts";
import { answersOf, startService } from "./servers.ts";

const operations = {
  "4.2 corporate bundles, 1.6 KB": "/api/v2/corporate-data/list",
  "4.1 bundles of MTNDATA, 4.4 KB": lookUpOfBundles,
};
const paths = Object.values(operations);

const warmEach = (warm: number) => Math.ceil(warm / paths.length);

/** The figures of one start of a server, by path. */
type Shown = Map<string, { rate: number; cpu: number }>;

/** Look-ups of the service against a bare server with the same bytes: answers a second, CPU time of each, ratios. */
export async function lookUps({ starts = 5, seconds = 3, warm = 5, against }: Pace): Promise<void> {
  if (against !== undefined) return await lookUpsAgainst(against, { starts, seconds, warm });
  console.log(`
Look-ups against a bare node:http server that sends the same bytes and headers
  ${starts} starts of each server in turn, one server at a time${canPin ? ` on core ${serverCore}` : ""}; each warmed ${warmEach(warm) * paths.length} s, then ${seconds} s for each operation; medians of the starts
  64 connections; ${generator}
  The service has limits, request ids, metrics and a credential in each request; the bare server reads none of these
`);
  const ofDuba: Shown[] = [];
  const ofBare: Shown[] = [];
  let memory = 0;
  for (let start = 1; start <= starts; start += 1) {
    const responses = await (async () => {
      await using service = await startService(
        await engines[0]!.fresh(),
        { DUBA_METRICS: "127.0.0.1:9464" },
        serverCore,
      );
      ofDuba.push(await measure(service.duba, seconds, warm));
      memory = await service.duba.memory();
      return await answersOf(service, paths);
    })();
    await using bare = await startChild("bare.ts", {}, responses, serverCore);
    ofBare.push(await measure(bare, seconds, warm));
  }
  const rows = [["", "Duba/s", "bare/s", "Duba/bare", "least–most", "Duba µs CPU", "bare µs CPU", "bare/Duba"]];
  for (const [name, path] of Object.entries(operations)) rows.push([name, ...figures(path, ofDuba, ofBare)]);
  console.log(table(rows));
  console.log(`\n  Aim: Duba/bare 0.95, not below 0.90. Resident memory afterwards: ${mebibytes(memory)}.`);
}

/** Compares this tree and a commit in turn, one server at a time. */
async function lookUpsAgainst(
  commit: string,
  { starts, seconds, warm }: Record<"starts" | "seconds" | "warm", number>,
) {
  const trees = await Trees.of<"look-ups/s" | "µs CPU">(commit);
  console.log(`
Look-ups of ${trees.both[0].name} and ${trees.both[1].name} in turn: ${starts} starts of each; ${generator}
`);
  for (let start = 0; start < starts; start += 1)
    await trees.round(start, async (at) => {
      const store = await engines[0]!.fresh();
      await using service = await startServe(store, lookUpOfBundles, {}, serverCore, trees.both[at]);
      const shown = await measure(service, seconds, warm);
      return new Map(
        Object.entries(operations).map(([name, path]) => {
          const { rate, cpu } = shown.get(path)!;
          return [name, { "look-ups/s": rate, "µs CPU": cpu }];
        }),
      );
    });
  console.log(table(trees.rows({ "look-ups/s": 0, "µs CPU": 1 })));
}

async function measure(server: Running, seconds: number, warm: number): Promise<Shown> {
  for (const path of paths) await load(server.url + path, warmEach(warm));
  const shown: Shown = new Map();
  for (const path of paths) {
    const before = await server.cpu();
    const { responses, rate } = await load(server.url + path, seconds);
    shown.set(path, { rate, cpu: ((await server.cpu()) - before) / responses });
  }
  return shown;
}

function figures(path: string, ofDuba: readonly Shown[], ofBare: readonly Shown[]): string[] {
  const of = (shown: readonly Shown[], figure: "rate" | "cpu") => shown.map((one) => one.get(path)![figure]);
  const [dubaRates, bareRates] = [of(ofDuba, "rate"), of(ofBare, "rate")];
  const [duba, bare] = [median(dubaRates), median(bareRates)];
  const [dubaCpu, bareCpu] = [median(of(ofDuba, "cpu")), median(of(ofBare, "cpu"))];
  const ratios = dubaRates.map((rate, start) => rate / bareRates[start]!);
  return [
    duba.toFixed(0),
    bare.toFixed(0),
    (duba / bare).toFixed(2),
    `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    dubaCpu.toFixed(1),
    bareCpu.toFixed(1),
    (bareCpu / dubaCpu).toFixed(2),
  ];
}
