import type { CheckRecord } from "../../checks/index.ts";
import type { Answers } from "../../declare/operation.ts";
import { type RunOutcome, unresolvedAttempts, unsentOutcome, vendorReferenceOf } from "../../ledger/attempts.ts";
import type { Row } from "../../ledger/ledger.ts";
import { codeOf } from "../../storage/errors.ts";
import type { IdentityAttempt, IdentityOutcome, IdentityUpstream } from "../../vendors/ports/identity-upstream.ts";
import { badResponse, didNoWork } from "../../vendors/ports/outcomes.ts";
import { isRejected } from "../../vendors/ports/reasons.ts";
import type { VerificationRequest } from "../request.ts";
import type { VerificationDependencies } from "../verification-dependencies.ts";
import { matchRecord } from "./match-record.ts";
import type { ChosenVendor, Route } from "./whom-to-ask.ts";

/** The outcome of a run, with the record of the person. */
export type Learned = RunOutcome<{ record: CheckRecord }>;

/**
 * The vendors of one run, along its route. The ledger names each vendor before its attempt. Requests to these vendors
 * may last longer than the caller's request, and then a retry waits for these vendors.
 */
export class AskedVendors {
  /** When the first attempt began, by `performance.now()`. */
  readonly since = performance.now();
  /** Never rejects. */
  readonly result: Promise<Learned>;
  /** Always equal to the ledger's row, except while a failover is being written. */
  row: Row;
  /** The running attempt, or the attempt that is looked up. */
  #attempt: number;
  #isLookUp: boolean;
  readonly #parts: VerificationDependencies;
  readonly #route: Route;
  readonly #request: IdentityAttempt;
  readonly #answers: Answers;
  readonly #requestId: string;
  readonly #limit = new AbortController();
  /** Responses still to come from vendors that were too slow. */
  readonly #later: Promise<Learned>[] = [];
  #failingOver: Promise<Row | undefined> | undefined;
  #final: Promise<Learned> | undefined;

  constructor(parts: VerificationDependencies, row: Row, route: Route, request: VerificationRequest) {
    const { kind, number, claims, traceparent, consentReference } = request;
    this.#parts = parts;
    this.row = row;
    this.#isLookUp = route.lookUpFirst;
    this.#attempt = route.lookUpFirst ? unresolvedAttempts(row).at(-1)!.number : row.run;
    this.#route = route;
    this.#answers = request.answers;
    this.#requestId = request.requestId;
    this.#request = { kind, number, claims, reference: row.reference, signal: this.#limit.signal };
    if (traceparent !== undefined) this.#request.traceparent = traceparent;
    if (consentReference !== undefined) this.#request.consentReference = consentReference;
    this.result = this.#askInTurn();
  }

  /** The result, or the late response of a vendor that was too slow for the result. Never rejects. */
  get final(): Promise<Learned> {
    this.#final ??= this.result.then((result) => this.#finalResult(result));
    return this.#final;
  }

  /** Whether a vendor may still respond after the result. */
  get isListening(): boolean {
    return this.#later.length > 0;
  }

