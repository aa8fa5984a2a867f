import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { priced, publisherOf } from "../src/catalogue/catalogue.fixture.ts";
import { approve } from "../src/catalogue/revisions/decide.ts";
import { listWaiting } from "../src/catalogue/revisions/draft.ts";
import { publish } from "../src/catalogue/revisions/publish.ts";
import { openStore } from "../src/storage/store.ts";
import { json, LocalVendor } from "../src/vendors/local-vendor.fixture.ts";
import { engines } from "../test/support/engines.ts";
import { median, milliseconds, quantile, table } from "./figures.ts";
import { lookUpOfBundles } from "./load.ts";
import type { Crowd } from "./look-up-crowd.ts";
import { type Service, startOnEachEngine, startService, storeOf } from "./servers.ts";

const rounds = 5;
const seconds = 2;
const connections = 64;
/** Few, because Duba pulls from a source once in ten seconds at most. */
const pulls = 3;
/** Milliseconds. A slower pull has been held back, or has failed. */
const longestPull = 5 * 60_000;
/** In each round: 100 in all measured rounds. */
const revisions = 20;
/** The look-ups ask for the first provider, whose list is as long as on real networks. */
const shares: Record<string, number> = { mtn: 40, airtel: 6_600, glo: 6_600, "9mobile": 6_500 };
const bundles = Object.values(shares).reduce((sum, count) => sum + count, 0);
const about = { author: "bench", source: "bench", note: "" };

/** Latency of look-ups while another process publishes revisions that the service follows, and on the idle service. */
export async function publishing(): Promise<void> {
  console.log(`
Look-ups of 4.1 over ${connections} connections while ${rounds * revisions} revisions are published from another process
  ${rounds} rounds of ${seconds} s in turn, medians of the rounds and of their ratios
`);
  await using owner = new AsyncDisposableStack();
  const crowd = owner.use(new Worker(new URL("./look-up-crowd.ts", import.meta.url)));
  const rows = [["published on", "", "idle", "publishing", "publishing/idle"]];
  for (const service of await startOnEachEngine(owner, {})) rows.push(...(await figures(service, crowd)));
  console.log(table(rows));
  console.log("\n  Aim: p99 publishing/idle at most 2.00.");
  await pulling(crowd);
}

async function figures(service: Service, crowd: Worker): Promise<string[][]> {
  const { db, close } = await openStore({ ...service.store, serving: false });
  const publisher = publisherOf(db);
  let price = 10_000;
  const publishSome = async () => {
    for (let n = 0; n < revisions; n += 1) {
      price = price === 10_000 ? 10_100 : 10_000;
      await publish(publisher, priced("MTNDATA 104", price), about);
      await pause((seconds * 1000) / revisions / 2);
    }
  };
  const seen: { idle: number[]; busy: number[] }[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const idle = await lookedUp(service, crowd);
    const [busy] = await Promise.all([lookedUp(service, crowd), publishSome()]);
    if (round > 0) seen.push({ idle, busy });
  }
  await close();
  return latencyRows(service, seen);
}

function latencyRows({ name }: Service, seen: readonly { idle: number[]; busy: number[] }[]): string[][] {
  return ([0.5, 0.99] as const).map((share) => {
    const of = (latencies: number[]) => quantile(latencies, share);
    return [
      share === 0.5 ? name : "",
      share === 0.5 ? "p50" : "p99",
      milliseconds(median(seen.map(({ idle }) => of(idle)))),
      milliseconds(median(seen.map(({ busy }) => of(busy)))),
      median(seen.map(({ idle, busy }) => of(busy) / of(idle))).toFixed(2),
    ];
  });
}

function headerIn(rawHeaders: readonly string[], name: string): string | undefined {
  return rawHeaders[rawHeaders.findIndex((header) => header.toLowerCase() === name) + 1];
}

async function lookedUp({ duba }: Service, crowd: Worker, time = seconds): Promise<number[]> {
  crowd.postMessage({ url: duba.url, connections, seconds: time } satisfies Crowd);
  return (await once(crowd, "message"))[0];
}

/**
 * Measures the service's work on a pull that changes the price of every bundle, and the latency of look-ups meanwhile.
 */
