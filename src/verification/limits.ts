import type { CheckInput } from "../checks/check.ts";
import { subjectParts } from "../checks/index.ts";
import type { AccountTerms } from "../declare/account-terms.ts";
import { labelOf } from "../declare/check-kind.ts";
import { Failure } from "../declare/failures.ts";
import type { KeyedHashes } from "../keyring/keyed-hash.ts";
import type { IdentitySettings } from "../ledger/identity-settings.ts";
import type { Row } from "../ledger/ledger.ts";
import type { Budget } from "../ledger/spending/budget.ts";
import { spendingFailure } from "../ledger/spending/spending.ts";
import type { SpendingFailure } from "../ledger/spending/spending-failure.ts";
import { freeAt, type Limiting, type LimitScope, type Limits, noLimits } from "../ledger/statements/within-limits.ts";
import type { Limit } from "../runtime/rate-limiter.ts";
import type { Db } from "../storage/tables.ts";
import { CountedCalls } from "./counted-calls.ts";
import type { VerificationRequest } from "./request.ts";

const day = 24 * 60 * 60_000;

/** A limit, with the code and message of the failure that a refused request gets. */
interface Rule extends Limiting {
  code: "rate_limited" | "subject_rate_limited";
  message: string;
}

/** What the limits need from a request. */
type Limited = CheckInput & Pick<VerificationRequest, "terms">;

function ruleOf({ count, seconds }: Limit, counts: Limiting["counts"], may: string): Rule {
  const every = { 60: "a minute", 3600: "an hour", 86400: "a day" }[seconds] ?? `${seconds} s`;
  const message = `Your account may ${may.replace("#", String(count))} within ${every}.`;
  return { code: "rate_limited", message, most: count, window: seconds * 1000, counts };
}

function vendorRule(most: number): Rule {
  const message = `Your account may cause ${most} attempts at the identity source a day.`;
  return { code: "rate_limited", message, most, window: day, counts: "attempts", isLarge: true };
}

/**
 * Limits across processes. The statement that writes the intent counts the ledger's rows and the earlier intents of its
 * batch. On PostgreSQL, concurrent statements do not see each other. Together they may exceed a limit by the rows of
 * all but one of them.
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

  /** The limits within which `row` may start at its `started_at`. */
  async of(row: Row, request: Limited): Promise<Limits> {
    const rules = this.#rules(row, request.terms);
    return rules.length === 0 ? noLimits : { rules, counted: await this.#counted(rules, row, request) };
  }

  /**
   * The `Failure` to answer with if a limit forbids `row` at its `started_at`; undefined if all limits permit it. The
   * failure's `Retry-After` states when the limit has room again.
   */
  async failureOf(row: Row, request: Limited): Promise<Failure | undefined> {
    const rules = this.#rules(row, request.terms);
    const counted = await this.#counted(rules, row, request);
    const at = row.started_at;
    for (const [index, rule] of rules.entries()) {
      const free = await freeAt(this.#db, rule, counted.since[index]!, counted);
      if (free === undefined) continue;
      const retryAfter = Math.max(1, Math.ceil((free - at) / 1000));
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
    const missed = negatives
      ? [{ ...ruleOf(negatives, "verifications", "have # verifications without a match"), isNegative: true }]
      : [];
    // This rule limits the operator's bill, so it applies even if callers are not limited.
    const { vendorAttemptsPerDay: most } = this.#settings;
    const vendors = most !== undefined && row.mode === "live" ? [vendorRule(most)] : [];
    const always = [...account, ...missed, ...vendors];
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

  async #counted(rules: readonly Rule[], row: Row, request: CheckInput): Promise<LimitScope> {
    const { account_id, mode, started_at } = row;
    const subjects = rules.some(({ ofSubject }) => ofSubject)
      ? this.#keyedHashes.all("subject", subjectParts(request))
      : [];
    const large = rules.find(({ isLarge }) => isLarge);
    const known = large && (await this.#calls.until(row, started_at, large.most));
    return {
      account_id,
      mode,
      since: rules.map(({ window }) => started_at - window),
      until: started_at + 1000,
      subjects,
      counted: known ? [known.from, known.to, known.calls] : [],
    };
  }
}
