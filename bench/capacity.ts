import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { recorded } from "../src/access/access.fixture.ts";
import { createAccount } from "../src/access/accounts/accounts.ts";
import { changeTerms, topUp } from "../src/access/accounts/terms.ts";
import { createKey } from "../src/access/keys/keys.ts";
import { TimeZone } from "../src/runtime/time-zone.ts";
import { openStore } from "../src/storage/store.ts";
import { json, LocalVendor } from "../src/vendors/local-vendor.fixture.ts";
import foundFile from "../stand-ins/dojah/samples/found.json" with { type: "json" };
import { engines } from "../test/support/engines.ts";
import { callers, forSeconds } from "./callers.ts";
import { Client, type Person } from "./client.ts";
import { table } from "./figures.ts";
import type { Pace } from "./run.ts";
import { type Service, startService, storeOf } from "./servers.ts";

/** The cost of one verification at this number of concurrent callers. */
interface Cost {
  callers: number;
  /** Who answers, and whether the account is prepaid: a label for people. */
  of: string;
  /** Verifications a second. */
  rate: number;
  /** Microseconds of Duba, and of all processes of PostgreSQL. */
  duba: number;
  postgres: number;
  commits: number;
  rows: number;
  /** Bytes of the write-ahead log. */
  wal: number;
}

/** Numbers of concurrent callers. The fit leaves out the middle number, which shows the error of the fit. */
const measured = [1, 4, 16];
/** Rates that `docs/capacity.md` has, in verifications a second. */
const usualRates = [1, 20, 100, 1000];
const monthsKept = 24;
/** Seconds that a vendor takes for a response, which give the number of open calls. */
const vendorSeconds = 2;
/** The part of a core that work may take, so that an hour twice as busy still fits. */
const mostBusy = 0.5;
const secondsOfMonth = 30.44 * 86_400;

/**
 * `npm run bench -- capacity --rate 100 --months 24`: measures the cost of one sandbox verification on PostgreSQL, and
 * derives the hardware for a rate. Then measures one vendor verification, for a prepaid account and for an account that
 * is not prepaid.
 */
export async function capacity({ rate, months = monthsKept, seconds = 15 }: Pace): Promise<void> {
  const store = await storeOf(engines.find(({ name }) => name === "postgres")!);
  if (!store) return;
  const vendor = await LocalVendor.start();
  vendor.behaviour = json(200, foundFile.sample);
  await using service = await startService(store, {
    DUBA_LIMITS: "off",
    DUBA_UPSTREAMS: "dojah",
    DUBA_DOJAH_URL: vendor.url,
    DUBA_DOJAH_APP_ID: "app",
    DUBA_DOJAH_KEY: "key",
  });
  const database = new pg.Client({ connectionString: service.store.databaseUrl! });
  await database.connect();
  try {
    const bySandbox = { of: "the sandbox", client: service.client };
    await callers(16, forSeconds(5), () => service.client.verify());
    const costs: Cost[] = [];
    for (const count of measured) costs.push(await costWith(count, seconds, service, database, bySandbox));
    const stored = await storedBytes(database);
    const live: Cost[] = [];
    for (const prepaid of [false, true]) {
      await using shop = await liveShop(service, prepaid);
      live.push(await costWith(measured.at(-1)!, seconds, service, database, shop));
    }
    console.log(`\nCapacity: what one verification costs here on PostgreSQL, ${seconds} s each\n`);
    console.log(table([costHeads, ...[...costs, ...live].map(costRow)]));
    console.log(`\n  Stored: ${stored.toFixed(0)} bytes, with indexes, attempts, seals and sums`);
    const fit = fitted(costs[0]!, costs.at(-1)!);
    const [, held] = costs as [Cost, Cost, Cost];
    const off = (part: "duba" | "postgres") => percent(fit[part](held.callers) / held[part] - 1);
    console.log(
      `  With ${held.callers} callers the fit is off by ${off("duba")} for Duba and ${off("postgres")} for PostgreSQL`,
    );
    const rates = rate === undefined ? usualRates : [rate];
    console.log(`\nWhat a rate needs, with cores at most ${percent(mostBusy)} busy, and ${months} months kept\n`);
    console.log(table([needHeads, ...rates.map((each) => needRow(each, months, fit, costs.at(-1)!, stored))]));
  } finally {
    await database.end();
    await vendor.close();
  }
}

const costHeads = ["", "callers", "a second", "Duba", "PostgreSQL", "commits", "rows", "WAL"];

function costRow({ of, callers: count, rate, duba, postgres, commits, rows, wal }: Cost): string[] {
  const micros = [duba, postgres].map((each) => `${each.toFixed(0)} µs`);
  return [of, String(count), rate.toFixed(0), ...micros, commits.toFixed(2), rows.toFixed(2), `${wal.toFixed(0)} B`];
}

/** A caller: the client with the key of one account, and the person to verify. */
interface Caller {
  of: string;
  client: Client;
  person?: Person;
}

/** A caller with a live key of an account that is prepaid or not. The vendor answers its verifications. */
async function liveShop({ store: settings, duba }: Service, prepaid: boolean): Promise<Caller & AsyncDisposable> {
  const of = prepaid ? "a vendor, prepaid" : "a vendor";
  const account = prepaid ? "prepaid@example.com" : "shop@example.com";
  await using opened = new AsyncDisposableStack();
  const { db, close } = await openStore({ ...settings, serving: false });
  opened.defer(close);
  await createAccount(recorded(db), { name: "Corner Shop", email: account });
  if (prepaid) {
    await changeTerms(recorded(db), account, { prepaid }, new TimeZone("Africa/Lagos"));
    await topUp(recorded(db), account, { kobo: 100_000_000_000, reason: "Transfer" });
  }
  const { text: key } = await createKey(recorded(db), { account, mode: "live", label: "" });
  const client = new Client(duba.url, key);
  const { bvn, phone_number1: phone } = foundFile.sample.entity;
  return { of, client, person: { bvn, phone }, [Symbol.asyncDispose]: async () => client.close() };
}

