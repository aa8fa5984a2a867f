import { type Expression, type SqlBool, sql } from "kysely";
import type { Input } from "../../storage/queries/shared-input.ts";
import type { Db, VerificationRow } from "../../storage/tables.ts";

/**
 * The objects that a limit can count.
 * - `verifications`: ledger rows, at their last start.
 * - `runs`: all runs of these rows, dated at the last start.
 * - `attempts`: attempts at vendors.
 */
const sources = {
  verifications: { table: sql.table("verification"), weight: sql.lit(1) },
  runs: { table: sql.table("verification"), weight: sql.ref("run") },
  attempts: { table: sql.table("verification_attempt"), weight: sql.lit(1) },
};

/** A limit: an account may reach at most `most` within `window` milliseconds. */
export interface Limiting {
  most: number;
  window: number;
  counts: keyof typeof sources;
  /** Whether only negative verifications count. */
  isNegative?: boolean;
  ofSubject?: boolean;
  /**
   * Whether a window may hold more than one statement can count. The process then knows most of the count: see
   * `counted`.
   */
  isLarge?: boolean;
}

/** The rows that limits count. The start of the window differs by limit. */
export interface LimitScope extends Pick<VerificationRow, "account_id" | "mode"> {
  since: readonly number[];
  /** Excludes rows that a wrong clock dated into the future, but tolerates a small difference between clocks. */
  until: number;
  /** One hash for each key of the ring; empty without a limit by subject. */
  subjects: readonly string[];
  /** Start, end and count of the attempts that the process knows, for a large limit, else empty. */
  counted: readonly number[];
}

/** Limits that must have room for a start, and the rows that these limits count. */
export interface Limits {
  rules: readonly Limiting[];
  counted: LimitScope;
}

export const noLimits: Limits = {
  rules: [],
  counted: { account_id: "", mode: "", since: [], until: 0, subjects: [], counted: [] },
};

/** Everything of limits that determines the SQL of `withinLimits`. */
export function nameOfLimits({ rules, counted }: Limits): string {
  let name = "";
  for (const { most, counts, isNegative, ofSubject, isLarge } of rules)
    name += ` ${counts}${isNegative ? " negative" : ""}${ofSubject ? " of subject" : ""}${isLarge ? " large" : ""} ${most}`;
  return `${name} ${counted.subjects.length}`;
}

/** Whether each limit has room for one more start. With `input`, the earlier intents of the batch count as well. */
export function withinLimits(rules: readonly Limiting[], counted: LimitScope, input?: Input): Expression<SqlBool>[] {
  return rules.map((rule, index) => {
    const count = countOf(rule, counted.since[index]!, counted);
    // Intents in this batch have no outcome yet, so they cannot count as negative.
    if (!input || rule.isNegative) return sql<SqlBool>`${count} < ${rule.most}`;
    const before = input.countBefore("account_id", "mode", ...(rule.ofSubject ? ["subjects"] : []));
    return sql<SqlBool>`${count} + ${before} < ${rule.most}`;
  });
}

/** The time at which a limit has room again, in milliseconds since 1970; undefined if it has room now. */
export async function freeAt(db: Db, rule: Limiting, since: number, counted: LimitScope): Promise<number | undefined> {
  const { weight } = sources[rule.counts];
  // Reads the newest rows first, up to the one that fills the limit.
  const { rows } = rule.isLarge
    ? await fillingAttempt(db, rule, since, counted)
    : await sql<{ at: number | null }>`
      select max(at) as at
      from (select started_at as at, sum(${weight}) over (order by started_at desc) as total ${from(rule, since, counted)}) as summed
      where total >= ${rule.most}`.execute(db);
  const filling = rows[0]?.at ?? undefined;
  return filling === undefined ? undefined : filling + rule.window;
}

/**
 * Returns the attempt that fills the limit. This attempt is near an end of the window, because exactly as many attempts
 * are older than it as exceed the limit.
 */
async function fillingAttempt(
  db: Db,
  rule: Limiting,
  since: number,
  counted: LimitScope,
): Promise<{ rows: { at: number }[] }> {
  const all = await sql<{ calls: number | string }>`select ${countOf(rule, since, counted)} as calls`.execute(db);
  const tooMany = Number(all.rows[0]!.calls) - rule.most;
  if (tooMany < 0) return { rows: [] };
  const place = tooMany < rule.most ? sql`limit 1 offset ${tooMany}` : sql`desc limit 1 offset ${rule.most - 1}`;
  const attempt = sql<{
    at: number;
  }>`select started_at as at ${from(rule, since, counted)} order by started_at ${place}`;
  const { rows } = await attempt.execute(db);
  // No row: one of the counted attempts was not sent after all, and the limit has room within a minute.
  return rows.length > 0 ? { rows } : { rows: [{ at: since }] };
}

function countOf(rule: Limiting, since: number, counted: LimitScope): Expression<number> {
  if (!rule.isLarge)
    return sql`(select coalesce(sum(${sources[rule.counts].weight}), 0) ${from(rule, since, counted)})`;
  // The process knows the count of a slightly earlier window. This adds the attempts since then, and subtracts those
  // before the new window.
  const [begin, end, calls] = counted.counted as [number, number, number];
  const came = from(rule, end, counted);
  const left = from(rule, begin, { ...counted, until: since });
  return sql`(${calls} + (select count(*) ${came}) - (select count(*) ${left}))`;
}

/** The FROM clause and conditions for the rows that a limit counts. */
function from(
  { counts, isNegative, ofSubject }: Limiting,
  since: number,
  { account_id, mode, until, subjects }: LimitScope,
) {
  const { table } = sources[counts];
  const ofThem = ofSubject ? sql`subject_hash in (${sql.join(subjects)})` : undefined;
  const conditions = [
    sql`account_id = ${account_id} and mode = ${mode} and started_at > ${since} and started_at <= ${until}`,
    // The state is a literal, so that the index of this state applies.
    ...(isNegative ? [sql`state = 'negative'`] : []),
    ...(ofThem
      ? [counts === "attempts" ? sql`reference in (select reference from verification where ${ofThem})` : ofThem]
      : []),
  ];
  return sql`from ${table} where ${sql.join(conditions, sql` and `)}`;
}
