import { engines } from "../test/support/engines.ts";
import type { Child } from "./child.ts";
import { mebibytes, median, table } from "./figures.ts";
import { load, lookUpOfBundles } from "./load.ts";
import { startBare, startService } from "./servers.ts";

const operations = {
  "4.1 bundles of MTNDATA": lookUpOfBundles,
  "4.2 corporate bundles": "/api/v2/corporate-data/list",
};
const rounds = 5;
const seconds = 2;

/** Look-ups of the service against a bare server with the same bytes: answers a second, CPU time of each, ratios. */
export async function lookUps(): Promise<void> {
  console.log(`
Look-ups against a bare node:http server that sends the same bytes
  64 connections; ${rounds} rounds of ${seconds} s in turn, medians
`);
  await using service = await startService(await engines[0]!.fresh());
  const { duba } = service;
  await using bare = await startBare(service, Object.values(operations));
  const rows = [["", "Duba/s", "bare/s", "Duba/bare", "Duba µs CPU", "bare µs CPU", "bare/Duba"]];
  for (const [name, path] of Object.entries(operations)) rows.push([name, ...(await figures(duba, bare, path))]);
  console.log(table(rows));
  console.log(`\n  Aim: both ratios at least 0.85. Resident memory afterwards: ${mebibytes(await duba.memory())}.`);
}

async function figures(duba: Child, bare: Child, path: string): Promise<string[]> {
  const seen: { duba: Round; bare: Round }[] = [];
  // The first round warms both up.
  for (let round = 0; round <= rounds; round += 1) {
    const measured = { duba: await measure(duba, path), bare: await measure(bare, path) };
    if (round > 0) seen.push(measured);
  }
  const of = (digits: number, figure: (round: (typeof seen)[number]) => number) =>
    median(seen.map(figure)).toFixed(digits);
  return [
    of(0, ({ duba }) => duba.rate),
    of(0, ({ bare }) => bare.rate),
    of(2, ({ duba, bare }) => duba.rate / bare.rate),
    of(1, ({ duba }) => duba.cpu),
    of(1, ({ bare }) => bare.cpu),
    of(2, ({ duba, bare }) => bare.cpu / duba.cpu),
  ];
}

interface Round {
  rate: number;
  /** Microseconds an answer. */
  cpu: number;
}

async function measure(server: Child, path: string): Promise<Round> {
  const before = await server.cpu();
  const { answers, rate } = await load(server.url + path, seconds);
  return { rate, cpu: ((await server.cpu()) - before) / answers };
}
