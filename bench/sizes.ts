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
/** Verifications before the first measurement of the disk, and between the first and the second measurement. */
const rows = { before: 2000, between: 6000 };
/**
 * Rounds of `rows.between` verifications, with a simulated day after each. Only growth in the second half counts: by
 * then new rows reuse the space of deleted ones.
 */
const days = 8;

/**
 * Measures a service at a steady pace of verifications: processor, memory, connections, and bytes on the disk for each
 * verification.
 */
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
    const { databaseUrl } = service.store;
    if (databaseUrl === undefined) continue;
    const left = await leftOfOne(service, databaseUrl);
    console.log(`  Once its day is over: ${(left / 1000).toFixed(1)} KB, most of it in\n`);
    console.log(await largest(databaseUrl));
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
  await fill(service, rows.before);
  const first = await sizeOf(service);
  await fill(service, rows.between);
  return ((await sizeOf(service)) - first) / rows.between;
}

async function fill({ client }: Service, count: number): Promise<void> {
  let left = count;
  await callers(
    16,
    () => left-- > 0,
    () => client.verify(),
  );
}

/** Bytes that a verification adds for good. Data that is deleted after a day makes room for later verifications. */
async function leftOfOne(service: Service, databaseUrl: string): Promise<number> {
  const sizes: number[] = [];
  for (let day = 0; day < days; day += 1) {
    await fill(service, rows.between);
    while ((await ask(databaseUrl, unfinished)) !== "0") await setTimeout(200);
    await run(
      databaseUrl,
      "update verification set sealed_record = null, idempotency_hash = null, " +
        "body_hash = null where body_hash is not null",
      ...["delete from api_request", "truncate record_key", "vacuum"],
    );
    sizes.push(Number(await ask(databaseUrl, lasting)));
  }
  const from = days / 2 - 1;
  return (sizes.at(-1)! - sizes[from]!) / rows.between / (days - 1 - from);
}

async function largest(databaseUrl: string): Promise<string> {
  const { rows } = await run(
    databaseUrl,
    `select relname, (pg_table_size(oid) / (select count(*) from verification))::text as bytes from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'i') order by pg_table_size(oid) desc limit 20`,
  );
  return table([["relation", "bytes a verification"], ...rows.map(({ relname, bytes }) => [relname, bytes])]);
}

async function sizeOf({ store: { dataDirectory, databaseUrl } }: Service): Promise<number> {
  if (databaseUrl !== undefined) return Number(await ask(databaseUrl, "pg_database_size(current_database())"));
  // Includes the write-ahead log, which keeps its greatest length.
  const files = readdirSync(dataDirectory).filter((name) => name.startsWith("duba.db"));
  return files.reduce((sum, name) => sum + statSync(join(dataDirectory, name)).size, 0);
}

/** The number of connections to the database, not counting that of this query. */
const connections =
  "(select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid())";

/** The tables that keep a verification, with their indexes. */
const lasting = ["verification", "verification_attempt", "audit_entry", "audit_seal"]
  .map((name) => `pg_total_relation_size('${name}')`)
  .join(" + ");

/** The number of journal rows and audit entries that no job has processed yet. */
const unfinished =
  "(select count(*) from verification_journal) + (select count(*) from audit_entry where batch is null)";

async function ask(connectionString: string, what: string): Promise<string> {
  return String((await run(connectionString, `select ${what} as it`)).rows[0].it);
}

/** The result of the last statement. */
async function run(connectionString: string, ...statements: string[]): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements.slice(0, -1)) await client.query(statement);
    return await client.query(statements.at(-1)!);
  } finally {
    await client.end();
  }
}
