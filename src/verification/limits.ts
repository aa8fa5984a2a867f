import { type Expression, type SqlBool, sql } from "kysely";
import type { CheckInput } from "../checks/check.ts";
import { subjectParts } from "../checks/index.ts";
import type { AccountTerms } from "../declare/account-terms.ts";
import { labelOf } from "../declare/check-kind.ts";
import { Failure } from "../declare/failures.ts";
import type { KeyedHashes } from "../keyring/keyed-hash.ts";
import type { IdentitySettings } from "../ledger/identity-settings.ts";
import type { Conditions } from "../ledger/insert-statement.ts";
import type { Row } from "../ledger/ledger.ts";
import type { Budget } from "../ledger/spending/budget.ts";
import { spendingFailure } from "../ledger/spending/spending.ts";
import type { SpendingFailure } from "../ledger/spending/spending-failure.ts";
import type { Limit } from "../runtime/rate-limiter.ts";
import type { ColumnKind } from "../storage/migrations/columns.ts";
import type { Input } from "../storage/queries/shared-input.ts";
import type { Db } from "../storage/tables.ts";
import { CountedCalls } from "./counted-calls.ts";
import type { VerificationRequest } from "./request.ts";

const day = 24 * 60 * 60_000;

/**
 * What a rule counts.
 * - `verifications`: ledger rows, at their last start.
 * - `runs`: all runs of these rows, dated at the last start.
 * - `attempts`: attempts at vendors.
 */
const sources = {
  verifications: { table: sql.table("verification"), weight: sql.lit(1) },
  runs: { table: sql.table("verification"), weight: sql.ref("run") },
  attempts: { table: sql.table("verification_attempt"), weight: sql.lit(1) },
};

/** An account may reach at most `most` within `window` milliseconds. */
interface Rule {
  code: "rate_limited" | "subject_rate_limited";
  message: string;
  most: number;
  window: number;
  counts: keyof typeof sources;
  /** Whether only negative verifications count. */
  isNegative?: boolean;
  ofSubject?: boolean;
  /**
   * Whether a window may hold more than a statement can count, so that the process knows most of it:
   * `CountScope.counted`.
   */
  isLarge?: boolean;
}

/** What the limits need from a request. */
type Limited = CheckInput & Pick<VerificationRequest, "terms">;

/** Selects the rows to count. The start of the window differs by rule. */
interface CountScope extends Pick<Row, "account_id" | "mode"> {
  since: number[];
  /** Excludes rows that a wrong clock dated into the future, but tolerates a small difference between clocks. */
  until: number;
  /** One hash for each key of the ring; empty if no rule counts by subject. */
  subjects: string[];
  /** The members of `CallCount` if a rule is large, else none. */
  counted: number[];
}

const scopeKinds = {
  account_id: "text",
  mode: "text",
  since: "bigint",
  until: "bigint",
  subjects: "text",
  counted: "bigint",
} as const satisfies Record<keyof CountScope, ColumnKind>;

function ruleOf({ count, seconds }: Limit, counts: Rule["counts"], may: string): Rule {
  const every = { 60: "a minute", 3600: "an hour", 86400: "a day" }[seconds] ?? `${seconds} s`;
  const message = `Your account may ${may.replace("#", String(count))} within ${every}.`;
  return { code: "rate_limited", message, most: count, window: seconds * 1000, counts };
}

/**
 * Limits across processes. The statement that writes the intent counts the ledger's rows and the earlier intents of its
 * batch. On PostgreSQL, concurrent statements do not see each other. Together they may exceed a limit by what all but
 * one of them write.
 */
export class VerificationLimits {
  readonly #db: Db;
  readonly #settings: IdentitySettings;
  readonly #keyedHashes: KeyedHashes;
  readonly #calls: CountedCalls;

  constructor(db: Db, settings: IdentitySettings, keyedHashes: KeyedHashes) {
    this.#db = db;
    this.#settings = settings;
    this.#keyedHashes = keyedHashes;
    this.#calls = new CountedCalls(db, day, settings.timeLimit);
  }

