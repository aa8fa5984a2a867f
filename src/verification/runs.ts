import { seal } from "../keyring/envelope-encryption.ts";
import { isNotSent, type RunOutcome } from "../ledger/attempts.ts";
import { newChargeMark, type UncertainCharge } from "../ledger/charges.ts";
import { recordEndOf } from "../ledger/identity-settings.ts";
import type { Row } from "../ledger/ledger.ts";
import { ownEnd, unsentOutcome } from "../ledger/write-outcome.ts";
import { withTimeout } from "../runtime/timeout.ts";
import type { Route } from "./attempts/decide-route.ts";
import { type AttemptInput, type Learned, loggableError, RunAttempts } from "./attempts/run-attempts.ts";
import type { VerificationDependencies } from "./verification-dependencies.ts";

/** A run of a row, durable as `started`. */
export interface StartedRun {
  row: Row;
  route: Route;
  /** Earlier attempts of this row that may still get a response. The run waits for it and makes none. */
  overdue?: RunAttempts | undefined;
}

/** The end of a run, as the waiting caller sees it. */
export interface RunResult {
  row: Row;
  result: Learned;
  /**
   * Whether the ledger has the outcome. False: another process took the row over. Undefined: the store did not respond.
   */
  recorded: boolean | undefined;
  wasAttempted: boolean;
  /** The mark of the charge; null if nothing is charged. */
  charge: string | null;
}

/** Milliseconds reserved for the response itself, after its outcome is written or the write is given up. */
const answering = 50;

/** The part of the time limit reserved for writing the outcome. */
const reserveOf = (timeLimit: number) => Math.min(1000, timeLimit / 10);

/**
 * A retry waits for overdue attempts until they are this many time limits old. After that it makes another attempt.
 */
const waitedAgain = 3;

/**
 * The second half of a verification: asks the vendors, matches their response, writes the outcome. If the vendor is
 * too slow, the caller gets a response without a record, and the late outcome is written when it arrives. A caller that
 * disconnects changes nothing.
 */
export class Runs {
  readonly #parts: VerificationDependencies;
  /** Attempts that a caller may wait for. */
  readonly #underWay = new Set<RunAttempts>();
  /** Attempts that outlived their callers, by reference. */
  readonly #overdue = new Map<string, RunAttempts>();

  constructor(parts: VerificationDependencies) {
    this.#parts = parts;
  }

  /** Runs a started row of this process. `begun`: when the request arrived, by `performance.now()`. */
  async run(started: StartedRun, input: AttemptInput, begun: number): Promise<RunResult> {
    const { row, route, overdue } = started;
    const { settings, leases, now } = this.#parts;
    const { timeLimit } = settings;
    const remaining = timeLimit - reserveOf(timeLimit) - (performance.now() - begun);
    if (!overdue && (remaining <= 0 || !leases.isValid()))
      return this.#record(row, unsentOutcome(route.lookUpFirst ? null : row.run, now()), begun);

    const attempts = overdue ?? this.#begin(row, route, input);
    attempts.row = row;
    const result = await withTimeout(overdue ? overdue.final : attempts.result, remaining);
    if (!result) await attempts.end();
    const recorded = await this.#record(attempts.row, result ?? attempts.unanswered, begun);
    if (!result) this.keepOverdue(attempts);
    else if (!overdue && attempts.isListening) this.#listen(attempts, result);
    return recorded;
  }