async function costWith(
  count: number,
  seconds: number,
  service: Service,
  database: pg.Client,
  { of, client, person }: Caller,
): Promise<Cost> {
  const before = await readingOf(service, database);
  const seen = await callers(count, forSeconds(seconds), () => client.verify(person));
  const after = await readingOf(service, database);
  const each = (name: keyof Reading) => (after[name] - before[name]) / seen.latencies.length;
  return {
    of,
    callers: count,
    rate: seen.rate,
    duba: each("duba"),
    postgres: each("postgres"),
    commits: each("commits"),
    rows: each("rows"),
    wal: each("wal"),
  };
}

type Reading = Record<"duba" | "postgres" | "commits" | "rows" | "wal", number>;

async function readingOf({ duba }: Service, database: pg.Client): Promise<Reading> {
  // The cost of a verification includes its later work, such as its audit entry.
  while (Number(await ask(database, unfinished)) > 0) await setTimeout(200);
  // A backend of PostgreSQL reports its counts after a moment without work.
  await setTimeout(1500);
  const ofDatabase = (column: string) => `(select ${column} from pg_stat_database where datname = current_database())`;
  return {
    duba: await duba.cpu(),
    postgres: processorOf(Number(await ask(database, "pg_backend_pid()"))),
    commits: Number(await ask(database, ofDatabase("xact_commit"))),
    rows: Number(await ask(database, ofDatabase("tup_inserted + tup_updated + tup_deleted"))),
    wal: Number(await ask(database, "(pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint")),
  };
}

const unfinished =
  "(select count(*) from verification_journal) + (select count(*) from audit_entry where batch is null)";

async function ask(database: pg.Client, what: string): Promise<string> {
  return String((await database.query(`select ${what} as it`)).rows[0].it);
}

/** Bytes for each verification in the tables that store verifications, with their indexes. */
async function storedBytes(database: pg.Client): Promise<number> {
  await database.query("vacuum");
  const kept = ["verification", "verification_attempt", "audit_entry", "audit_seal", "verification_sum"];
  const bytes = kept.map((name) => `pg_total_relation_size('${name}')`).join(" + ");
  return Number(await ask(database, `(${bytes}) / (select count(*) from verification)`));
}

/** The kernel counts in hundredths of a second. */
const tick = 10_000;

/**
 * Microseconds of processor time of the PostgreSQL server of this backend, with its running and its ended processes.
 * NaN without /proc.
 */
function processorOf(backend: number): number {
  try {
    const server = statOf(backend)!.parent;
    const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
    const used = all.filter(({ parent }) => parent === server).reduce((sum, each) => sum + each.used, 0);
    const own = statOf(server)!;
    return (used + own.used + own.ended) * tick;
  } catch {
    return Number.NaN;
  }
}

/** Ticks of a process and of its ended children; undefined if the process has ended. */
function statOf(pid: number): { parent: number; used: number; ended: number } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The name, in brackets, may hold spaces.
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  return { parent: fields[1]!, used: fields[11]! + fields[12]!, ended: fields[13]! + fields[14]! };
}

type Fit = Record<"duba" | "postgres", (callers: number) => number>;

/**
 * The cost of a verification by the number of concurrent callers: a fixed part, and a part that concurrent callers
 * share. Fitted through one caller and many.
 */
function fitted(one: Cost, many: Cost): Fit {
  const through = (part: "duba" | "postgres") => {
    const shared = (one[part] - many[part]) / (1 - 1 / many.callers);
    return (count: number) => one[part] - shared + shared / count;
  };
  return { duba: through("duba"), postgres: through("postgres") };
}

const needHeads = ["a second", "cores of Duba", "of PostgreSQL", "vendor calls", "stored", "WAL a day", "first to go"];

function needRow(rate: number, months: number, fit: Fit, { commits, wal }: Cost, stored: number): string[] {
  const open = rate * vendorSeconds;
  // Duba works some 20 ms on a verification, besides the vendor's time, so only a high rate has several at once.
  const atOnce = Math.max(1, Math.min(16, rate / 50));
  const [duba, postgres] = [fit.duba(atOnce), fit.postgres(atOnce)].map((each) => (rate * each) / 1e6 / mostBusy);
  const kept = rate * secondsOfMonth * months * stored;
  const limits: [says: string, used: number][] = [
    ["a process of Duba", duba! * mostBusy],
    ["DUBA_UPSTREAM_CONCURRENCY", open / 64],
    ["a disk of 8 TB", kept / 8e12],
    ["a disk of 1,000 syncs a second", (rate * commits) / atOnce / 1000],
  ];
  const [first] = limits.toSorted(([, one], [, other]) => other - one);
  return [
    String(rate),
    duba!.toFixed(2),
    postgres!.toFixed(2),
    String(open),
    `${(kept / 1e9).toLocaleString("en", { maximumFractionDigits: 0 })} GB`,
    `${((rate * 86_400 * wal) / 1e9).toFixed(0)} GB`,
    `${first![0]}, ${percent(first![1])}`,
  ];
}

function percent(part: number): string {
  return `${(part * 100).toFixed(0)} %`;
}
