import { type Expression, expressionBuilder, type Kysely, type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import { Failure } from "../contract/failures.ts";
import type { Limit } from "../contract/setting.ts";
import type { Tables } from "../storage/tables.ts";
import type { Fingerprints } from "./fingerprint.ts";
import type { Conditions, Row, State } from "./ledger.ts";
import type { IdentitySettings } from "./settings.ts";

const day = 24 * 60 * 60_000;

const negatives: readonly State[] = ["not_found", "phone_mismatch"];

/** At most so many of the account's rows (or of their attempts) may have started within a window of milliseconds. */
interface Rule {
  code: "rate_limited" | "subject_rate_limited";
  message: string;
  most: number;
  window: number;
  counts: "rows" | "attempts";
  states?: readonly State[];
  ofSubject?: boolean;
}

/** Whose rows are counted, and since when, by rule. */
interface Asked extends Pick<Row, "account_id" | "mode"> {
  since: number[];
  /** Under each hash key of the ring; none where no rule is of a subject. */
  subjects: string[];
}

type Counted = SelectQueryBuilder<Tables & { earlier: Tables["verification"] }, "earlier", unknown>;

function rowRule({ count, seconds }: Limit, may: string, what: string): Rule {
  const every = { 60: "a minute", 3600: "an hour", 86400: "a day" }[seconds] ?? `${seconds} s`;
  const message = `Your account ${may} ${count} ${what} within ${every}.`;
  return { code: "rate_limited", message, most: count, window: seconds * 1000, counts: "rows" };
}

/** Limits that hold across processes: they count what the ledger says, within the statement that adds to it. */
export class Limits {
  readonly #db: Kysely<Tables>;
  readonly #settings: IdentitySettings;
  readonly #fingerprints: Fingerprints;

  constructor(db: Kysely<Tables>, settings: IdentitySettings, fingerprints: Fingerprints) {
    this.#db = db;
    this.#settings = settings;
    this.#fingerprints = fingerprints;
  }

  /** What must hold for `row` to be made. */
  conditions(row: Row, bvn: string): Conditions<Asked> {
    const rules = this.#rules(row);
    const values = this.#asked(rules, row, bvn);
    return {
      shape: `${row.mode} ${row.state} ${values.subjects.length}`,
      values,
      hold: (values) => rules.map((rule, at) => isBelow(rule, this.#counted(rule, at, values))),
    };
  }

  /** The failure of a row that may not be made, or undefined if it may. Its `Retry-After` is when it may be. */
  async refusal(row: Row, bvn: string): Promise<Failure | undefined> {
    const rules = this.#rules(row);
    return this.#refusal(rules, this.#asked(rules, row, bvn), row.started_at);
  }

  /** The same for a further attempt of a row: only what attempts cost counts. */
  async resumptionRefusal(row: Row, at: number): Promise<Failure | undefined> {
    const rules = this.#vendorRules(row);
    return this.#refusal(rules, this.#asked(rules, { ...row, started_at: at }), at);
  }

  async #refusal(rules: readonly Rule[], asked: Asked, at: number): Promise<Failure | undefined> {
    for (const [index, rule] of rules.entries()) {
      const freeAt = await this.#freeAt(rule, this.#counted(rule, index, asked), at);
      if (freeAt === undefined) continue;
      return new Failure(rule.code, rule.message, { retryAfter: Math.max(1, Math.ceil((freeAt - at) / 1000)) });
    }
    return undefined;
  }

  #rules(row: Row): Rule[] {
    const { limits } = this.#settings;
    if (!limits) return [];
    const account = rowRule(limits.account, "may start", "verifications");
    if (row.state === "refused") return [account];
    const unmatched = { ...rowRule(limits.negatives, "may have", "verifications without a match"), states: negatives };
    const always = [account, unmatched, ...this.#vendorRules(row)];
    if (row.mode === "test") return always;
    const ofSubject = { code: "subject_rate_limited", ofSubject: true } as const;
    const asked = rowRule(limits.subject, "may start", "verifications of one BVN");
    const missed = rowRule(limits.subjectNegatives, "may have", "verifications of one BVN without a match");
    return [...always, { ...asked, ...ofSubject }, { ...missed, ...ofSubject, states: negatives }];
  }

  #vendorRules({ mode }: Row): Rule[] {
    const { limits, vendorCallsPerDay: most } = this.#settings;
    if (!limits || most === undefined || mode !== "live") return [];
    const message = `Your account may cause ${most} questions to the identity source a day.`;
    return [{ code: "rate_limited", message, most, window: day, counts: "attempts" }];
  }

  #asked(rules: readonly Rule[], { account_id, mode, started_at }: Row, bvn?: string): Asked {
    const isOfSubject = bvn !== undefined && rules.some(({ ofSubject }) => ofSubject);
    const subjects = isOfSubject ? this.#fingerprints.all("subject", [bvn]) : [];
    return { account_id, mode, since: rules.map(({ window }) => started_at - window), subjects };
  }

  #counted(rule: Rule, index: number, { account_id, mode, since, subjects }: Asked) {
    return this.#db
      .selectFrom("verification as earlier")
      .where("earlier.account_id", "=", account_id)
      .where("earlier.mode", "=", mode)
      .where("earlier.started_at", ">", since[index]!)
      .$if(rule.states !== undefined, (query) => query.where("earlier.state", "in", rule.states!))
      .$if(rule.ofSubject === true, (query) => query.where("earlier.subject_hash", "in", subjects));
  }

  /** When the rule lets a row be made that it does not let be made `at`; undefined if it does. */
  async #freeAt(rule: Rule, counted: Counted, at: number): Promise<number | undefined> {
    const below = await this.#db
      .selectNoFrom(sql<SqlBool>`${isBelow(rule, counted)}`.as("below"))
      .executeTakeFirstOrThrow();
    if (below.below) return undefined;
    const blocking = await counted
      .select("earlier.started_at")
      .orderBy("earlier.started_at", rule.counts === "rows" ? "desc" : "asc")
      .limit(1)
      .$if(rule.counts === "rows", (query) => query.offset(rule.most - 1))
      .executeTakeFirst();
    return (blocking?.started_at ?? at) + rule.window;
  }
}

function isBelow({ counts, most }: Rule, counted: Counted): Expression<SqlBool> {
  const count =
    counts === "rows" ? sql<number>`count(*)` : sql<number>`coalesce(sum(${sql.ref("earlier.attempts")}), 0)`;
  return expressionBuilder<Tables, never>()(counted.select(count.as("count")), "<", most);
}
