import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from "kysely";
import { Failure } from "../contract/failures.ts";
import type { Limit } from "../contract/setting.ts";
import type { Tables } from "../storage/tables.ts";
import type { Fingerprints } from "./fingerprint.ts";
import type { Row, State } from "./ledger.ts";
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
  subjects?: readonly string[];
}

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
  conditions(row: Row, bvn: string): Expression<SqlBool>[] {
    return this.#rules(row, bvn).map((rule) => this.#isBelow(rule, row));
  }

  /** The failure of a row that may not be made, or undefined if it may. Its `Retry-After` is when it may be. */
  async refusal(row: Row, bvn: string): Promise<Failure | undefined> {
    return this.#refusal(this.#rules(row, bvn), row);
  }

  /** The same for a further attempt of a row: only what attempts cost counts. */
  async resumptionRefusal(row: Row, at: number): Promise<Failure | undefined> {
    return this.#refusal(this.#vendorRules(row), { ...row, started_at: at });
  }

  async #refusal(rules: readonly Rule[], row: Row): Promise<Failure | undefined> {
    for (const rule of rules) {
      const freeAt = await this.#freeAt(rule, row);
      if (freeAt === undefined) continue;
      const retryAfter = Math.max(1, Math.ceil((freeAt - row.started_at) / 1000));
      return new Failure(rule.code, rule.message, { retryAfter });
    }
    return undefined;
  }

  #rules(row: Row, bvn: string): Rule[] {
    const { limits } = this.#settings;
    if (!limits) return [];
    const account = rowRule(limits.account, "may start", "verifications");
    if (row.state === "refused") return [account];
    const unmatched = { ...rowRule(limits.negatives, "may have", "verifications without a match"), states: negatives };
    const always = [account, unmatched, ...this.#vendorRules(row)];
    if (row.mode === "test") return always;
    const ofSubject = { code: "subject_rate_limited" as const, subjects: this.#fingerprints.all("subject", [bvn]) };
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

  #counted(rule: Rule, { account_id, mode, started_at }: Row) {
    return this.#db
      .selectFrom("verification as earlier")
      .where("earlier.account_id", "=", account_id)
      .where("earlier.mode", "=", mode)
      .where("earlier.started_at", ">", started_at - rule.window)
      .$if(rule.states !== undefined, (query) => query.where("earlier.state", "in", rule.states!))
      .$if(rule.subjects !== undefined, (query) => query.where("earlier.subject_hash", "in", rule.subjects!));
  }

  #isBelow(rule: Rule, row: Row): Expression<SqlBool> {
    const count =
      rule.counts === "rows" ? sql<number>`count(*)` : sql<number>`coalesce(sum(${sql.ref("earlier.attempts")}), 0)`;
    return expressionBuilder<Tables, never>()(this.#counted(rule, row).select(count.as("count")), "<", rule.most);
  }

  /** When the rule next lets a row be made, or undefined if it does now. */
  async #freeAt(rule: Rule, row: Row): Promise<number | undefined> {
    const below = await this.#db
      .selectNoFrom(sql<SqlBool>`${this.#isBelow(rule, row)}`.as("below"))
      .executeTakeFirstOrThrow();
    if (below.below) return undefined;
    const blocking = await this.#counted(rule, row)
      .select("earlier.started_at")
      .orderBy("earlier.started_at", rule.counts === "rows" ? "desc" : "asc")
      .limit(1)
      .$if(rule.counts === "rows", (query) => query.offset(rule.most - 1))
      .executeTakeFirst();
    return (blocking?.started_at ?? row.started_at) + rule.window;
  }
}
