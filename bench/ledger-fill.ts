import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import pg from "pg";
import { allTables } from "../src/storage/tables.ts";
import type { FreshSettings } from "../test/support/engines.ts";

/** A connection without time limits. `run` runs one statement, and returns its rows. */
export interface RawStore {
  name: "SQLite" | "PostgreSQL";
  run(sql: string, parameters?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export async function openRaw({ dataDirectory, databaseUrl }: FreshSettings): Promise<RawStore> {
  if (databaseUrl !== undefined) {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    return {
      name: "PostgreSQL",
      run: async (sql, parameters = []) => (await client.query(sql, [...parameters])).rows ?? [],
      close: () => client.end(),
    };
  }
  const database = new DatabaseSync(join(dataDirectory, "duba.db"));
  return {
    name: "SQLite",
    run: async (sql, parameters = []) => {
      return database.prepare(sql).all(...(parameters as SQLInputValue[]));
    },
    close: async () => void database.close(),
  };
}

const accounts = 97;
/** A prime above any row count, so that each number gives a different reference. */
const prime = 999_999_937;
const day = 86_400_000;

/** The time of the last row, in milliseconds since 1970. */
export const end = Date.UTC(2026, 10, 1);
const start = Date.UTC(2024, 10, 1);

/** Fills the ledger with 24 months of generated verifications. */
export async function fillLedger(store: RawStore, rows: number): Promise<void> {
  const isPostgres = store.name === "PostgreSQL";
  const digits = (number: string, width: number) =>
    isPostgres ? `lpad((${number})::text, ${width}, '0')` : `printf('%0${width}d', ${number})`;
  const hash = isPostgres ? "substr(md5(n::text), 1, 22)" : "hex(randomblob(11))";
  const number = isPostgres ? "n::bigint" : "n";
  const createdAt = `(${start} + (${number} * ${end - start}) / ${rows})`;
  const isVerified = `(${number} * 13) % 1000 >= 82`;
  const isRecent = `${createdAt} > ${end - day}`;
  const reference = `'bnchmK' || ${digits(`(${number} * 7919) % ${prime}`, 9)}`;
  const account = `case when n % 10 = 0 then 'acc_0' else 'acc_' || (n % ${accounts}) end`;
  const mode = "case when n % 50 = 3 then 'test' else 'live' end";
  const vendor = "case when n % 500 = 7 then 'peer' else 'dojah' end";
  const verification: Record<string, string> = {
    reference,
    account_id: account,
    key_id: "'key_' || (n % 300)",
    mode,
    kind: "case when (n / 7) % 5 = 0 then 'nin' else 'bvn' end",
    state: `case when ${isVerified} then 'verified' when (${number} * 13) % 1000 = 0 then 'unknown'
      when (${number} * 13) % 1000 < 20 then 'failed' when (${number} * 13) % 1000 < 80 then 'negative' else 'refused' end`,
    reason: `case when (${number} * 13) % 1000 between 20 and 59 then 'not_found'
      when (${number} * 13) % 1000 between 60 and 79 then 'phone_mismatch' end`,
    idempotency_hash: `case when ${isRecent} then 'v1:' || ${hash} end`,
    lasting_idempotency_hash: `'v1:' || ${hash}`,
    body_hash: `case when ${isRecent} then 'v1:' || ${hash} end`,
    subject_hash: `'v1:' || ${hash}`,
    subject_last4: digits(`(${number} * 37) % 10000`, 4),
    run: "1",
    amount: "10000",
    fee: "10000 + n % 7",
    charged: `case when ${isVerified} then 1 else 0 end`,
    charged_at: `case when ${isVerified} then ${createdAt} + 1500 end`,
    consent_reference: "case when n % 4 = 0 then 'consent-' || n end",
    request_id: `'request-' || ${digits("n", 24)}`,
    created_at: createdAt,
    started_at: createdAt,
    completed_at: `${createdAt} + 1500`,
  };
  const attempt: Record<string, string> = {
    reference,
    number: "1",
    account_id: account,
    mode,
    kind: verification.kind!,
    vendor,
    started_at: `${createdAt} + 2`,
    answered_at: `${createdAt} + 1400`,
    outcome: `case when ${isVerified} then 'verified' else 'negative' end`,
    reason: `case when not (${isVerified}) then 'not_found' end`,
    vendor_reference: `'D-' || ${digits("n", 12)}`,
    price: "5000",
    bill: "5000",
    bill_certain: "1",
    request_id: verification.request_id!,
  };
  const tables = { verification, verification_attempt: attempt };
  const indexes = await indexesOf(store, Object.keys(tables));
  for (const { name } of indexes) await store.run(`drop index ${name}`);
  const series = (from: number, to: number) =>
    isPostgres
      ? `generate_series(${from}, ${to}) as series(n)`
      : `(with recursive series(n) as (select ${from} union all select n + 1 from series where n < ${to}) select n from series)`;
  const step = 500_000;
  for (const [table, expressions] of Object.entries(tables))
    for (let from = 1; from <= rows; from += step) {
      const columns = Object.entries(allTables[table as keyof typeof tables]).map(([column, kind]) => {
        const nothing = kind.includes("?") ? "null" : kind.startsWith("text") ? "''" : "0";
        return [column, expressions[column] ?? nothing];
      });
      const [names, values] = [0, 1].map((at) => columns.map((pair) => pair[at]).join(", "));
      await store.run(
        `insert into ${table} (${names}) select ${values} from ${series(from, Math.min(rows, from + step - 1))}`,
      );
    }
  if (isPostgres) await store.run("set maintenance_work_mem = '512MB'");
  for (const { sql } of indexes) await store.run(sql);
  // PostgreSQL would analyze the tables by itself later; SQLite has no statistics.
  if (isPostgres) for (const table of Object.keys(tables)) await store.run(`vacuum analyze ${table}`);
}

/** The indexes that belong to no constraint, with the statements that create these indexes. */
async function indexesOf({ name, run }: RawStore, tables: readonly string[]): Promise<{ name: string; sql: string }[]> {
  const names = tables.map((table) => `'${table}'`).join(", ");
  const rows = await run(
    name === "SQLite"
      ? `select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name in (${names})`
      : `select indexname as name, indexdef as sql from pg_indexes where tablename in (${names})
         and not exists (select 1 from pg_constraint where conname = indexname)`,
  );
  return rows as { name: string; sql: string }[];
}
