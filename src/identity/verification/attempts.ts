import { seal } from "../../keyring/envelope-encryption.ts";
import { withTimeout } from "../../runtime/timeout.ts";
import { withLongerTimeout } from "../../storage/timeouts.ts";
import type { AttemptOutcome } from "../ledger/attempt-outcome.ts";
import { type DoubtfulCharge, newChargeMark } from "../ledger/charges.ts";
import type { Row } from "../ledger/ledger.ts";
import type { MatchResult } from "./match-record.ts";
import type { SelectedUpstreams } from "./select-upstreams.ts";
import { isNotPut, loggableError, UpstreamCall, type UpstreamCallInput } from "./upstream-call.ts";
import type { VerificationParts } from "./verification-parts.ts";

/** A run of a row, durable as `started`. */
export interface StartedRun {
  row: Row;
  selected: SelectedUpstreams;
  /** The upstream called last before this run; null if there was none. */
  calledBefore: string | null;
  /** An earlier call of this row that may still answer: the run waits for it and calls nobody. */
  overdue?: UpstreamCall | undefined;
}

/** How an attempt ended for the waiting caller. */
export interface AttemptResult {
  row: Row;
  result: MatchResult;
  /** Whether the ledger has the outcome. False: another process took the row over. Undefined: the store did not answer. */
  recorded: boolean | undefined;
  upstreamCalled: boolean;
}

type Intent = Pick<UpstreamCall, "row" | "calledBefore">;

/** The result of a run that called no upstream. */
const notCalled = ({ lookUpFirst }: SelectedUpstreams): MatchResult =>
  lookUpFirst ? { state: "unknown" } : { state: "failed", reason: "unavailable", notPut: true };

/** Milliseconds for the answer itself, once its outcome is written or given up. */
const answering = 50;

/** The part of the time limit reserved for writing the outcome. */
const reserveOf = (timeLimit: number) => Math.min(1000, timeLimit / 10);

/** A retry waits for an overdue call until the call is this many time limits old; after that it calls again. */
const waitedAgain = 3;

/**
 * The second half of a verification: calls the upstream, matches its answer, writes the outcome. If the upstream is too
 * slow, the caller gets an answer without it and its late outcome is written when it comes. A caller that hangs up
 * changes nothing.
 */
export class Attempts {
  readonly #parts: VerificationParts;
  /** Calls that a caller may wait for. */
  readonly #calls = new Set<UpstreamCall>();
  /** Calls that outlived their callers, by reference. */
  readonly #overdueCalls = new Map<string, UpstreamCall>();

  constructor(parts: VerificationParts) {
    this.#parts = parts;
  }