  /** Hands overdue attempts of this row to a retry, which then needs no other one. */
  takeOverdue(reference: string): RunAttempts | undefined {
    const attempts = this.#overdue.get(reference);
    if (!attempts || performance.now() - attempts.since > waitedAgain * this.#parts.settings.timeLimit)
      return undefined;
    this.#overdue.delete(reference);
    return attempts;
  }

  /** Whether an overdue attempt of this row may still get a response. */
  hasOverdue(reference: string): boolean {
    return this.#overdue.has(reference);
  }

  /** Writes the outcome of attempts when it arrives, unless a retry takes them first. */
  keepOverdue(attempts: RunAttempts): void {
    const { reference } = attempts.row;
    this.#overdue.set(reference, attempts);
    void attempts.final.then((late) => {
      // A retry took the attempts and writes their outcome itself.
      if (this.#overdue.get(reference) !== attempts) return;
      this.#overdue.delete(reference);
      this.#deferOutcome(attempts.row, late);
    });
  }

  /** Ends every attempt under way. */
  stop(): void {
    for (const attempts of this.#underWay) void attempts.end();
  }

  /** Resolves when no attempt is under way. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all([...this.#underWay].map(({ result }) => result));
  }

  #begin(row: Row, route: Route, input: AttemptInput): RunAttempts {
    const attempts = new RunAttempts(this.#parts, row, route, input);
    this.#underWay.add(attempts);
    void attempts.result.finally(() => this.#underWay.delete(attempts));
    return attempts;
  }

  /** Handles a vendor that was too slow but may still respond after our response. */
  #listen(attempts: RunAttempts, result: Learned): void {
    if (result.state === "unknown") this.keepOverdue(attempts);
    // A later vendor failed, so a retry makes another attempt.
    else if (result.state === "failed")
      void attempts.final.then((late) => late.state !== "failed" && this.#deferOutcome(attempts.row, late));
  }

  #deferOutcome(row: Row, result: Learned): void {
    if (result.state === "unknown") return;
    const vendor = row.attempts.find(({ number }) => number === result.attempt)?.vendor;
    this.#parts.log.warn(
      { reference: row.reference, vendor, state: result.state },
      "The outcome of a verification came after its caller was answered",
    );
    this.#parts.deferredOutcomes.add(row, this.#outcomeOf(row, result));
  }

  async #record(row: Row, result: Learned, begun: number): Promise<RunResult> {
    const outcome = this.#outcomeOf(row, result);
    const { charge = null } = outcome;
    if (charge !== null) this.#parts.charges.begin(row.reference, charge, outcome.at);
    // The upstream may bill this attempt, so we wait for the write as long as the caller waits.
    const until = begun + this.#parts.settings.timeLimit - answering;
    const writing = this.#parts.ledger.complete(row, outcome, { until }).catch((error: unknown) => {
      this.#parts.log.error({ reference: row.reference, ...loggableError(error) }, "The store did not take an outcome");
      return undefined;
    });
    const written = await withTimeout(writing, until - performance.now());
    if (written !== undefined && charge !== null) this.#parts.charges.heard(charge);
    if (written === undefined) this.#parts.deferredOutcomes.add(row, outcome, ...uncertain(outcome));
    if (written === false) {
      // A peer thought that this process was dead and abandoned the row. We write the outcome as a late one.
      this.#parts.log.warn({ reference: row.reference }, "A verification was taken over while it ran");
      this.#parts.deferredOutcomes.add(row, outcome);
    }
    const wasAttempted = row.attempts.length > (isNotSent(outcome) ? 1 : 0);
    const end = ownEnd(row, outcome);
    return { row, result: end ? { ...outcome, ...end } : result, recorded: written, wasAttempted, charge };
  }

  /** The outcome as the ledger takes it: with a charge, and the sealed record if it is kept for replays. */
  #outcomeOf(row: Row, result: Learned): RunOutcome {
    if (result.state !== "verified") return result;
    const { record, ...outcome } = result;
    const { keyring, settings } = this.#parts;
    const isKeyless = row.idempotency_hash === null;
    const isKept = !isKeyless && recordEndOf({ completed_at: outcome.at }, settings) > outcome.at;
    const bound = { accountId: row.account_id, reference: row.reference };
    const sealed = isKept ? seal(keyring.current, bound, record, outcome.at) : null;
    return { ...outcome, charge: newChargeMark(isKeyless), sealed };
  }
}

/** The charge of an outcome whose write got no response. */
function uncertain({ charge = null }: RunOutcome): UncertainCharge[] {
  return charge === null ? [] : [{ mark: charge, replaces: "" }];
}
