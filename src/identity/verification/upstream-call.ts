import type { Answers } from "../../operation/operation.ts";
import { codeOf } from "../../storage/errors.ts";
import type { IdentityOutcome, IdentityQuestion, IdentityUpstream } from "../../upstreams/ports/identity-upstream.ts";
import type { Row } from "../ledger/ledger.ts";
import { type MatchResult, matchRecord, rejectedAnswer } from "./match-record.ts";
import type { SelectedUpstreams } from "./select-upstreams.ts";
import type { VerificationParts } from "./verification-parts.ts";

/** The number to verify, and how much of the record the account may see. */
export type UpstreamCallInput = Omit<IdentityQuestion, "signal" | "reference"> & { answers: Answers };

const faultMessage = "The identity upstream broke off with a fault";

/**
 * One call under way. It fails over to the next selected upstream only when the one before certainly did no work, or when
 * it timed out and the operator accepts paying twice. The ledger names each upstream before it is called.
 */
export class UpstreamCall {
  /** When the call began, by `performance.now()`. */
  readonly since = performance.now();
  /** Never rejects. */
  readonly result: Promise<MatchResult>;
  /** The result, or the later answer of an upstream that was too slow for it. Never rejects. */
  readonly final: Promise<MatchResult>;
  /** As the ledger has it, except while a failover is being written. */
  row: Row;
  /** The upstream that got the call before the one that `row` names; null if there was none. */
  calledBefore: string | null;
  readonly #parts: VerificationParts;
  readonly #selected: SelectedUpstreams;
  readonly #question: IdentityQuestion;
  readonly #answers: Answers;
  readonly #limit = new AbortController();
  /** Answers still to come from upstreams that were too slow. */
  readonly #later: Promise<MatchResult>[] = [];
  #failingOver: Promise<Row | undefined> | undefined;

