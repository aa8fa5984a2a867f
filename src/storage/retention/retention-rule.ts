import { type Kysely, type RawBuilder, type SqlBool, sql, type Transaction } from "kysely";
import type { Tables } from "../tables.ts";

/** Numbers of deleted items by name: `{ keys: 3, records: 2 }`. */
export type Removed = Readonly<Record<string, number>>;

/** A rule about how long rows are kept. Times are milliseconds since 1970. */
export interface RetentionRule {
  /** Shown in the log. */
  name: string;
  /** The tables from which the rule deletes rows or parts of rows. */
  tables: readonly (keyof Tables)[];
  /** Milliseconds between two runs. */
  every: number;
  /** Returns a time: everything that ended before it is deleted. */
  kept(now: number, db: Kysely<Tables>): number | Promise<number>;
  /** Deletes one batch of what ended before `before`. Counts of 0 mean that nothing is left. */
  remove(trx: Transaction<Tables>, before: number): Promise<Removed>;
  /** Runs after the last batch of each run. */
  finish?(db: Kysely<Tables>): Promise<unknown>;
  /** Whether the counts of a run go to the audit trail, as facts of `retention.swept`. */
  isAudited?: true;
  /** Whether the rule deletes sealed personal data. Such a rule waits only ten minutes for a clock that jumped. */
  isPersonal?: true;
}

const second = 1000;
export const minutely = 60 * second;
export const hourly = 60 * minutely;

/** The number of months for which the ledger, the audit trail and daily sums are kept. */
export const ledgerMonths = 24;

/** The start of the last `ledgerMonths` months, in milliseconds since 1970. */
export function ledgerStart(now: number): number {
  const start = new Date(now);
  return start.setUTCMonth(start.getUTCMonth() - ledgerMonths);
}

/** Rows per statement. Small, so that other statements wait only briefly. */
const batch = 500;

/**
 * Returns a rule for rows that end at the time in `column`. Large tables need an index on it. `only`: a further
 * condition.
 */
export function rowsBefore<Table extends keyof Tables>(
  table: Table,
  column: keyof Tables[Table] & string,
  {
    only = sql`1 = 1`,
    every = hourly,
    ...rule
  }: { only?: RawBuilder<SqlBool> } & Pick<RetentionRule, "kept"> & Partial<RetentionRule>,
): RetentionRule {
  const ends = sql.ref<number>(column);
  return {
    name: table,
    tables: [table],
    every,
    ...rule,
    async remove(trx, before) {
      // The compiler cannot check a generic table's columns.
      const named = table as "adjustment";
      const isOld = sql<SqlBool>`${only} and ${ends} < ${before}`;
      const last = await trx
        .selectFrom(named)
        .select(ends.as("at"))
        .where(isOld)
        .orderBy(ends)
        .offset(batch - 1)
        .limit(1)
        .executeTakeFirst();
      const { numDeletedRows } = await trx
        .deleteFrom(named)
        .where(isOld)
        .where(ends, "<=", last?.at ?? before)
        .executeTakeFirstOrThrow();
      return { [table]: Number(numDeletedRows) };
    },
  };
}

/** Deletes what ended before `before` in batches, and adds the counts to `sums`. An abort stops it between batches. */
export async function removeBatches(
  db: Kysely<Tables>,
  rule: Pick<RetentionRule, "remove" | "finish">,
  before: number,
  sums: Record<string, number> = {},
  stopping?: AbortSignal,
): Promise<Removed> {
  while (!stopping?.aborted) {
    const removed = Object.entries(await db.transaction().execute((trx) => rule.remove(trx, before)));
    for (const [name, count] of removed) sums[name] = (sums[name] ?? 0) + count;
    if (removed.every(([, count]) => count === 0)) break;
  }
  await rule.finish?.(db);
  return sums;
}
