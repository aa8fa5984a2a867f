import { type CompiledQuery, createQueryId, type Kysely, type RootOperationNode } from "kysely";
import { statementOf } from "../src/features/books/statement.ts";
import { type LedgerFilter, listVerifications } from "../src/features/ledger-reports/list-verifications.ts";
import { attemptGroupings, attemptSums } from "../src/ledger/reports/attempt-sums.ts";
import { verificationByReference } from "../src/ledger/reports/inspect.ts";
import { groupings, summary } from "../src/ledger/reports/summary.ts";
import { TimeZone } from "../src/runtime/time-zone.ts";
import { openStore } from "../src/storage/store.ts";
import type { Tables } from "../src/storage/tables.ts";
import { engines } from "../test/support/engines.ts";
import { milliseconds, table } from "./figures.ts";
import { end, fillLedger, openRaw, type RawStore } from "./ledger-fill.ts";
import { sweepBesideTraffic } from "./ledger-sweep.ts";
import { startService } from "./servers.ts";

const rowCounts = { postgres: 10_000_000, sqlite: 2_000_000 };
const zone = new TimeZone("Africa/Lagos");
const runs = 3;

/**
 * Measures an operator's usual reports on a large ledger, with the query plans of the store, and then a sweep during
 * traffic. `BENCH_ROWS` sets the number of rows for both engines; `BENCH_ENGINE` chooses one engine.
 */
export async function ledger(): Promise<void> {
  for (const { name, fresh } of engines) {
    if (process.env.BENCH_ENGINE !== undefined && process.env.BENCH_ENGINE !== name) continue;
    const place = await fresh();
    try {
      const rows = Number(process.env.BENCH_ROWS ?? rowCounts[name]);
      // The first start makes the tables and signs the head of the audit trail.
      await (await startService({ ...place, dispose: async () => {} }))[Symbol.asyncDispose]();
      const raw = await openRaw(place.settings);
      const begun = performance.now();
      await fillLedger(raw, rows);
      const seconds = Math.round((performance.now() - begun) / 1000);
      console.log(`\n${raw.name}: ${rows} verifications of 24 months, filled in ${seconds} s`);
      const store = await openStore({ ...place.settings, serving: false });
      await ask(store.db, raw);
      await store.close();
      await sweepBesideTraffic(raw, place.settings);
      await raw.close();
    } finally {
      await place.dispose();
    }
  }
}

async function ask(db: Kysely<Tables>, raw: RawStore): Promise<void> {
  const figures: string[][] = [];
  const plans: string[] = [];
  for (const [name, query] of Object.entries(await queriesOf(db))) {
    const times: number[] = [];
    const { watched, queries } = watching(db);
    for (let run = 0; run < runs; run += 1) {
      queries.length = 0;
      const begun = performance.now();
      await query(watched);
      times.push(performance.now() - begun);
    }
    figures.push([name, milliseconds(times[0]!), milliseconds(Math.min(...times.slice(1)))]);
    plans.push(`  ${name}`);
    for (const node of queries)
      plans.push(
        ...(await planOf(raw, db.getExecutor().compileQuery(node, createQueryId()))).map((line) => `    ${line}`),
      );
  }
  console.log(`\n${table([["", "first", "again"], ...figures])}\n\nPlans:\n${plans.join("\n")}`);
}

type Query = (db: Kysely<Tables>) => Promise<unknown>;

async function queriesOf(db: Kysely<Tables>): Promise<Record<string, Query>> {
  const middle = await db
    .selectFrom("verification")
    .selectAll()
    .where("created_at", ">=", end - 300 * 86_400_000)
    .where("consent_reference", "is not", null)
    .orderBy("created_at")
    .limit(1)
    .executeTakeFirstOrThrow();
  const keyed = await db
    .selectFrom("verification")
    .select("idempotency_hash")
    .where("idempotency_hash", "is not", null)
    .limit(1)
    .executeTakeFirstOrThrow();
  const past = middle.lasting_idempotency_hash!;
  const place = { created_at: middle.created_at, reference: middle.reference };
  const [from, to] = [zone.startOfMonth("2026-03"), zone.startOfMonth("2026-04")];
  const list =
    (filter: LedgerFilter, after?: typeof place): Query =>
    (db) =>
      listVerifications(db, filter, { after, size: 50 });
  return {
    list: list({}),
    "list, a page 300 days back": list({}, place),
    "list --mode test": list({ mode: "test" }),
    "list --kind nin": list({ kind: "nin" }),
    "list --state unknown": list({ state: "unknown" }),
    "list --state started (none)": list({ state: "started" }),
    "list --state verified": list({ state: "verified" }),
    "list --account": list({ accountId: "acc_5" }),
    "list --account --mode test": list({ accountId: "acc_5", mode: "test" }),
    "list --account --state unknown": list({ accountId: "acc_5", state: "unknown" }),
    "list --account --kind, a page back": list({ accountId: "acc_0", kind: "nin" }, place),
    "list --account (none)": list({ accountId: "acc_nobody" }),
    "list, nothing fits in 100,000": list({ kind: "none" as never }),
    "list --account, nothing fits": list({ accountId: "acc_0", kind: "none" as never }),
    "list --from --to": list({ from, to }),
    "list --last4": list({ last4: "0037" }),
    "list --last4 --account": list({ last4: "0037", accountId: "acc_5" }),
    "list --consent": list({ consent: middle.consent_reference! }),
    "list --idempotency-key": list({ idempotencyHashes: ["v1:none", keyed.idempotency_hash!] }),
    "list --idempotency-key, a past one": list({ idempotencyHashes: ["v1:none", past] }),
    "list --request-id": list({ requestId: middle.request_id }),
    "list --vendor": list({ vendor: "dojah" }),
    "list --vendor, rarely asked": list({ vendor: "peer" }),
    "list --vendor, never asked": list({ vendor: "nobody" }),
    show: (db) => verificationByReference(db, middle.reference),
    ...Object.fromEntries(
      groupings.map((by) => [
        `summary of a month by ${by}`,
        (db: Kysely<Tables>) => summary(db, { from, to }, { by, zone }),
      ]),
    ),
    ...Object.fromEntries(
      attemptGroupings.map((by) => [
        `attempts of a month by ${by}`,
        (db: Kysely<Tables>) => attemptSums(db, { from, to }, { by, zone }),
      ]),
    ),
    "summary of a month, one account by day": (db) =>
      summary(db, { from, to, accountId: "acc_5" }, { by: "day", zone }),
    "statement of a month, a tenth of all": (db) =>
      statementOf(db, { accountId: "acc_0", month: "2026-03", zone, now: end }),
    "statement of a month, a hundredth": (db) =>
      statementOf(db, { accountId: "acc_5", month: "2026-03", zone, now: end }),
  };
}

/** A handle on `db` that notes its queries. */
function watching(db: Kysely<Tables>): { watched: Kysely<Tables>; queries: RootOperationNode[] } {
  const queries: RootOperationNode[] = [];
  const watched = db.withPlugin({
    transformQuery({ node }) {
      queries.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { watched, queries };
}

async function planOf(raw: RawStore, { sql, parameters }: CompiledQuery): Promise<string[]> {
  if (raw.name === "SQLite") {
    const rows = await raw.run(`explain query plan ${sql}`, parameters);
    return rows.map(({ detail }) => String(detail));
  }
  const rows = await raw.run(`explain (analyze, costs off, timing off, buffers off, summary off) ${sql}`, parameters);
  return rows
    .map((row) => String(row["QUERY PLAN"]))
    .filter((line) => /Scan|Sort|Aggregate|Join|Loop|Limit/.test(line));
}
