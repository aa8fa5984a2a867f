import type { Answers } from "../../operation/operation.ts";
import type { Log } from "../../runtime/log.ts";
import { codeOf } from "../../storage/errors.ts";
import type { IdentityOutcome, IdentityQuestion, IdentityUpstream } from "../../upstreams/ports/identity-upstream.ts";
import type { Ledger, Row } from "../ledger/ledger.ts";
import type { IdentitySettings } from "../settings.ts";
import { type MatchResult, matchRecord, rejectedAnswer } from "./match-record.ts";
import type { SelectedUpstreams } from "./select-upstreams.ts";

/** What to ask, and how much of the record the account is given. */
export type UpstreamCallInput = Omit<IdentityQuestion, "signal" | "reference"> & { answers: Answers };

interface Parts {
  ledger: Ledger;
  settings: IdentitySettings;
  log: Log;
}

const faultMessage = "The identity upstream broke off with a fault";

/**
 * A question on its way. It goes on to the next upstream of its selected only when the one before certainly did no work, or
 * when the operator accepts to pay twice for one that did not answer in time; the ledger names whoever is asked first.
 */
export class UpstreamCall {
  /** Of `performance.now()`. */
  readonly since = performance.now();
  /** Never rejects. */
  readonly result: Promise<MatchResult>;
  /** The result, or what a source said after all that was too slow for it. Never rejects. */
  readonly final: Promise<MatchResult>;
  /** As the ledger has it, but for what a turn under way changes. */
  row: Row;
  /** The source that was really asked before the one that `row` names; null if none was. */
  askedBefore: string | null;
  readonly #parts: Parts;
  readonly #selected: SelectedUpstreams;
  readonly #question: IdentityQuestion;
  readonly #answers: Answers;
  readonly #limit = new AbortController();
  /** What sources that were too slow may still say. */
  readonly #later: Promise<MatchResult>[] = [];
  #failingOver: Promise<Row | undefined> | undefined;

  constructor(
    parts: Parts,
    { row, askedBefore }: Pick<UpstreamCall, "row" | "askedBefore">,
    selected: SelectedUpstreams,
    { answers, ...question }: UpstreamCallInput,
  ) {
    this.#parts = parts;
    this.row = row;
    this.askedBefore = askedBefore;
    this.#selected = selected;
    this.#answers = answers;
    this.#question = { ...question, reference: row.reference, signal: this.#limit.signal };
    this.result = Promise.resolve().then(() => this.#ask());
    this.final = this.result.then((result) => this.#finally(result));
  }

  /** Whether a source may still say something after the result. */
  get isListening(): boolean {
    return this.#later.length > 0;
  }

  /** Asks nobody else, and gives the sources no more time. Resolves when `row` is what the ledger has. */
  async end(): Promise<void> {
    this.#limit.abort();
    await this.#failingOver;
  }

  async #ask(): Promise<MatchResult> {
    const [first, ...others] = this.#selected.upstreams;
    let result = this.#selected.lookUpFirst ? await this.#lookedUpOrVerified(first) : await this.#verified(first);
    for (const next of others) {
      if (!this.#mayFailOver(result)) break;
      if (next.isReady?.() === false) continue;
      if (!(await this.#failOver(next, result))) break;
      result = withEarlier(result, await this.#verified(next));
    }
    return result;
  }

  async #finally(result: MatchResult): Promise<MatchResult> {
    if (isCertain(result)) return result;
    for (const later of this.#later) {
      const said = await later;
      if (isCertain(said) || (result.state === "unknown" && this.#later.length === 1)) return said;
    }
    return result;
  }

  async #lookedUpOrVerified(upstream: IdentityUpstream): Promise<MatchResult> {
    const earlier = await this.#lookedUp(upstream);
    if (earlier) return earlier;
    const noWork: MatchResult = { state: "failed", reason: "unavailable" };
    return this.#mayFailOver(noWork) && (await this.#failOver(upstream, noWork)) ? this.#verified(upstream) : noWork;
  }

  #mayFailOver(result: MatchResult): boolean {
    if (this.#limit.signal.aborted) return false;
    if (result.state === "unknown") return this.#parts.settings.payTwice;
    return result.state === "failed" && result.reason !== "bad_response";
  }

  /** Notes durably who is asked next. False if the row is not this run's any more, or the store does not say. */
  async #failOver({ name }: IdentityUpstream, before: MatchResult): Promise<boolean> {
    const { ledger, log } = this.#parts;
    const notPut = isNotPut(before);
    const next = { upstream: name, unresolved: before.state === "unknown", notPut };
    this.#failingOver = ledger.failOver(this.row, next).catch((error: unknown) => {
      log.error(
        { reference: this.row.reference, ...loggableError(error) },
        "The store did not take a turn to another upstream",
      );
      return undefined;
    });
    const turned = await this.#failingOver;
    if (!turned) return false;
    if (!notPut) this.askedBefore = this.row.upstream;
    this.row = turned;
    return true;
  }

  /** What the upstream says became of an earlier attempt; undefined if it did no work for it. */
  async #lookedUp(upstream: IdentityUpstream): Promise<MatchResult | undefined> {
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

  async #verified(upstream: IdentityUpstream): Promise<MatchResult> {
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
      log.warn({ upstream: name, reference: this.row.reference, why: result.why }, "An answer was not believed");
    return result;
  }

  #logFault({ name }: IdentityUpstream, error: unknown): void {
    this.#parts.log.error({ upstream: name, reference: this.row.reference, ...loggableError(error) }, faultMessage);
  }
}

/** Whether a result says what the source knows of the person. */
function isCertain({ state }: MatchResult): boolean {
  return state !== "unknown" && state !== "failed";
}

/** The last result of a selected, but a retry may help if it helps with any of its upstreams. */
function withEarlier(earlier: MatchResult, result: MatchResult): MatchResult {
  if (earlier.state !== "failed" || result.state !== "failed" || result.reason === "bad_response") return result;
  return { ...result, reason: earlier.reason === "lasting" ? result.reason : "unavailable" };
}

/** Whether the last question of a result was certainly not put. */
export function isNotPut(result: MatchResult): boolean {
  return result.state === "failed" && result.notPut === true;
}

/** What may be logged of a fault: its message may hold what was asked. */
export function loggableError(error: unknown): object {
  return { kind: error instanceof Error ? error.name : typeof error, code: codeOf(error) };
}
