import type { Answers } from "../../../operation/operation.ts";
import { codeOf } from "../../../storage/errors.ts";
import type { IdentityAttempt, IdentityOutcome, IdentityUpstream } from "../../../upstreams/ports/identity-upstream.ts";
import { highestBill } from "../../../upstreams/vendor-prices.ts";
import { vendorPriceOf } from "../../fees.ts";
import {
  type AttemptOutcome,
  unresolvedAttempts,
  vendorReferenceOf,
  withBill,
  withOutcome,
} from "../../ledger/attempts.ts";
import type { Row } from "../../ledger/ledger.ts";
import type { PassedOver } from "../../ledger/vendor-choice.ts";
import type { VerificationParts } from "../verification-parts.ts";
import { isNotSent, type MatchResult, matchRecord, rejectedResponse } from "./match-record.ts";
import type { AttemptPlan } from "./plan-attempts.ts";

/** The number to verify, how much of the record the account may see, and the request that causes it. */
export type UpstreamCallInput = Omit<IdentityAttempt, "signal" | "reference"> & {
  answers: Answers;
  requestId: string;
};

/** A result with the number of its attempt; null if we learned nothing about any attempt. */
export type CallResult = MatchResult & { attempt: number | null };

const unknown: CallResult = { state: "unknown", reason: null, attempt: null };

const errorMessage = "The identity upstream broke off with an error";

/**
 * The attempts of one run. It tries the next upstream only if the one before certainly did no work, if that one timed
 * out and the operator accepts paying twice, or once after "not found" if the operator wants a second source. The
 * ledger names each upstream before its attempt.
 */
export class UpstreamCall {
  /** When the call began, by `performance.now()`. */
  readonly since = performance.now();
  /** Never rejects. */
  readonly result: Promise<CallResult>;
  /** The result, or the late response of an upstream that was too slow for it. Never rejects. */
  readonly final: Promise<CallResult>;
  /** The row as on the ledger, except while a failover is being written. */
  row: Row;
  /** The attempt under way, or the one that we look up. */
  #attempt: number;
  #isLookUp: boolean;
  readonly #parts: VerificationParts;
  readonly #plan: AttemptPlan;
  /** The vendor of the last attempt, and the vendors that could not be used since. */
  #last: string | undefined;
  #skipped: PassedOver[] = [];
  readonly #request: IdentityAttempt;
  readonly #answers: Answers;
  readonly #requestId: string;
  readonly #limit = new AbortController();
  /** Responses still to come from upstreams that were too slow. */
  readonly #later: Promise<CallResult>[] = [];
  #failingOver: Promise<Row | undefined> | undefined;