  /** The result if no vendor has responded in time. */
  get unanswered(): Learned {
    const at = this.#parts.now();
    return this.#isLookUp
      ? unsentOutcome(null, at)
      : { state: "unknown", reason: "timed_out", attempt: this.#attempt, at };
  }

  /** Ends the time of the vendors and asks no further one. Resolves once `row` equals the ledger's row. */
  async end(): Promise<void> {
    this.#limit.abort();
    await this.#failingOver;
  }

  async #askInTurn(): Promise<Learned> {
    const { first, lookUpFirst } = this.#route;
    let result = lookUpFirst ? await this.#lookUpOrVerify(first) : await this.#verify(first.upstream);
    while (!this.#limit.signal.aborted) {
      const next = this.#route.next(result, this.row.attempts, performance.now() - this.since);
      if (!next) break;
      if (!(await this.#failOver(next, result))) return interrupted(result);
      result = withEarlier(result, await this.#verify(next.upstream));
    }
    return result;
  }

  async #finalResult(result: Learned): Promise<Learned> {
    if (isCertain(result)) return result;
    for (const later of this.#later) {
      const answer = await later;
      if (isCertain(answer) || (result.state === "unknown" && this.#later.length === 1)) return answer;
    }
    return result;
  }

  async #lookUpOrVerify(chosen: ChosenVendor): Promise<Learned> {
    const earlier = await this.#lookUp(chosen.upstream);
    if (earlier.state !== "failed" || this.#limit.signal.aborted) return earlier;
    return (await this.#failOver(chosen, earlier)) ? this.#verify(chosen.upstream) : interrupted(earlier);
  }

  /** Writes the attempt at the next vendor. False if this run no longer owns its row, or the store did not respond. */
  async #failOver({ start }: ChosenVendor, before: Learned): Promise<boolean> {
    const { ledger, log, now, abandonedRows } = this.#parts;
    const next = { ...start, at: now(), requestId: this.#requestId };
    this.#failingOver = ledger.failOver(this.row, before, next).catch((error: unknown) => {
      log.error(
        { reference: this.row.reference, ...loggableError(error) },
        "The store did not write the failover to another upstream",
      );
      abandonedRows.noteUnheard({ ...this.row, run: this.row.run + 1 });
      return undefined;
    });
    const moved = await this.#failingOver;
    if (!moved) return false;
    this.row = moved;
    this.#attempt = moved.run;
    this.#isLookUp = false;
    return true;
  }

  /** Looks up the earlier attempt. The result is `failed` if the vendor did no work for that attempt. */
  async #lookUp(upstream: IdentityUpstream): Promise<Learned> {
    const { kind: _, number: __, claims: ___, ...earlier } = this.#requestTo(upstream);
    const attempt = this.#attempt;
    const outcome = await this.#heard(upstream, () => upstream.lookUp!(earlier));
    const at = this.#parts.now();
    if (outcome && didNoWork(outcome)) return { state: "failed", reason: "not_done", attempt, at };
    return outcome && isCertain(outcome) ? { ...outcome, attempt, at } : unsentOutcome(null, at);
  }

  async #verify(upstream: IdentityUpstream): Promise<Learned> {
    const attempt = this.#attempt;
    if (this.#limit.signal.aborted) return unsentOutcome(attempt, this.#parts.now());
    const outcome =
      (await this.#heard(upstream, () => upstream.verify(this.#requestTo(upstream)))) ?? badResponse("strange");
    const at = this.#parts.now();
    if (!("later" in outcome)) return { ...outcome, attempt, at };
    const { later, ...told } = outcome;
    if (later) this.#later.push(this.#lateResult(upstream, later, attempt));
    return { ...told, attempt, at };
  }

  #requestTo({ name }: IdentityUpstream): IdentityAttempt {
    return { ...this.#request, ...vendorReferenceOf(this.row, name) };
  }

  async #lateResult(upstream: IdentityUpstream, later: Promise<IdentityOutcome>, attempt: number): Promise<Learned> {
    const outcome = await this.#heard(upstream, () => later);
    const at = this.#parts.now();
    return outcome ? { ...outcome, attempt, at } : unsentOutcome(null, at);
  }

  /** A vendor's response about this person; undefined for a vendor that broke off with an error. */
  async #heard(
    { name: vendor }: IdentityUpstream,
    answer: () => Promise<IdentityOutcome>,
  ): Promise<IdentityOutcome | undefined> {
    const { log, settings } = this.#parts;
    const { reference, mode } = this.row;
    try {
      const how = { phoneMatch: settings.phoneMatch, answers: this.#answers };
      const outcome = matchRecord(await answer(), this.#request, how);
      if (outcome.state === "failed" && isRejected(outcome.reason))
        // In the sandbox a test key requests this outcome, so it is no warning.
        log[mode === "test" ? "info" : "warn"](
          { vendor, reference, why: outcome.reason },
          "An answer was not believed",
        );
      return outcome;
    } catch (error) {
      log.error({ vendor, reference, ...loggableError(error) }, "The identity upstream broke off with an error");
      return undefined;
    }
  }
}

/** Whether a result is the vendor's response about the person. */
function isCertain({ state }: Pick<Learned, "state">): boolean {
  return state !== "unknown" && state !== "failed";
}

/**
 * Marks a result after which the next vendor should have been asked, but was not. A failure is then not lasting,
 * because nobody knows whether that vendor's failure would have been lasting.
 */
function interrupted(result: Learned): Learned {
  if (result.state === "failed") return { ...result, lasting: false, interrupted: true };
  return result.state === "unknown" ? result : { ...result, interrupted: true };
}

/** Returns the last vendor's result. A failure stays lasting only if every vendor's failure is lasting. */
function withEarlier(earlier: Learned, result: Learned): Learned {
  if (earlier.state !== "failed" || result.state !== "failed" || isRejected(result.reason)) return result;
  return { ...result, lasting: earlier.lasting === true && result.lasting === true };
}

/** The part of an error that we may log. The error's message may contain the request. */
export function loggableError(error: unknown): object {
  return { kind: error instanceof Error ? error.name : typeof error, code: codeOf(error) };
}