  /** The conditions for inserting or retrying `row` at its `started_at`. */
  async conditions(row: Row, request: Limited): Promise<Conditions<CountScope, Rule[]>> {
    const rules = this.#rules(row, request.terms);
    return { values: await this.#scope(rules, row, request), kinds: scopeKinds, variant: rules, hold: this.#hold };
  }

  readonly #hold = (values: CountScope, rules: Rule[], input?: Input) =>
    rules.map((rule, index) => isBelow(rule, values.since[index]!, values, input));

  /**
   * The failure that a limit causes for `row` at its `started_at`; undefined if all limits permit it. `Retry-After`
   * states when the limit has room again.
   */
  async failureOf(row: Row, request: Limited): Promise<Failure | undefined> {
    const rules = this.#rules(row, request.terms);
    const scope = await this.#scope(rules, row, request);
    const at = row.started_at;
    for (const [index, rule] of rules.entries()) {
      const freeAt = await this.#freeAt(rule, scope.since[index]!, scope);
      if (freeAt === undefined) continue;
      const retryAfter = Math.max(1, Math.ceil((freeAt - at) / 1000));
      const key = row.idempotency_hash === null ? "" : " The same Idempotency-Key will do.";
      return new Failure(rule.code, `${rule.message} Send it again in ${retryAfter} s.${key}`, { retryAfter });
    }
    return undefined;
  }

  /** Why a row's account cannot pay the fee; undefined if it can by now. */
  spendingFailure(row: Row, budget: Budget): Promise<SpendingFailure | undefined> {
    return spendingFailure(this.#db, budget, row);
  }

  /** An account's own limits apply even if other accounts are not limited. */
  #rules(row: Row, own: AccountTerms): Rule[] {
    const { limits } = this.#settings;
    const { verification = limits?.account, negatives = limits?.negatives } = own;
    const account = verification ? [ruleOf(verification, "runs", "ask for # verifications, retries included,")] : [];
    if (row.state === "refused") return account;
    const missed = negatives ? [ruleOf(negatives, "verifications", "have # verifications without a match")] : [];
    const always = [...account, ...missed.map((rule) => ({ ...rule, isNegative: true })), ...this.#vendorRules(row)];
    if (!limits || row.mode === "test") return always;
    const ofSubject = { code: "subject_rate_limited", ofSubject: true } as const;
    const number = labelOf(row.kind);
    const attempts = ruleOf(limits.subject, "attempts", `make # attempts at one ${number}, retries included,`);
    const missedOfSubject = ruleOf(
      limits.subjectNegatives,
      "verifications",
      `have # verifications of one ${number} without a match`,
    );
    return [...always, { ...attempts, ...ofSubject }, { ...missedOfSubject, ...ofSubject, isNegative: true }];
  }

  /** These rules limit the operator's bill, so they apply even if callers are not limited. */
  #vendorRules({ mode, state }: Row): Rule[] {
    const { vendorAttemptsPerDay: most } = this.#settings;
    if (most === undefined || mode !== "live" || state === "refused") return [];
    const message = `Your account may cause ${most} attempts at the identity source a day.`;
    return [{ code: "rate_limited", message, most, window: day, counts: "attempts", isLarge: true }];
  }

  async #scope(rules: readonly Rule[], row: Row, request: CheckInput): Promise<CountScope> {
    const { account_id, mode, started_at } = row;
    const subjects = rules.some(({ ofSubject }) => ofSubject)
      ? this.#keyedHashes.all("subject", subjectParts(request))
      : [];
    const large = rules.find(({ isLarge }) => isLarge);
    const counted = large && (await this.#calls.until(row, started_at, large.most));
    return {
      account_id,
      mode,
      since: rules.map(({ window }) => started_at - window),
      until: started_at + 1000,
      subjects,
      counted: counted ? [counted.from, counted.to, counted.calls] : [],
    };
  }

  /** When the rule has room again; undefined if it has room now. */
  async #freeAt(rule: Rule, since: number, scope: CountScope): Promise<number | undefined> {
    const { weight } = sources[rule.counts];
    // Reads the newest rows first, up to the one that fills the rule.
    const { rows } = rule.isLarge
      ? await this.#fillingCall(rule, since, scope)
      : await sql<{ at: number | null }>`
      select max(at) as at
      from (select started_at as at, sum(${weight}) over (order by started_at desc) as total ${from(rule, since, scope)}) as summed
      where total >= ${rule.most}`.execute(this.#db);
    const filling = rows[0]?.at ?? undefined;
    return filling === undefined ? undefined : filling + rule.window;
  }

  /**
   * As many calls are older than the one that fills the rule as there are too many, so it is near an end of the window.
   */
  async #fillingCall(rule: Rule, since: number, scope: CountScope): Promise<{ rows: { at: number }[] }> {
    const counted = await sql<{ calls: number | string }>`select ${countOf(rule, since, scope)} as calls`.execute(
      this.#db,
    );
    const tooMany = Number(counted.rows[0]!.calls) - rule.most;
    if (tooMany < 0) return { rows: [] };
    const place = tooMany < rule.most ? sql`limit 1 offset ${tooMany}` : sql`desc limit 1 offset ${rule.most - 1}`;
    const call = sql<{ at: number }>`select started_at as at ${from(rule, since, scope)} order by started_at ${place}`;
    const { rows } = await call.execute(this.#db);
    // Without a row, a call that was counted was not sent after all: the limit has room within a minute.
    return rows.length > 0 ? { rows } : { rows: [{ at: since }] };
  }
}

function isBelow(rule: Rule, since: number, scope: CountScope, input?: Input): Expression<SqlBool> {
  const { isNegative, ofSubject, most } = rule;
  const counted = countOf(rule, since, scope);
  // Intents in this batch have no outcome yet, so they cannot count as negative.
  if (!input || isNegative) return sql<SqlBool>`${counted} < ${most}`;
  const before = input.countBefore("account_id", "mode", ...(ofSubject ? ["subjects"] : []));
  return sql<SqlBool>`${counted} + ${before} < ${most}`;
}

function countOf(rule: Rule, since: number, scope: CountScope): Expression<number> {
  if (!rule.isLarge) return sql`(select coalesce(sum(${sources[rule.counts].weight}), 0) ${from(rule, since, scope)})`;
  // The process knows a window that began and ended a little earlier: we add what came since, and take away what left.
  const [begin, end, calls] = scope.counted as [number, number, number];
  const came = from(rule, end, scope);
  const left = from(rule, begin, { ...scope, until: since });
  return sql`(${calls} + (select count(*) ${came}) - (select count(*) ${left}))`;
}

/** The FROM clause and conditions of what the rule counts. */
function from(
  { counts, isNegative, ofSubject }: Rule,
  since: number,
  { account_id, mode, until, subjects }: CountScope,
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
