import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { callers } from "./callers.ts";
import { mebibytes, milliseconds, quantile, table } from "./figures.ts";
import { type Service, startOnEachEngine } from "./servers.ts";

/** Verifications a second. */
const rates = [1, 10, 100];
const seconds = 20;
/** Verifications before the first look at the disk, and between it and the second. */
const rows = { before: 2000, between: 6000 };

/** What a service takes at a steady pace of verifications: processor, memory, connections; and what each one leaves on the disk. */
export async function sizes(): Promise<void> {
  console.log(`
Sizes: verifications by the sandbox at a steady pace for ${seconds} s each, then ${rows.between} at full pace for what they leave on the disk
  Processor: of the service alone, all that it does in that time. Disk: with indexes, attempts, sealed records and the audit trail.`);
  await using owner = new AsyncDisposableStack();
  for (const service of await startOnEachEngine(owner, { DUBA_LIMITS: "off" })) {
    const lines = [];
    for (const rate of rates) lines.push(await atRate(service, rate));
    console.log(`\n${table([[service.name, "p50", "p99", "processor", "resident", "connections"], ...lines])}`);
    console.log(`  Disk: ${((await diskOfOne(service)) / 1000).toFixed(1)} KB a verification`);
  }
}

async function atRate({ client, duba, store }: Service, rate: number): Promise<string[]> {
  const latencies: number[] = [];
  const [started, cpu] = [performance.now(), await duba.cpu()];
  await Promise.all(
    Array.from({ length: rate * seconds }, async (_, at) => {
      const due = started + (at * 1000) / rate;
      await setTimeout(Math.max(0, due - performance.now()));
      const asked = performance.now();
      await client.verify();
      latencies.push(performance.now() - asked);
    }),
  );
  const share = ((await duba.cpu()) - cpu) / 1000 / (performance.now() - started);
  return [
    `${rate} a second`,
    milliseconds(quantile(latencies, 0.5)),
    milliseconds(quantile(latencies, 0.99)),
    `${(share * 100).toFixed(1)} %`,
    mebibytes(await duba.memory()),
    store.databaseUrl === undefined ? "1" : await ask(store.databaseUrl, connections),
  ];
}

async function diskOfOne(service: Service): Promise<number> {
  const fill = async (count: number) => {
    let left = count;
    await callers(
      16,
      () => left-- > 0,
      () => service.client.verify(),
    );
    return sizeOf(service);
  };
  const first = await fill(rows.before);
  return ((await fill(rows.between)) - first) / rows.between;
}

async function sizeOf({ store: { dataDirectory, databaseUrl } }: Service): Promise<number> {
  if (databaseUrl !== undefined) return Number(await ask(databaseUrl, "pg_database_size(current_database())"));
  // With the write-ahead log, which is as long as it ever was.
  const files = readdirSync(dataDirectory).filter((name) => name.startsWith("duba.db"));
  return files.reduce((sum, name) => sum + statSync(join(dataDirectory, name)).size, 0);
}

/** But for the one that asks. */
const connections =
  "(select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid())";

async function ask(connectionString: string, what: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query(`select ${what} as it`);
    return String(rows[0].it);
  } finally {
    await client.end();
  }
}
