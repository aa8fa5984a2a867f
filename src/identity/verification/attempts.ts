import { seal } from "../../keyring/envelope-encryption.ts";
import type { CurrentKeyring } from "../../keyring/keyring.ts";
import type { Log } from "../../runtime/log.ts";
import { withTimeout } from "../../runtime/timeout.ts";
import { withLongerTimeout } from "../../storage/timeouts.ts";
import type { AttemptOutcome } from "../ledger/attempt-outcome.ts";
import { type DoubtfulCharge, newChargeMark } from "../ledger/charges.ts";
import type { Leases } from "../ledger/leases.ts";
import type { Ledger, Row } from "../ledger/ledger.ts";
import type { IdentitySettings } from "../settings.ts";
import type { DeferredOutcomes } from "./deferred-outcomes.ts";
import type { MatchResult } from "./match-record.ts";
import {
  isNotPut,
  loggableError,
  type SelectedUpstreams,
  UpstreamCall,
  type UpstreamCallInput,
} from "./upstream-call.ts";

/** How an attempt ended for the caller that waits. */
export interface AttemptResult {
  row: Row;
  result: MatchResult;
  /** Whether the ledger says so. False: the row is another's by now. Undefined: the store gave no answer. */
  recorded: boolean | undefined;
  upstreamCalled: boolean;
}

/** How an attempt is made. */
export interface AttemptOptions {
  /** When the request came, by `performance.now()`. */
  begun: number;
  /** The source that was asked last before this run; null if none was. */
  askedBefore: string | null;
  /** A question taken over. */
  left?: UpstreamCall | undefined;
}

type Intent = Pick<UpstreamCall, "row" | "askedBefore">;

/** Of a row whose source was not asked. */
const unasked = ({ lookUpFirst }: SelectedUpstreams): MatchResult =>
  lookUpFirst ? { state: "unknown" } : { state: "failed", reason: "unavailable", notPut: true };

/** The part of the time limit that is left for writing the outcome. */
const reserveOf = (timeLimit: number) => Math.min(1000, timeLimit / 10);

/** A question left behind is waited for again by a retry for this many time limits; then the retry asks anew. */
const waitedAgain = 3;

/**
 * One attempt of a started row: asks the upstream, judges, writes the outcome. An upstream that is too slow is left
 * behind, and what it says later is written later; the caller's own fate changes nothing.
 */
export class Attempts {
  readonly #ledger: Ledger;
  readonly #deferred: DeferredOutcomes;
  readonly #leases: Leases;
  readonly #keyring: CurrentKeyring;
  readonly #settings: IdentitySettings;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #overdueCalls = new Map<string, UpstreamCall>();
  readonly #calls = new Set<UpstreamCall>();

  constructor(parts: {
    ledger: Ledger;
    deferred: DeferredOutcomes;
    leases: Leases;
    keyring: CurrentKeyring;
    settings: IdentitySettings;
    log: Log;
    now: () => number;
  }) {
    this.#ledger = parts.ledger;
    this.#deferred = parts.deferred;
    this.#leases = parts.leases;
    this.#keyring = parts.keyring;
    this.#settings = parts.settings;
    this.#log = parts.log;
    this.#now = parts.now;
  }