  constructor(
    parts: VerificationParts,
    { row, calledBefore }: Pick<UpstreamCall, "row" | "calledBefore">,
    selected: SelectedUpstreams,
    { answers, ...question }: UpstreamCallInput,
  ) {
    this.#parts = parts;
    this.row = row;
    this.calledBefore = calledBefore;
    this.#selected = selected;
    this.#answers = answers;
    this.#question = { ...question, reference: row.reference, signal: this.#limit.signal };
    this.result = Promise.resolve().then(() => this.#callInOrder());
    this.final = this.result.then((result) => this.#finalResult(result));
  }

  /** Whether an upstream may still answer after the result. */
  get isListening(): boolean {
    return this.#later.length > 0;
  }

  /** Ends the time of the upstreams and calls no other. Resolves when `row` is as the ledger has it. */
  async end(): Promise<void> {
    this.#limit.abort();
    await this.#failingOver;
  }

  async #callInOrder(): Promise<MatchResult> {
    const [first, ...others] = this.#selected.upstreams;
    let result = this.#selected.lookUpFirst ? await this.#lookUpOrVerify(first) : await this.#verify(first);
    for (const next of others) {
      if (!this.#mayFailOver(result)) break;
      if (next.isReady?.() === false) continue;
      if (!(await this.#failOver(next, result))) break;
      result = withEarlier(result, await this.#verify(next));
    }
    return result;
  }

  async #finalResult(result: MatchResult): Promise<MatchResult> {
    if (isCertain(result)) return result;
    for (const later of this.#later) {
      const answer = await later;
      if (isCertain(answer) || (result.state === "unknown" && this.#later.length === 1)) return answer;
    }
    return result;
  }

  async #lookUpOrVerify(upstream: IdentityUpstream): Promise<MatchResult> {
    const earlier = await this.#lookUp(upstream);
    if (earlier) return earlier;
    const noWork: MatchResult = { state: "failed", reason: "unavailable" };
    return this.#mayFailOver(noWork) && (await this.#failOver(upstream, noWork)) ? this.#verify(upstream) : noWork;
  }

  #mayFailOver(result: MatchResult): boolean {
    if (this.#limit.signal.aborted) return false;
    if (result.state === "unknown") return this.#parts.settings.payTwice;
    return result.state === "failed" && result.reason !== "bad_response";
  }

  /** Writes which upstream is called next. False if this run lost its row, or the store did not answer. */
  async #failOver({ name }: IdentityUpstream, before: MatchResult): Promise<boolean> {
    const { ledger, log } = this.#parts;
    const notPut = isNotPut(before);
    const next = { upstream: name, unresolved: before.state === "unknown", notPut };
    this.#failingOver = ledger.failOver(this.row, next).catch((error: unknown) => {
      log.error(
        { reference: this.row.reference, ...loggableError(error) },
        "The store did not write the failover to another upstream",
      );
      return undefined;
    });
    const moved = await this.#failingOver;
    if (!moved) return false;
    if (!notPut) this.calledBefore = this.row.upstream;
    this.row = moved;
    return true;
  }

  /** Asks the upstream about the earlier call; undefined if it did no work for that. */
  async #lookUp(upstream: IdentityUpstream): Promise<MatchResult | undefined> {
    const { kind: _, number: __, phone: ___, ...earlier } = this.#question;
    try {
      const result = this.#matched(upstream, await upstream.lookUp!(earlier));
      if (result.state !== "failed") return result;
      return result.reason === "bad_response" ? { state: "unknown" } : undefined;
    } catch (error) {
      this.#logFault(upstream, error);
      return { state: "unknown" };
    }
  }

  async #verify(upstream: IdentityUpstream): Promise<MatchResult> {
    if (this.#limit.signal.aborted) return { state: "failed", reason: "unavailable", notPut: true };
    try {
      const outcome = await upstream.verify(this.#question);
      if (outcome?.kind === "unknown" && outcome.later) this.#later.push(this.#lateResult(upstream, outcome.later));
      return this.#matched(upstream, outcome);
    } catch (error) {
      this.#logFault(upstream, error);
      return rejectedAnswer("strange");
    }
  }

  async #lateResult(upstream: IdentityUpstream, later: Promise<IdentityOutcome>): Promise<MatchResult> {
    try {
      return this.#matched(upstream, await later);
    } catch (error) {
      this.#logFault(upstream, error);
      return { state: "unknown" };
    }
  }

  #matched({ name }: IdentityUpstream, outcome: IdentityOutcome): MatchResult {
    const { log, settings } = this.#parts;
    const result = matchRecord(outcome, this.#question, { phoneMatch: settings.phoneMatch, answers: this.#answers });
    if (result.state === "failed" && result.reason === "bad_response")
      // The sandbox answers so because a test key asks it to.
      log[this.row.mode === "test" ? "info" : "warn"](
        { vendor: name, reference: this.row.reference, why: result.why },
        "An answer was not believed",
      );
    return result;
  }

  #logFault({ name }: IdentityUpstream, error: unknown): void {
    this.#parts.log.error({ vendor: name, reference: this.row.reference, ...loggableError(error) }, faultMessage);
  }
}

/** Whether a result is the upstream's answer about the person. */
function isCertain({ state }: MatchResult): boolean {
  return state !== "unknown" && state !== "failed";
}

/** The last upstream's result, but a retry may help if it may help with any upstream. */
function withEarlier(earlier: MatchResult, result: MatchResult): MatchResult {
  if (earlier.state !== "failed" || result.state !== "failed" || result.reason === "bad_response") return result;
  return { ...result, reason: earlier.reason === "lasting" ? result.reason : "unavailable" };
}

/** Whether the upstream certainly did not get the call. */
export function isNotPut(result: MatchResult): boolean {
  return result.state === "failed" && result.notPut === true;
}

/** The loggable part of an error: its message may contain the request. */
export function loggableError(error: unknown): object {
  return { kind: error instanceof Error ? error.name : typeof error, code: codeOf(error) };
}
