import pg from "pg";
import { recorded } from "../src/access/access.fixture.ts";
import { changeTerms, topUp } from "../src/access/accounts/terms.ts";
import { TimeZone } from "../src/runtime/time-zone.ts";
import { json, LocalVendor } from "../src/vendors/local-vendor.fixture.ts";
import foundFile from "../stand-ins/dojah/samples/found.json" with { type: "json" };
import { engines } from "../test/support/engines.ts";
import { startService, type TestService } from "../test/support/service.ts";
import { milliseconds, quantile, table } from "./figures.ts";
import type { Pace } from "./run.ts";

const { sample: person } = foundFile;
/** Microseconds by which each commit of the server is slowed, while the commit holds its rows. */
const slower = 5_000;
const counts = [1, 2, 4];
const rounds = 3;
const often = 20;

/** Crowds of calls: the number of accounts that share the calls, and whether each account is prepaid. */
const crowds = [
  { name: "one account", accounts: 1, prepaid: false },
  { name: "one prepaid account", accounts: 1, prepaid: true },
  { name: "20 prepaid accounts", accounts: 20, prepaid: true },
];

interface Seen {
  latencies: number[];
  commits: number;
  /** How many backends waited for a row when we looked: of a budget, and of the sums. */
  forBudgets: number[];
  forSums: number[];
  behind: number[];
}

/**
 * Measures verifications of one account, prepaid or not, and of many accounts, on a PostgreSQL whose commits take 5 ms
 * longer, by one and by several services on one store. Shows how many backends wait for rows of others.
 */
export async function hotRows({ rate = 200, seconds = 4 }: Pace): Promise<void> {
  console.log(`
Live verifications on PostgreSQL with commits of ${slower / 1000} ms: ${rate} a second for ${seconds} s, ${rounds} rounds in turn, all in this process
`);
  const rows: string[][] = [];
  for (const count of counts) rows.push(...(await servedBy(count, rate, seconds)));
  const heading = ["services", "clients", "p50", "p95", "commits each", "wait for a budget", "for sums", "journal"];
  console.log(table([heading, ...rows]));
  console.log(`
  commits each: of the server, for a verification. wait: backends that waited for another's row, on average of looks every ${often} ms.
  journal: rows that nobody had followed yet, on average.`);
}

async function servedBy(count: number, rate: number, seconds: number): Promise<string[][]> {
  const { settings, dispose } = await engines[1]!.ready();
  const shared = { ...engines[1]!, ready: async () => ({ settings, dispose: async () => {} }) };
  const database = new pg.Client({ connectionString: settings.databaseUrl });
  await database.connect();
  const name = new URL(settings.databaseUrl!).pathname.slice(1);
  for (const setting of [`commit_delay = ${slower}`, "commit_siblings = 0"])
    await database.query(`alter database "${name}" set ${setting}`);
  const vendor = await LocalVendor.start();
  vendor.behaviour = json(200, person);
  const services: TestService[] = [];
  for (let at = 0; at < count; at += 1)
    services.push(
      await startService(
        {
          DUBA_LIMITS: "off",
          DUBA_UPSTREAMS: "dojah",
          DUBA_DOJAH_URL: vendor.url,
          DUBA_DOJAH_APP_ID: "app",
          DUBA_DOJAH_KEY: "key",
        },
        shared,
      ),
    );
  try {
    const seen = new Map<string, Seen>();
    for (let round = 0; round <= rounds; round += 1)
      for (const { name, accounts, prepaid } of crowds) {
        const keys = await keysOf(services[0]!, `${name} ${round}`.replaceAll(" ", "-"), accounts, prepaid);
        const found = await stretch(database, services, keys, { rate, seconds: round === 0 ? 1 : seconds });
        // The first round warms up.
        if (round > 0) seen.set(name, joined(seen.get(name), found));
      }
    return [...seen].map(([name, { latencies, commits, forBudgets, forSums, behind }]) => [
      String(count),
      name,
      milliseconds(quantile(latencies, 0.5)),
      milliseconds(quantile(latencies, 0.95)),
      (commits / latencies.length).toFixed(2),
      mean(forBudgets).toFixed(3),
      mean(forSums).toFixed(3),
      mean(behind).toFixed(0),
    ]);
  } finally {
    for (const service of services.reverse()) await service.close();
    await vendor.close();
    await database.end();
    await dispose();
  }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function joined(one: Seen | undefined, other: Seen): Seen {
  if (!one) return other;
  return {
    latencies: [...one.latencies, ...other.latencies],
    commits: one.commits + other.commits,
    forBudgets: [...one.forBudgets, ...other.forBudgets],
    forSums: [...one.forSums, ...other.forSums],
    behind: [...one.behind, ...other.behind],
  };
}

async function keysOf(service: TestService, name: string, accounts: number, prepaid: boolean): Promise<string[]> {
  const { db } = await service.store();
  const keys: string[] = [];
  for (let at = 0; at < accounts; at += 1) {
    const account = await service.newAccount(`${name}-${at}`);
    if (prepaid) {
      await changeTerms(recorded(db), account, { prepaid: true }, new TimeZone("Africa/Lagos"));
      await topUp(recorded(db), account, { kobo: 100_000_000, reason: "Transfer" });
    }
    keys.push((await service.newKey({ account, mode: "live" })).text);
  }
  return keys;
}

/** Sends calls at a steady rate without waiting for responses, and returns what the server did in that time. */
async function stretch(
  database: pg.Client,
  services: readonly TestService[],
  keys: readonly string[],
  { rate, seconds }: { rate: number; seconds: number },
): Promise<Seen> {
  const seen: Seen = { latencies: [], commits: -(await commitsOf(database)), forBudgets: [], forSums: [], behind: [] };
  const body = { bvn: person.entity.bvn, phone: person.entity.phone_number1, amount: "100" };
  const call = async (at: number) => {
    const begun = performance.now();
    const service = services[at % services.length]!;
    const options = { method: "POST", body, credential: keys[at % keys.length]! };
    const { status, text } = await service.ask("/api/v2/kyc/verify-bvn", options);
    if (status !== 200) throw new Error(`${status}: ${text}`);
    seen.latencies.push(performance.now() - begun);
  };
  const calls: Promise<void>[] = [];
  const begun = performance.now();
  let looked = begun;
  while (calls.length < rate * seconds) {
    while (calls.length < Math.min(rate * seconds, ((performance.now() - begun) / 1000) * rate))
      calls.push(call(calls.length));
    if (performance.now() - looked >= often) {
      looked = performance.now();
      await look(database, seen);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await Promise.all(calls);
  seen.commits += await commitsOf(database);
  return seen;
}

async function commitsOf(database: pg.Client): Promise<number> {
  // An idle session of PostgreSQL reports its counts after a moment.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  const { rows } = await database.query(
    "select xact_commit as commits from pg_stat_database where datname = current_database()",
  );
  return Number(rows[0].commits);
}

async function look(database: pg.Client, seen: Seen): Promise<void> {
  const { rows } = await database.query(
    `select count(*) filter (where query like '%verification_sum%') as sums, count(*) as all,
      (select count(*) from verification_journal) as behind
    from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  const [{ sums, all, behind }] = rows;
  seen.forSums.push(Number(sums));
  seen.forBudgets.push(Number(all) - Number(sums));
  seen.behind.push(Number(behind));
}
