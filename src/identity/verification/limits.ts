import { type Expression, expressionBuilder, type Kysely, type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import type { KeyedHashes } from "../../keyring/keyed-hash.ts";
import { labelOf } from "../../operation/check-kind.ts";
import { Failure } from "../../operation/failures.ts";
import type { Limit } from "../../runtime/rate-limiter.ts";
import type { Tables } from "../../storage/tables.ts";
import type { Conditions, Row, VerificationState } from "../ledger/ledger.ts";
import type { IdentitySettings } from "../settings.ts";

const day = 24 * 60 * 60_000;

const negatives: readonly VerificationState[] = ["not_found", "phone_mismatch"];

/**
 * What a row of the ledger counts in a rule.
 * - `attempts`: the questions put for it, all as if at its last start.
 * - `calls`: the same, and one if there were none.
 * - `rows`: one.
 */
const weights = {
  attempts: sql<number>`${sql.ref("earlier.attempts")}`,
  calls: sql<number>`case when ${sql.ref("earlier.attempts")} > 1 then ${sql.ref("earlier.attempts")} else 1 end`,
  rows: sql<number>`1`,
};

/** At most so much may the account's rows count that have started within a window of milliseconds. */
interface Rule {
  code: "rate_limited" | "subject_rate_limited";
  message: string;
  most: number;
  window: number;
  counts: keyof typeof weights;
  states?: readonly VerificationState[];
  ofSubject?: boolean;
}

/** Whose rows are counted, and since when, by rule. */
interface Asked extends Pick<Row, "account_id" | "mode"> {
  since: number[];
  /** Rows that a wrong clock dated later do not count; the clocks of two processes may differ a little. */
  until: number;
  /** Under each hash key of the ring; none where no rule is of a subject. */
  subjects: string[];
}

type Counted = SelectQueryBuilder<Tables & { earlier: Tables["verification"] }, "earlier", unknown>;

function ruleOf({ count, seconds }: Limit, counts: Rule["counts"], may: string): Rule {
  const every = { 60: "a minute", 3600: "an hour", 86400: "a day" }[seconds] ?? `${seconds} s`;
  const message = `Your account may ${may.replace("#", String(count))} within ${every}.`;
  return { code: "rate_limited", message, most: count, window: seconds * 1000, counts };
}

/**
 * Limits that hold across processes: they count what the ledger says, within the statement that adds to it. On PostgreSQL
 * such statements do not see each other while they run: together they may go beyond a limit by one less than their number.
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

  /** What must hold for `row` to be made, or started again, at its `started_at`. */
  conditions(row: Row, number: string): Conditions<Asked, Rule[]> {
    const rules = this.#rules(row);
    return { values: this.#asked(rules, row, number), variant: rules, hold: this.#hold };
  }

  readonly #hold = (values: Asked, rules: Rule[]) =>
    rules.map((rule, at) => isBelow(rule, this.#counted(rule, at, values)));

  /**
   * The failure of a row that may not be made, or not started again, at its `started_at`; undefined if it may. Its
   * `Retry-After` is when it may be.
   */
  async refusal(row: Row, number: string): Promise<Failure | undefined> {
    const rules = this.#rules(row);
    const asked = this.#asked(rules, row, number);
    const at = row.started_at;
    for (const [index, rule] of rules.entries()) {
      const freeAt = await this.#freeAt(rule, this.#counted(rule, index, asked));
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

  /** Protects what the operator pays, so it holds with the limits of callers off as well. */
  #vendorRules({ mode, state }: Row): Rule[] {
    const { vendorCallsPerDay: most } = this.#settings;
    if (most === undefined || mode !== "live" || state === "refused") return [];
    const message = `Your account may cause ${most} questions to the identity source a day.`;
    return [{ code: "rate_limited", message, most, window: day, counts: "attempts" }];
  }

  #asked(rules: readonly Rule[], { account_id, mode, kind, started_at }: Row, number: string): Asked {
    const subjects = rules.some(({ ofSubject }) => ofSubject) ? this.#keyedHashes.all("subject", [kind, number]) : [];
    return {
      account_id,
      mode,
      since: rules.map(({ window }) => started_at - window),
      until: started_at + 1000,
      subjects,
    };
  }

  #counted(rule: Rule, index: number, { account_id, mode, since, until, subjects }: Asked) {
    return this.#db
      .selectFrom("verification as earlier")
      .where("earlier.account_id", "=", account_id)
      .where("earlier.mode", "=", mode)
      .where("earlier.started_at", ">", since[index]!)
      .where("earlier.started_at", "<=", until)
      .$if(rule.states !== undefined, (query) => query.where("earlier.state", "in", rule.states!))
      .$if(rule.ofSubject === true, (query) => query.where("earlier.subject_hash", "in", subjects));
  }

  /** When the rule has room again, at the start of a row plus its window; undefined if it has room now. */
  async #freeAt(rule: Rule, counted: Counted): Promise<number | undefined> {
    // Newest first, up to the row with which the rule is full.
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
