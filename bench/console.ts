import { once } from "node:events";
import { get } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { append } from "../src/audit/append.ts";
import { invitePerson } from "../src/features/console/people/people-rows.ts";
import { beginSession } from "../src/features/console/people/sessions.ts";
import { siteMap } from "../src/features/console/site-map.ts";
import { pagesOfFeatures } from "../src/features.ts";
import { rebuildSums } from "../src/ledger/journal/rebuild-sums.ts";
import { TimeZone } from "../src/runtime/time-zone.ts";
import { openStore } from "../src/storage/store.ts";
import { everyCommand } from "../src/wire/every-command.ts";
import { everyRecord } from "../src/wire/every-record.ts";
import { type Engine, engines, type FreshSettings } from "../test/support/engines.ts";
import { median, milliseconds, quantile, table } from "./figures.ts";
import { fillLedger, openRaw } from "./ledger-fill.ts";
import type { Probing } from "./look-up-probe.ts";
import { type Service, startService } from "./servers.ts";

const rows = Number(process.env.BENCH_ROWS ?? 1_000_000);
const visits = 5;
const rounds = 4;

/** Seconds between two refreshes of an open page Now. */
const refreshSeconds = 10;
const refreshes = ["/now/live", "/now/alarms", "/now/tables", "/now/counts?range=hour"];
/** Paths that the page fetches only at every n-th refresh, and n. */
const [seldom, seldomEvery] = [["/now/sums", "/now/look-ups?range=hour"], 6];

/**
 * Measures the console's pages on a large ledger, to the first byte, and the cost of an open console for look-ups.
 * `BENCH_ROWS` sets the number of verifications, and 0 leaves the pages out. `BENCH_ENGINE` chooses one engine.
 */
export async function consolePages(): Promise<void> {
  const chosen = engines.filter(({ name }) => (process.env.BENCH_ENGINE ?? name) === name);
  if (chosen.length === 0) throw new Error(`BENCH_ENGINE is ${engines.map(({ name }) => name).join(" or ")}.`);
  for (const { fresh } of rows > 0 ? chosen : []) {
    const place = await fresh();
    // The first start makes the tables and signs the head of the audit trail.
    await (await startService({ ...place, dispose: async () => {} }))[Symbol.asyncDispose]();
    const raw = await openRaw(place.settings);
    await fillLedger(raw, rows);
    await raw.close();
    await fillAround(place.settings);
    await using opened = await startWithConsole(place);
    await visitPages(opened);
  }
  for (const engine of chosen) await lookUpsBeside(engine);
}

/**
 * The accounts and keys that the ledger names, a request log, and the sums, which verifications that were really made
 * would have left.
 */
async function fillAround(settings: FreshSettings): Promise<void> {
  const { db, now, close } = await openStore({ ...settings, serving: false });
  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
  const accounts = numbers(97).map((number) => ({
    ...{ id: `acc_${number}`, name: `Shop ${number}`, email: `shop${number}@example.com`, created_at: now() },
    ...{ suspended_at: null, fees: "{}", answers: "full", terms: "{}" },
  }));
  const keys = numbers(300).map((number) => ({
    ...{
      id: `key_${number}`,
      account_id: `acc_${number % 97}`,
      mode: "live",
      label: "Till",
      secret_hash: `hash${number}`,
    },
    ...{ scopes: `["catalogue:read","identity:verify"]`, addresses: "[]", bootstrap: 0 as const, created_at: now() },
    ...{ expires_at: null, revoked_at: null },
  }));
  const requests = numbers(20_000).map((number) => ({
    ...{ serial: `bench-${number}`, account_id: `acc_${number % 97}`, mode: "live", written_at: now() - number * 100 },
    ...{
      request_id: `request-${number}`,
      key_id: `key_${number % 300}`,
      operation: "verifyBvn",
      status: 200,
      code: null,
    },
    ...{ duration: 700, reference: null, answered_at: now() - number * 100 },
  }));
  await db.insertInto("account").values(accounts).execute();
  await db.insertInto("api_key").values(keys).execute();
  for (let at = 0; at < requests.length; at += 1000)
    await db
      .insertInto("api_request")
      .values(requests.slice(at, at + 1000))
      .execute();
  const sums = { db, audit: async () => {}, actor: "system", now, progress: () => {} };
  await rebuildSums(sums, new TimeZone("Africa/Lagos"));
  await close();
}

interface Opened extends AsyncDisposable {
  service: Service;
  origin: string;
  cookie: string;
}

