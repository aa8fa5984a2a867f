import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { engines } from "../test/support/engines.ts";
import { callers, forSeconds } from "./callers.ts";
import { median, table } from "./figures.ts";
import { lookUpOfBundles } from "./load.ts";
import { type Service, startService } from "./servers.ts";

const rounds = 9;
const seconds = 1.2;
const crowd = 16;

const asks = {
  "look-up": ({ client }: Service) => client.get(lookUpOfBundles),
  verification: ({ client }: Service) => client.verify(),
};

/** What traces cost: the processor time of a request without a collector, and with one that takes every span. */
export async function tracing(): Promise<void> {
  console.log(`
Traces, on SQLite: processor time of the service for each request, ${crowd} callers; ${rounds} rounds of ${seconds} s in turn, medians of the rounds and of their ratios`);
  await using owner = new AsyncDisposableStack();
  let taken = 0;
  const collector = createServer(async (request, response) => {
    taken += (await text(request)).split('"spanId"').length - 1;
    response.end("{}");
  });
  owner.defer(() => void collector.close().closeAllConnections());
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const start = async (environment: Record<string, string>) =>
    owner.use(await startService(await engines[0]!.fresh(), { DUBA_LIMITS: "off", ...environment }));
  const services = [await start({}), await start({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })] as const;
  const rows = [];
  for (const [name, ask] of Object.entries(asks)) {
    const [off, on]: [number[], number[]] = [[], []];
    let asked = 0;
    const before = taken;
    // The first round warms everything up.
    for (let round = 0; round <= rounds; round += 1)
      for (const [at, seen] of [off, on].entries()) {
        const { cpu, count } = await cost(services[at]!, ask);
        if (seen === on) asked += count;
        if (round > 0) seen.push(cpu);
      }
    const ratio = median(off.map((cpu, round) => on[round]! / cpu));
    rows.push([
      name,
      median(off).toFixed(1),
      median(on).toFixed(1),
      ratio.toFixed(2),
      `${(taken - before).toFixed(0)} of ${asked}`,
    ]);
  }
  console.log(`\n${table([["µs CPU", "off", "on", "on/off", "spans at the collector, of requests"], ...rows])}`);
}

/** `cpu`: microseconds of a request. */
async function cost(service: Service, ask: (service: Service) => Promise<unknown>) {
  const before = await service.duba.cpu();
  const { latencies } = await callers(crowd, forSeconds(seconds), () => ask(service));
  return { cpu: ((await service.duba.cpu()) - before) / latencies.length, count: latencies.length };
}
