import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from "kysely";
import { Failure } from "../contract/failures.ts";
import type { Tables } from "../storage/tables.ts";
import type { Fingerprints } from "./fingerprint.ts";
import type { Row, State } from "./ledger.ts";
import type { IdentitySettings } from "./settings.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

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
    if (!this.#settings.limits) return [];
    const { count, seconds } = this.#settings.accountLimit ?? { count: 60, seconds: 60 };
    const ofAccount: Rule = {
      code: "rate_limited",
      message: `Your account may start ${count} verifications in ${seconds} s.`,
      most: count,
      window: seconds * 1000,
      counts: "rows",
    };
    if (row.state === "refused") return [ofAccount];
    const negativesOfAccount: Rule = {
      code: "rate_limited",
      message: "Your account had 100 verifications without a match within an hour.",
      most: 100,
      window: hour,
      counts: "rows",
      states: negatives,
    };
    const always = [ofAccount, negativesOfAccount, ...this.#vendorRules(row)];
    return row.mode === "live" ? [...always, ...this.#subjectRules(bvn)] : always;
  }

  #subjectRules(bvn: string): Rule[] {
    const subjects = this.#fingerprints.all("subject", [bvn]);
    return [
      {
        code: "subject_rate_limited",
        message: "Your account may ask for one BVN 5 times an hour.",
        most: 5,
        window: hour,
        counts: "rows",
        subjects,
      },
      {
        code: "subject_rate_limited",
        message: "Your account had 10 verifications of this BVN without a match within a day.",
        most: 10,
        window: day,
        counts: "rows",
        states: negatives,
        subjects,
      },
    ];
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
