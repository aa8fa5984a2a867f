import { type Expression, expressionBuilder, type Kysely, type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import type { KeyedHashes } from "../../keyring/keyed-hash.ts";
import { labelOf } from "../../operation/check-kind.ts";
import { Failure } from "../../operation/failures.ts";
import type { Limit } from "../../runtime/rate-limiter.ts";
import type { Tables } from "../../storage/tables.ts";
import type { IdentitySettings } from "../identity-settings.ts";
import type { Conditions, Row } from "../ledger/ledger.ts";
import type { VerificationState } from "../ledger/transitions.ts";

const day = 24 * 60 * 60_000;

const negatives: readonly VerificationState[] = ["not_found", "phone_mismatch"];

/**
 * How much a ledger row adds to a rule's count.
 * - `attempts`: its calls, all dated at its last start.
 * - `calls`: the same, but at least one.
 * - `rows`: one.
 */
const weights = {
  attempts: sql<number>`${sql.ref("earlier.attempts")}`,
  calls: sql<number>`case when ${sql.ref("earlier.attempts")} > 1 then ${sql.ref("earlier.attempts")} else 1 end`,
  rows: sql<number>`1`,
};

/** The rows that an account started within `window` milliseconds may add up to `most`. */
interface Rule {
  code: "rate_limited" | "subject_rate_limited";
  message: string;
  most: number;
  window: number;
  counts: keyof typeof weights;
  states?: readonly VerificationState[];
  ofSubject?: boolean;
}

/** Which rows are counted; `since` by rule. */
interface CountScope extends Pick<Row, "account_id" | "mode"> {
  since: number[];
  /** Ignores rows that a wrong clock dated into the future; two clocks may differ a little. */
  until: number;
  /** One hash under each key of the ring; empty if no rule counts by subject. */
  subjects: string[];
}

type Counted = SelectQueryBuilder<Tables & { earlier: Tables["verification"] }, "earlier", unknown>;

function ruleOf({ count, seconds }: Limit, counts: Rule["counts"], may: string): Rule {
  const every = { 60: "a minute", 3600: "an hour", 86400: "a day" }[seconds] ?? `${seconds} s`;
  const message = `Your account may ${may.replace("#", String(count))} within ${every}.`;
  return { code: "rate_limited", message, most: count, window: seconds * 1000, counts };
}

/**
 * Limits that hold across processes: the statement that writes the intent counts the ledger's rows. On PostgreSQL concurrent
 * statements do not see each other, so n of them may together exceed a limit by n - 1.
 */
export class VerificationLimits {
  readonly #db: Kysely<Tables>;
  readonly #settings: IdentitySettings;
  readonly #keyedHashes: KeyedHashes;

  constructor(db: Kysely<Tables>, settings: IdentitySettings, keyedHashes: KeyedHashes) {
    this.#db = db;
    this.#settings = settings;
    this.#keyedHashes = keyedHashes;
  }

  /** The conditions for inserting or retrying `row` at its `started_at`. */
  conditions(row: Row, number: string): Conditions<CountScope, Rule[]> {
    const rules = this.#rules(row);
    return { values: this.#scope(rules, row, number), variant: rules, hold: this.#hold };
  }

  readonly #hold = (values: CountScope, rules: Rule[]) =>
    rules.map((rule, at) => isBelow(rule, this.#counted(rule, at, values)));

  /**
   * The failure that a limit causes for `row` at its `started_at`; undefined if every limit allows it. `Retry-After` says
   * when the limit has room.
   */
  async refusal(row: Row, number: string): Promise<Failure | undefined> {
    const rules = this.#rules(row);
    const scope = this.#scope(rules, row, number);
    const at = row.started_at;
    for (const [index, rule] of rules.entries()) {
      const freeAt = await this.#freeAt(rule, this.#counted(rule, index, scope));
      if (freeAt === undefined) continue;
      return new Failure(rule.code, rule.message, { retryAfter: Math.max(1, Math.ceil((freeAt - at) / 1000)) });
    }
    return undefined;
  }

  #rules(row: Row): Rule[] {
    const { limits } = this.#settings;
    if (!limits) return this.#vendorRules(row);
    const account = ruleOf(limits.account, "calls", "ask for # verifications, retries included,");
    if (row.state === "refused") return [account];
    const missed = ruleOf(limits.negatives, "rows", "have # verifications without a match");
    const always = [account, { ...missed, states: negatives }, ...this.#vendorRules(row)];
    if (row.mode === "test") return always;
    const ofSubject = { code: "subject_rate_limited", ofSubject: true } as const;
    const number = labelOf(row.kind);
    const asked = ruleOf(limits.subject, "attempts", `have # questions asked about one ${number}, retries included,`);
    const unmatched = ruleOf(limits.subjectNegatives, "rows", `have # verifications of one ${number} without a match`);
    return [...always, { ...asked, ...ofSubject }, { ...unmatched, ...ofSubject, states: negatives }];
  }

  /** Bounds the operator's bill, so it also holds when callers are not limited. */
  #vendorRules({ mode, state }: Row): Rule[] {
    const { vendorCallsPerDay: most } = this.#settings;
    if (most === undefined || mode !== "live" || state === "refused") return [];
    const message = `Your account may cause ${most} questions to the identity source a day.`;
    return [{ code: "rate_limited", message, most, window: day, counts: "attempts" }];
  }

  #scope(rules: readonly Rule[], { account_id, mode, kind, started_at }: Row, number: string): CountScope {
    const subjects = rules.some(({ ofSubject }) => ofSubject) ? this.#keyedHashes.all("subject", [kind, number]) : [];
    return {
      account_id,
      mode,
      since: rules.map(({ window }) => started_at - window),
      until: started_at + 1000,
      subjects,
    };
  }

  #counted(rule: Rule, index: number, { account_id, mode, since, until, subjects }: CountScope) {
    return this.#db
      .selectFrom("verification as earlier")
      .where("earlier.account_id", "=", account_id)
      .where("earlier.mode", "=", mode)
      .where("earlier.started_at", ">", since[index]!)
      .where("earlier.started_at", "<=", until)
      .$if(rule.states !== undefined, (query) => query.where("earlier.state", "in", rule.states!))
      .$if(rule.ofSubject === true, (query) => query.where("earlier.subject_hash", "in", subjects));
  }

  /** When the rule has room again; undefined if it has room now. */
  async #freeAt(rule: Rule, counted: Counted): Promise<number | undefined> {
    // Newest first, up to the row that fills the rule.
    const upTo = sql<number>`sum(${weights[rule.counts]}) over (order by ${sql.ref("earlier.started_at")} desc)`;
    const filling = await this.#db
      .selectFrom(counted.select(["earlier.started_at", upTo.as("total")]).as("summed"))
      .select((row) => row.fn.max("summed.started_at").as("started_at"))
      .where("summed.total", ">=", rule.most)
      .executeTakeFirst();
    return filling?.started_at == null ? undefined : filling.started_at + rule.window;
  }
}

function isBelow({ counts, most }: Rule, counted: Counted): Expression<SqlBool> {
  const total = sql<number>`coalesce(sum(${weights[counts]}), 0)`;
  return expressionBuilder<Tables, never>()(counted.select(total.as("total")), "<", most);
}