  constructor(
    parts: VerificationParts,
    row: Row,
    plan: AttemptPlan,
    { answers, requestId, ...request }: UpstreamCallInput,
  ) {
    this.#parts = parts;
    this.row = row;
    this.#requestId = requestId;
    this.#isLookUp = plan.lookUpFirst;
    this.#attempt = plan.lookUpFirst ? unresolvedAttempts(row).at(-1)!.number : row.run;
    this.#plan = plan;
    this.#answers = answers;
    this.#request = { ...request, reference: row.reference, signal: this.#limit.signal };
    this.result = Promise.resolve().then(() => this.#callInOrder());
    this.final = this.result.then((result) => this.#finalResult(result));
  }

  /** Whether an upstream may still respond after the result. */
  get isListening(): boolean {
    return this.#later.length > 0;
  }

  /** The result as long as there is no response. */
  get unanswered(): CallResult {
    return this.#isLookUp ? unknown : { state: "unknown", reason: "timed_out", attempt: this.#attempt };
  }

  /** Ends the time of the upstreams and tries no other. Resolves when `row` is as on the ledger. */
  async end(): Promise<void> {
    this.#limit.abort();
    await this.#failingOver;
  }

  async #callInOrder(): Promise<CallResult> {
    const { upstreams, lookUpFirst } = this.#plan;
    const [first, ...others] = upstreams;
    let result = lookUpFirst ? await this.#lookUpOrVerify(first) : await this.#verify(first);
    this.#note(first, result);
    for (const next of others) {
      const isSecondSource = this.#mayAskSecondSource(result);
      if (!isSecondSource && !this.#mayFailOver(result)) break;
      if (next.isReady?.() === false) continue;
      if (isSecondSource && !this.#isAffordable(next, result)) continue;
      if (!(await this.#failOver(next, result))) break;
      result = withEarlier(result, await this.#verify(next));
      // "Not found" leads to one more vendor only, whatever its result.
      if (isSecondSource) break;
      this.#note(next, result);
    }
    return result;
  }

  #note({ name: vendor }: IdentityUpstream, result: CallResult): void {
    if (isNotSent(result)) this.#skipped.push({ vendor, reason: "not_sent" });
    else [this.#last, this.#skipped] = [vendor, []];
  }

  async #finalResult(result: CallResult): Promise<CallResult> {
    if (isCertain(result)) return result;
    for (const later of this.#later) {
      const answer = await later;
      if (isCertain(answer) || (result.state === "unknown" && this.#later.length === 1)) return answer;
    }
    return result;
  }

  async #lookUpOrVerify(upstream: IdentityUpstream): Promise<CallResult> {
    const earlier = await this.#lookUp(upstream);
    if (earlier.state !== "failed" || !this.#mayFailOver(earlier)) return earlier;
    return (await this.#failOver(upstream, earlier)) ? this.#verify(upstream) : earlier;
  }

  /**
   * Whether another vendor may be tried after "not found". It bills separately, and needs half of the caller's time.
   */
  #mayAskSecondSource(result: CallResult): boolean {
    const { routes, timeLimit } = this.#parts.settings;
    if (!routes || routes.notFoundMax === null || this.#limit.signal.aborted) return false;
    if (result.state !== "negative" || result.reason !== "not_found") return false;
    const isOpen = unresolvedAttempts(this.row).some(({ number }) => number !== result.attempt);
    return !isOpen && performance.now() - this.since < timeLimit / 2;
  }

  /** Whether the bills stay within their bound even if this vendor bills its highest price. */
  #isAffordable({ name: vendor }: IdentityUpstream, result: CallResult): boolean {
    const { routes, vendorPrices: prices = {} } = this.#parts.settings;
    const { attempts } = this.row;
    const answered = withOutcome(attempts, withBill(attempts, attemptOutcome(result, 0), prices));
    const bills = [...answered.map(({ bill }) => bill), highestBill(this.row.kind, prices[vendor])];
    const sum = bills.reduce((sum, kobo) => (sum === null || kobo === null ? null : sum + kobo), 0);
    if (sum !== null && sum <= routes!.notFoundMax!) return true;
    this.#skipped.push({ vendor, reason: "too_dear" });
    return false;
  }

  #mayFailOver(result: MatchResult): boolean {
    if (this.#limit.signal.aborted) return false;
    if (result.state === "unknown") return this.#parts.settings.payTwice;
    return result.state === "failed" && result.reason !== "bad_response";
  }

  /** Writes which upstream is tried next. False if this run no longer owns its row, or the store did not respond. */
  async #failOver(upstream: IdentityUpstream, before: CallResult): Promise<boolean> {
    const { name } = upstream;
    const { ledger, log, now, orphans, settings } = this.#parts;
    const at = now();
    const price = vendorPriceOf(name, this.row.kind, settings);
    const why = this.#plan.whyThisVendor(upstream, this.#last, this.#skipped);
    const next = { vendor: name, at, requestId: this.#requestId, price, why };
    this.#failingOver = ledger.failOver(this.row, attemptOutcome(before, at), next).catch((error: unknown) => {
      log.error(
        { reference: this.row.reference, ...loggableError(error) },
        "The store did not write the failover to another upstream",
      );
      orphans.noteUnheard({ ...this.row, run: this.row.run + 1 });
      return undefined;
    });
    const moved = await this.#failingOver;
    if (!moved) return false;
    this.row = moved;
    this.#attempt = moved.run;
    this.#isLookUp = false;
    return true;
  }

  /** Looks up the earlier attempt. The result is `failed` if the upstream did no work for it. */
  async #lookUp(upstream: IdentityUpstream): Promise<CallResult> {
    const { kind: _, number: __, claims: ___, ...earlier } = this.#requestTo(upstream);
    const attempt = this.#attempt;
    try {
      const result = this.#matched(upstream, await upstream.lookUp!(earlier));
      if (result.state === "unknown" || (result.state === "failed" && result.reason === "bad_response")) return unknown;
      return result.state === "failed" ? { state: "failed", reason: "not_done", attempt } : { ...result, attempt };
    } catch (error) {
      this.#logError(upstream, error);
      return unknown;
    }
  }

  async #verify(upstream: IdentityUpstream): Promise<CallResult> {
    const attempt = this.#attempt;
    if (this.#limit.signal.aborted) return { state: "failed", reason: null, notSent: true, attempt };
    try {
      const outcome = await upstream.verify(this.#requestTo(upstream));
      if (outcome?.kind === "unknown" && outcome.later)
        this.#later.push(this.#lateResult(upstream, outcome.later, attempt));
      return { ...this.#matched(upstream, outcome), attempt };
    } catch (error) {
      this.#logError(upstream, error);
      return { ...rejectedResponse("strange"), attempt };
    }
  }

  #requestTo({ name }: IdentityUpstream): IdentityAttempt {
    return { ...this.#request, ...vendorReferenceOf(this.row, name) };
  }

  async #lateResult(upstream: IdentityUpstream, later: Promise<IdentityOutcome>, attempt: number): Promise<CallResult> {
    try {
      return { ...this.#matched(upstream, await later), attempt };
    } catch (error) {
      this.#logError(upstream, error);
      return unknown;
    }
  }

  #matched({ name }: IdentityUpstream, outcome: IdentityOutcome): MatchResult {
    const { log, settings } = this.#parts;
    const result = matchRecord(outcome, this.#request, { phoneMatch: settings.phoneMatch, answers: this.#answers });
    if (result.state === "failed" && result.reason === "bad_response")
      // In the sandbox, a test key requests this.
      log[this.row.mode === "test" ? "info" : "warn"](
        { vendor: name, reference: this.row.reference, why: result.why },
        "An answer was not believed",
      );
    return result;
  }

  #logError({ name }: IdentityUpstream, error: unknown): void {
    this.#parts.log.error({ vendor: name, reference: this.row.reference, ...loggableError(error) }, errorMessage);
  }
}

/** Whether a result is the upstream's response about the person. */
function isCertain({ state }: MatchResult): boolean {
  return state !== "unknown" && state !== "failed";
}

/** The last upstream's result, but it is lasting only if every upstream's failure is. */
function withEarlier(earlier: CallResult, result: CallResult): CallResult {
  if (earlier.state !== "failed" || result.state !== "failed" || result.reason === "bad_response") return result;
  return { ...result, lasting: earlier.lasting === true && result.lasting === true };
}

/** The outcome of a result's attempt. */
export function attemptOutcome(result: CallResult, at: number): AttemptOutcome {
  const { state, attempt, vendorReference = null, billed = null } = result;
  const reason = "reason" in result ? result.reason : null;
  return { state, attempt, reason, vendorReference, billed, notSent: isNotSent(result), at };
}

/** The part of an error that we may log. Its message may contain the request. */
export function loggableError(error: unknown): object {
  return { kind: error instanceof Error ? error.name : typeof error, code: codeOf(error) };
}