async function pulling(crowd: Worker): Promise<void> {
  console.log(`
The same while the service pulls ${bundles} new prices from a source, publishes and serves them as one revision
  ${pulls} pulls for the processor of the service alone, and ${pulls} under look-ups, in turn; medians as above
`);
  const rows = [["pulled on", "", "idle", "pulling", "pulling/idle", "processor of a pull"]];
  for (const engine of engines) {
    const store = await storeOf(engine);
    if (!store) continue;
    await using owner = new AsyncDisposableStack();
    const shop = owner.adopt(await Shop.open(), (one) => one.close());
    const environment = {
      DUBA_CATALOGUE_SOURCE: "data-bundles=ebills",
      DUBA_CATALOGUE_PULL_EVERY: "10s",
      DUBA_EBILLS_URL: shop.url,
    };
    rows.push(...(await pulled(owner.use(await startService(store, environment)), shop, crowd)));
  }
  console.log(table(rows));
  console.log("\n  Aim: p99 pulling/idle at most 2.00, and at most 2 s of processor.");
}

async function pulled(service: Service, shop: Shop, crowd: Worker): Promise<string[][]> {
  const { client, duba } = service;
  await approveAll(service);
  const revision = async () => headerIn((await client.get(lookUpOfBundles)).rawHeaders, "duba-catalogue-revision");
  const untilNext = async (meanwhile: () => Promise<unknown>) => {
    const before = await revision();
    const end = performance.now() + longestPull;
    while ((await revision()) === before) {
      if (performance.now() > end) throw new Error(`No pull brought a revision. ${await lastPull(service)}`);
      await meanwhile();
    }
  };
  const processor: number[] = [];
  const seen: { idle: number[]; busy: number[] }[] = [];
  // The first round warms up.
  for (let round = 0; round <= pulls; round += 1) {
    await shop.reprice();
    const cpu = await duba.cpu();
    await untilNext(() => pause(50));
    // Work after the new prices are served, such as the record of the pull.
    await pause(500);
    const used = ((await duba.cpu()) - cpu) / 1e6;
    const idle = await lookedUp(service, crowd);
    await shop.reprice();
    const busy: number[] = [];
    await untilNext(async () => void busy.push(...(await lookedUp(service, crowd, 0.5))));
    if (round === 0) continue;
    processor.push(used);
    seen.push({ idle, busy });
  }
  const [p50, p99] = latencyRows(service, seen);
  return [
    [...p50!, `${median(processor).toFixed(2)} s`],
    [...p99!, ""],
  ];
}

/** A sentence with the result of the last pull. */
async function lastPull({ store }: Service): Promise<string> {
  const { db, close } = await openStore({ ...store, serving: false });
  const last = await db.selectFrom("catalogue_source").select(["result", "sentences"]).executeTakeFirst();
  const held = await listWaiting(db);
  await close();
  return `The last one: ${last?.result ?? "none"}. ${[last?.sentences ?? "", ...held.map(({ reasons }) => reasons)].join(" ")}`;
}

/** The first pull replaces the starter's bundles, so it waits for an approval, which this function gives. */
async function approveAll({ store, client }: Service): Promise<void> {
  const { db, close } = await openStore({ ...store, serving: false });
  for (;;) {
    const [waiting] = await listWaiting(db);
    if (waiting) {
      await approve(publisherOf(db), waiting.id, "bench");
      break;
    }
    await pause(200);
  }
  await close();
  await client.get(lookUpOfBundles);
}

/** A source with the most bundles that fit in a catalogue beside the starter catalogue's cable lists. */
class Shop {
  readonly #vendor: LocalVendor;
  #raised = 0;
  #asked: (() => void) | undefined;

  private constructor(vendor: LocalVendor) {
    this.#vendor = vendor;
    vendor.behaviour = (response, { path }) => {
      const service = path.split("service_id=")[1]!;
      if (service === "mtn") this.#asked?.();
      json(200, { code: "success", data: service in shares ? this.#list(service) : [] })(response, {} as never);
    };
  }

  static async open(): Promise<Shop> {
    return new Shop(await LocalVendor.start());
  }

  get url(): string {
    return this.#vendor.url;
  }

  /** Changes each price by less than 1 %. Resolves when a pull begins to read the new prices. */
  async reprice(): Promise<void> {
    this.#raised = this.#raised === 0 ? 100 : 0;
    await new Promise<void>((resolve) => {
      this.#asked = resolve;
    });
    this.#asked = undefined;
  }

  close(): Promise<void> {
    return this.#vendor.close();
  }

  #list(service: string): object[] {
    return Array.from({ length: shares[service]! }, (_, at) => {
      const size = 1 + (at % 40);
      const price = size * 300 + (at % 7) + this.#raised / 100;
      return {
        ...{ variation_id: 10_000 + at, service_name: service, service_id: service },
        ...{ data_plan: `${size}GB plan ${at} – 30 Days`, price: String(price) },
        ...{ reseller_price: String(price - 10), availability: "Available" },
      };
    });
  }
}