async function startWithConsole(place: Awaited<ReturnType<(typeof engines)[number]["fresh"]>>): Promise<Opened> {
  const port = await freePort();
  const service = await startService(place, { DUBA_CONSOLE: `127.0.0.1:${port}`, DUBA_LIMITS: "off" });
  const cookie = `duba_console=${await signIn(service.store)}`;
  const origin = `http://localhost:${port}`;
  return { service, origin, cookie, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

async function signIn(settings: FreshSettings): Promise<string> {
  const { db, now, close } = await openStore({ ...settings, serving: false });
  const people = { db, audit: append, actor: "system", now };
  const { person } = await invitePerson(people, { email: "bench@example.com", role: "officer" });
  const secret = await beginSession(db, person.id, now());
  await close();
  return secret;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function visitPages({ service, origin, cookie }: Opened): Promise<void> {
  const { db, close } = await openStore({ ...service.store, serving: false });
  const some = await db.selectFrom("verification").select(["reference"]).limit(1).executeTakeFirstOrThrow();
  await close();
  const month = "from=2026-10-01&to=2026-11-01";
  const verificationsWith = (filter: string) => `/verifications?${filter}`;
  const site = siteMap(await everyCommand(), pagesOfFeatures, everyRecord);
  const pages = [
    ...site.places.map(({ path }) => path),
    ...["/now/live", "/now/sums", "/now/tables", "/now/counts?range=hour", "/now/counts?range=day", "/status"],
    ...["state=unknown", "last4=0037", "kind=nin", "mode=test", "vendor=peer", "vendor=blusalt"].map(verificationsWith),
    ...["account=shop7@example.com", "account=shop7@example.com&state=failed&vendor=dojah"].map(verificationsWith),
    ...["from=2025-06-03&to=2025-06-04", "request_id=request-000000000000000000000042"].map(verificationsWith),
    ...["consent=consent-400", `reference=${some.reference}`].map(verificationsWith),
    ...[`/ledger/show?reference=${some.reference}`, `/ledger/summary?_run=1&${month}`],
    ...["day", "state", "key"].map((by) => `/ledger/summary?_run=1&by=${by}&${month}`),
    ...["shop7", "shop0"].flatMap((name) => [
      `/accounts/show?account=${name}@example.com`,
      `/books/statement?_run=1&account=${name}@example.com&month=2026-10`,
      `/books/trend?_run=1&account=${name}@example.com`,
    ]),
    ...["account", "day", "vendor"].map((by) => `/books?by=${by}&${month}`),
    ...["/books/trend?_run=1", `/books?account=shop7@example.com&${month}`, "/keys?account=shop7@example.com"],
    ...["/requests?failed=on", "/requests?account=shop7@example.com", "/audit?kind=account.created"],
  ];
  const figures: string[][] = [];
  for (const path of pages) {
    const times: number[] = [];
    for (let visit = 0; visit < visits; visit += 1) times.push(await firstByte(`${origin}${path}`, cookie));
    const shown = path.replace(some.reference, "…");
    figures.push([shown, milliseconds(times[0]!), milliseconds(median(times)), milliseconds(Math.max(...times))]);
  }
  console.log(`\nPages of the console on ${service.name} with ${rows} verifications of 24 months, to the first byte\n`);
  console.log(table([["", "first", "median", "most"], ...figures]));
  console.log("\n  Aim: 200 ms.");
}

/** Milliseconds to the first byte. Rejects unless the status is 200. */
function firstByte(address: string, cookie: string): Promise<number> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    get(address, { headers: { Cookie: cookie }, agent: false, family: 4 }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${address} answers ${response.statusCode}`));
      response.once("readable", () => resolve(performance.now() - begun)).resume();
    }).on("error", reject);
  });
}

/** Measures look-ups of a service without a console, and with one or ten open pages Now, each at a browser's pace. */
async function lookUpsBeside({ fresh }: Engine): Promise<void> {
  await using alone = await startService(await fresh(), { DUBA_LIMITS: "off" });
  await using opened = await startWithConsole(await fresh());
  const probe = new Worker(new URL("./look-up-probe.ts", import.meta.url));
  const cases = [
    { name: "no console", url: alone.duba.url, pages: 0, rounds: [] as number[][] },
    { name: "1 page open", url: opened.service.duba.url, pages: 1, rounds: [] as number[][] },
    { name: "10 pages open", url: opened.service.duba.url, pages: 10, rounds: [] as number[][] },
  ];
  const refresh = (turn: number) =>
    Promise.all(
      [...refreshes, ...(turn % seldomEvery === 0 ? seldom : [])].map((path) =>
        firstByte(`${opened.origin}${path}`, opened.cookie),
      ),
    );
  for (let round = 0; round <= rounds; round += 1)
    for (const { url, pages, rounds: measured } of cases) {
      // The first round warms up. In each round every page refreshes once, one page after the other.
      const length = round === 0 ? 2 : refreshSeconds;
      const open = Array.from({ length: pages }, (_, page) =>
        delay(((page + 0.5) / pages) * length * 1000, round + page).then(refresh),
      );
      probe.postMessage({ url, seconds: length } satisfies Probing);
      const [latencies] = (await once(probe, "message")) as [number[]];
      await Promise.all(open);
      if (round > 0) measured.push(latencies);
    }
  await probe.terminate();
  const line = (name: string, share: number) => {
    // The median of the rounds, because another program on the machine can disturb a round.
    const [without, ...beside] = cases.map((each) => median(each.rounds.map((times) => quantile(times, share))));
    return [name, ...[without!, ...beside].map(milliseconds), ...beside.map((time) => (time / without!).toFixed(2))];
  };
  console.log(
    `\nLook-ups of 4.1 on ${alone.name} at a steady pace, ${rounds} rounds of ${refreshSeconds} s in turn; a page refreshes every ${refreshSeconds} s\n`,
  );
  const shares = { p50: 0.5, p90: 0.9, p99: 0.99, "p99.9": 0.999 };
  console.log(
    table([
      ["", ...cases.map(({ name }) => name), "ratio of 1", "of 10"],
      ...Object.entries(shares).map(([name, share]) => line(name, share)),
    ]),
  );
}
