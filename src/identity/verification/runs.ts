import { seal } from "../../keyring/envelope-encryption.ts";
import { withTimeout } from "../../runtime/timeout.ts";
import { newChargeMark, type UncertainCharge } from "../ledger/charges.ts";
import type { Row } from "../ledger/ledger.ts";
import { type RunOutcome, staysNotFound } from "../ledger/write-outcome.ts";
import type { MatchResult } from "./upstream-calls/match-record.ts";
import type { AttemptPlan } from "./upstream-calls/plan-attempts.ts";
import {
  attemptOutcome,
  type CallResult,
  loggableError,
  UpstreamCall,
  type UpstreamCallInput,
} from "./upstream-calls/upstream-call.ts";
import type { VerificationParts } from "./verification-parts.ts";

/** A run of a row, durable as `started`. */
export interface StartedRun {
  row: Row;
  plan: AttemptPlan;
  /** An earlier call of this row that may still get a response. The run waits for it and makes no attempt. */
  overdue?: UpstreamCall | undefined;
}

/** The end of a run, as the waiting caller sees it. */
export interface RunResult {
  row: Row;
  result: MatchResult;
  /**
   * Whether the ledger has the outcome. False: another process took the row over. Undefined: the store did not respond.
   */
  recorded: boolean | undefined;
  upstreamCalled: boolean;
}

/** The result of a run that made no attempt. */
const notCalled = ({ row, plan }: StartedRun): CallResult =>
  plan.lookUpFirst
    ? { state: "unknown", reason: null, attempt: null }
    : { state: "failed", reason: null, notSent: true, attempt: row.run };

/** Milliseconds reserved for the response itself, after its outcome is written or the write is given up. */
const answering = 50;

/** The part of the time limit reserved for writing the outcome. */
const reserveOf = (timeLimit: number) => Math.min(1000, timeLimit / 10);

/**
 * A retry waits for an overdue call until the call is this many time limits old. After that it makes another attempt.
 */
const waitedAgain = 3;

/**
 * The second half of a verification: calls the upstream, matches its response, writes the outcome. If the upstream is
 * too slow, the caller gets a response without a record, and the late outcome is written when it arrives. A caller that
 * disconnects changes nothing.
 */
export class Runs {
  readonly #parts: VerificationParts;
  /** Calls that a caller may wait for. */
  readonly #calls = new Set<UpstreamCall>();
  /** Calls that outlived their callers, by reference. */
  readonly #overdueCalls = new Map<string, UpstreamCall>();

  constructor(parts: VerificationParts) {
    this.#parts = parts;
  }

  /** Runs a started row of this process. `begun`: when the request arrived, by `performance.now()`. */
  async run(started: StartedRun, input: UpstreamCallInput, begun: number): Promise<RunResult> {
    const { row, plan, overdue } = started;
    const { timeLimit } = this.#parts.settings;
    const remaining = timeLimit - reserveOf(timeLimit) - (performance.now() - begun);
    if (!overdue && (remaining <= 0 || !this.#parts.leases.isValid()))
      return this.#record(row, notCalled(started), begun);

    const call = overdue ?? this.#call(row, plan, input);
    call.row = row;
    const result = await withTimeout(overdue ? overdue.final : call.result, remaining);
    if (!result) await call.end();
    const recorded = await this.#record(call.row, result ?? call.unanswered, begun);
    if (!result) this.keepOverdueCall(call);
    else if (!overdue && call.isListening) this.#listen(call, result);
    return recorded;
  }

  /** Hands an overdue call of this row to a retry, which then needs no other attempt. */
  takeOverdueCall(reference: string): UpstreamCall | undefined {
    const call = this.#overdueCalls.get(reference);
    if (!call || performance.now() - call.since > waitedAgain * this.#parts.settings.timeLimit) return undefined;
    this.#overdueCalls.delete(reference);
    return call;
  }

  /** Whether an overdue call of this row may still get a response. */
  hasOverdueCall(reference: string): boolean {
    return this.#overdueCalls.has(reference);
  }

  /** Writes the outcome of a call when it arrives, unless a retry takes the call first. */
  keepOverdueCall(call: UpstreamCall): void {
    this.#overdueCalls.set(call.row.reference, call);
    void call.final.then((late) => {
      // A retry took the call and writes its outcome itself.
      if (this.#overdueCalls.get(call.row.reference) !== call) return;
      this.#overdueCalls.delete(call.row.reference);
      this.#deferOutcome(call.row, late);
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

  #call(row: Row, plan: AttemptPlan, input: UpstreamCallInput): UpstreamCall {
    const call = new UpstreamCall(this.#parts, row, plan, input);
    this.#calls.add(call);
    void call.result.finally(() => this.#calls.delete(call));
    return call;
  }

  /** Handles an upstream that was too slow but may still respond after our response. */
  #listen(call: UpstreamCall, result: CallResult): void {
    if (result.state === "unknown") this.keepOverdueCall(call);
    // A later upstream failed, so a retry makes another attempt.
    else if (result.state === "failed")
      void call.final.then((late) => late.state !== "failed" && this.#deferOutcome(call.row, late));
  }

  #deferOutcome(row: Row, result: CallResult): void {
    if (result.state === "unknown") return;
    const vendor = row.attempts.find(({ number }) => number === result.attempt)?.vendor;
    this.#parts.log.warn(
      { reference: row.reference, vendor, state: result.state },
      "The outcome of a verification came after its caller was answered",
    );
    this.#parts.deferred.add(row, this.#outcomeOf(row, result));
  }

  async #record(row: Row, result: CallResult, begun: number): Promise<RunResult> {
    const outcome = this.#outcomeOf(row, result);
    const charge = row.idempotency_hash === null ? outcome.charge : null;
    if (charge !== null) this.#parts.charges.begin(charge, outcome.at);
    // The upstream may bill this attempt, so we wait for the write as long as the caller waits.
    const until = begun + this.#parts.settings.timeLimit - answering;
    const writing = this.#parts.ledger.complete(row, outcome, { until }).catch((error: unknown) => {
      this.#parts.log.error({ reference: row.reference, ...loggableError(error) }, "The store did not take an outcome");
      return undefined;
    });
    const written = await withTimeout(writing, until - performance.now());
    if (written !== undefined && charge !== null) this.#parts.charges.heard(charge);
    if (written === undefined) this.#parts.deferred.add(row, outcome, ...uncertain(outcome));
    if (written === false) {
      // A peer thought that this process was dead and abandoned the row. We write the outcome as a late one.
      this.#parts.log.warn({ reference: row.reference }, "A verification was taken over while it ran");
      this.#parts.deferred.add(row, outcome);
    }
    const upstreamCalled = row.attempts.length > (outcome.notSent ? 1 : 0);
    const told = staysNotFound(row, outcome) ? ({ state: "negative", reason: "not_found" } as const) : result;
    return { row, result: told, recorded: written, upstreamCalled };
  }

  #outcomeOf(row: Row, result: CallResult): RunOutcome {
    const kept =
      result.state === "verified" && row.idempotency_hash !== null && this.#parts.settings.recordRetention > 0;
    const bound = { accountId: row.account_id, reference: row.reference };
    const at = this.#parts.now();
    return {
      ...attemptOutcome(result, at),
      charge: result.state === "verified" ? newChargeMark() : null,
      sealed: kept ? seal(this.#parts.keyring.current, bound, result.record, at) : null,
    };
  }
}

/** The charge of an outcome whose write got no response. */
function uncertain({ charge }: RunOutcome): UncertainCharge[] {
  return charge === null ? [] : [{ mark: charge, replaces: "" }];
}