  /** Runs a started row of this process: call, then outcome. `begun` is when the request came, by `performance.now()`. */
  async run(
    { row, selected, calledBefore, overdue }: StartedRun,
    input: UpstreamCallInput,
    begun: number,
  ): Promise<AttemptResult> {
    const { timeLimit } = this.#parts.settings;
    const remaining = timeLimit - reserveOf(timeLimit) - (performance.now() - begun);
    if (!overdue && (remaining <= 0 || !this.#parts.leases.isValid()))
      return this.#record({ row, calledBefore }, notCalled(selected), begun);

    const call = overdue ?? this.#call({ row, calledBefore }, selected, input);
    call.row = row;
    const result = await withTimeout(overdue ? overdue.final : call.result, remaining);
    if (!result) await call.end();
    const recorded = await this.#record(call, result ?? { state: "unknown" }, begun);
    if (!result) this.keepOverdueCall(call);
    else if (!overdue && call.isListening) this.#listen(call, result);
    return recorded;
  }

  /** Hands an overdue call of this row to a retry, so that it need not call again. */
  takeOverdueCall(reference: string): UpstreamCall | undefined {
    const call = this.#overdueCalls.get(reference);
    if (!call || performance.now() - call.since > waitedAgain * this.#parts.settings.timeLimit) return undefined;
    this.#overdueCalls.delete(reference);
    return call;
  }

  /** Whether the upstream may still answer an overdue call of this row. */
  hasOverdueCall(reference: string): boolean {
    return this.#overdueCalls.has(reference);
  }

  /** Writes the outcome of a call when it comes, unless a retry takes the call first. */
  keepOverdueCall(call: UpstreamCall): void {
    this.#overdueCalls.set(call.row.reference, call);
    void call.final.then((late) => {
      // A retry that took the call writes its outcome itself.
      if (this.#overdueCalls.get(call.row.reference) !== call) return;
      this.#overdueCalls.delete(call.row.reference);
      this.#deferOutcome(call, late);
    });
  }

  /** Ends every call under way. */
  stop(): void {
    for (const call of this.#calls) void call.end();
  }

  /** Resolves when no call is under way. */
  async idle(): Promise<void> {
    while (this.#calls.size > 0) await Promise.all([...this.#calls].map(({ result }) => result));
  }

  #call(intent: Intent, selected: SelectedUpstreams, input: UpstreamCallInput): UpstreamCall {
    const call = new UpstreamCall(this.#parts, intent, selected, input);
    this.#calls.add(call);
    void call.result.finally(() => this.#calls.delete(call));
    return call;
  }

  /** An upstream was too slow, but may still answer after our answer. */
  #listen(call: UpstreamCall, result: MatchResult): void {
    if (result.state === "unknown") this.keepOverdueCall(call);
    // Another upstream was called since and failed: a retry calls again.
    else if (result.state === "failed")
      void call.final.then((late) => late.state !== "failed" && this.#deferOutcome(call, late));
  }

  #deferOutcome(call: UpstreamCall, result: MatchResult): void {
    const { row } = call;
    if (result.state === "unknown") return;
    this.#parts.log.warn(
      { reference: row.reference, vendor: row.upstream, state: result.state },
      "The outcome of a verification came after its caller was answered",
    );
    this.#parts.deferred.add(row, this.#outcomeOf(call, result));
  }

  async #record(intent: Intent, result: MatchResult, begun: number): Promise<AttemptResult> {
    const { row } = intent;
    const outcome = this.#outcomeOf(intent, result);
    const remaining = this.#parts.settings.timeLimit - answering - (performance.now() - begun);
    // The upstream may want to be paid: wait for the write as long as the caller waits.
    const writing = withLongerTimeout(remaining, () => this.#parts.ledger.complete(row, outcome)).catch(
      (error: unknown) => {
        this.#parts.log.error(
          { reference: row.reference, ...loggableError(error) },
          "The store did not take an outcome",
        );
        return undefined;
      },
    );
    const written = await withTimeout(writing, remaining);
    if (written === undefined) this.#parts.deferred.add(row, outcome, ...doubtful(outcome));
    if (written === false) {
      // A peer thought this process dead and abandoned the row: the outcome is written as a late one.
      this.#parts.log.warn({ reference: row.reference }, "A verification was taken over while it ran");
      this.#parts.deferred.add(row, outcome);
    }
    const upstreamCalled = row.attempts > (outcome.notPut ? 1 : 0);
    return { row, result, recorded: written, upstreamCalled };
  }

  #outcomeOf({ row, calledBefore }: Intent, result: MatchResult): AttemptOutcome {
    const kept =
      result.state === "verified" && row.idempotency_hash !== null && this.#parts.settings.recordRetention > 0;
    const whose = { accountId: row.account_id, reference: row.reference };
    const at = this.#parts.now();
    return {
      state: result.state,
      charge: result.state === "verified" ? newChargeMark() : null,
      sealed: kept ? seal(this.#parts.keyring.current, whose, result.record, at) : null,
      at,
      ...(isNotPut(result) ? { notPut: { calledBefore } } : {}),
      isBadAnswer: result.state === "failed" && result.reason === "bad_response",
    };
  }
}

/** The charge of an outcome whose write got no answer. */
function doubtful({ charge }: AttemptOutcome): DoubtfulCharge[] {
  return charge === null ? [] : [{ mark: charge, replaces: "" }];
}