  /** Takes over an earlier question of this row that is still under way here, so that a retry need not ask again. */
  takeOverdueCall(reference: string): UpstreamCall | undefined {
    const call = this.#overdueCalls.get(reference);
    if (!call || performance.now() - call.since > waitedAgain * this.#settings.timeLimit) return undefined;
    this.#overdueCalls.delete(reference);
    return call;
  }

  /** Whether the source of a row that was left behind may still say what it came to. */
  hasOverdueCall(reference: string): boolean {
    return this.#overdueCalls.has(reference);
  }

  /** Leaves a question behind: what it comes to is written when it comes, unless a retry takes it over. */
  keepOverdueCall(call: UpstreamCall): void {
    this.#overdueCalls.set(call.row.reference, call);
    void call.final.then((late) => {
      // A retry that took the question over writes its outcome itself.
      if (this.#overdueCalls.get(call.row.reference) !== call) return;
      this.#overdueCalls.delete(call.row.reference);
      this.#deferOutcome(call, late);
    });
  }

  /** Runs the attempt of a row that this process owns. */
  async run(
    row: Row,
    selected: SelectedUpstreams,
    question: UpstreamCallInput,
    { begun, askedBefore, left }: AttemptOptions,
  ): Promise<AttemptResult> {
    const { timeLimit } = this.#settings;
    const patience = timeLimit - reserveOf(timeLimit) - (performance.now() - begun);
    if (!left && (patience <= 0 || !this.#leases.isValid()))
      return this.#record({ row, askedBefore }, unasked(selected), begun);
    const call = left ?? this.#ask({ row, askedBefore }, selected, question);
    call.row = row;
    const result = await withTimeout(left ? left.final : call.result, patience);
    if (result) {
      const conclusion = await this.#record(call, result, begun);
      if (!left && call.isListening) this.#listen(call, result);
      return conclusion;
    }

    await call.end();
    const conclusion = await this.#record(call, { state: "unknown" }, begun);
    this.keepOverdueCall(call);
    return conclusion;
  }

  /** Ends every question that is under way. */
  stop(): void {
    for (const call of this.#calls) void call.end();
  }

  /** Resolves when no question is under way. */
  async idle(): Promise<void> {
    while (this.#calls.size > 0) await Promise.all([...this.#calls].map(({ result }) => result));
  }

  #ask(intent: Intent, selected: SelectedUpstreams, question: UpstreamCallInput): UpstreamCall {
    const parts = { ledger: this.#ledger, settings: this.#settings, log: this.#log };
    const call = new UpstreamCall(parts, intent, selected, question);
    this.#calls.add(call);
    void call.result.finally(() => this.#calls.delete(call));
    return call;
  }

  /** For a source that was too slow, while the caller is answered already. */
  #listen(call: UpstreamCall, result: MatchResult): void {
    if (result.state === "unknown") this.keepOverdueCall(call);
    // Another source was asked since, and failed: a retry asks anew.
    else if (result.state === "failed")
      void call.final.then((late) => late.state !== "failed" && this.#deferOutcome(call, late));
  }

  #deferOutcome(call: UpstreamCall, result: MatchResult): void {
    const { row } = call;
    if (result.state === "unknown") return;
    this.#log.warn(
      { reference: row.reference, upstream: row.upstream, state: result.state },
      "The outcome of a verification came after its caller was answered",
    );
    this.#deferred.add(row, this.#outcomeOf(call, result));
  }

  async #record(intent: Intent, result: MatchResult, begun: number): Promise<AttemptResult> {
    const { row } = intent;
    const outcome = this.#outcomeOf(intent, result);
    const left = this.#settings.timeLimit - (performance.now() - begun);
    // The source may have done paid work: the write is waited for as long as the caller is.
    const writing = withLongerTimeout(left, () => this.#ledger.complete(row, outcome)).catch((error: unknown) => {
      this.#log.error({ reference: row.reference, ...loggableError(error) }, "The store did not take an outcome");
      return undefined;
    });
    const written = await withTimeout(writing, left);
    if (written === undefined) this.#deferred.add(row, outcome, ...doubtful(outcome));
    if (written === false) {
      // This process was taken for dead and the row for abandoned: what was heard is news like any other.
      this.#log.warn({ reference: row.reference }, "A verification was taken over while it ran");
      this.#deferred.add(row, outcome);
    }
    const upstreamCalled = row.attempts > (outcome.notPut ? 1 : 0);
    return { row, result, recorded: written, upstreamCalled };
  }

  #outcomeOf({ row, askedBefore }: Intent, result: MatchResult): AttemptOutcome {
    const kept = result.state === "verified" && row.idempotency_hash !== null && this.#settings.recordRetention > 0;
    const whose = { accountId: row.account_id, reference: row.reference };
    const at = this.#now();
    return {
      state: result.state,
      charge: result.state === "verified" ? newChargeMark() : null,
      sealed: kept ? seal(this.#keyring.current, whose, result.record, at) : null,
      at,
      ...(isNotPut(result) ? { notPut: { askedBefore } } : {}),
      isBadAnswer: result.state === "failed" && result.reason === "bad_response",
    };
  }
}

/** The charge of a outcome whose write got no answer. */
function doubtful({ charge }: AttemptOutcome): DoubtfulCharge[] {
  return charge === null ? [] : [{ mark: charge, replaces: "" }];
}
