import type { CheckInput } from "../checks/check.ts";
import { subjectParts } from "../checks/index.ts";
import { bank } from "../checks/normalise.ts";
import type { CheckKind } from "../declare/check-kind.ts";
import { addLogFields, type Log, withLogFields } from "../runtime/log.ts";
import { alarmTexts, lastingAlarms, manyDoubtful, manyNotFound, type VendorAlarm } from "./out-of-order.ts";
import { PeopleCounter } from "./people-counter.ts";
import type { IdentityAttempt, IdentityOutcome, IdentityUpstream, UpstreamNeed } from "./ports/identity-upstream.ts";
import { countsAgainstVendor, type OutcomeWord, outcomeWord, unavailable, unknown } from "./ports/outcomes.ts";
import { VendorAttempts } from "./vendor-attempts.ts";

/** How a request can fail. */
type FailureKind = Exclude<OutcomeWord, "verified" | "negative"> | "error";
/** `unknown_bank`: a good record whose bank our table lacks. The operator should look at it. */
type NotedKind = FailureKind | "unknown_bank";

/** Recent health of a vendor. Times are milliseconds since 1970. */
export interface UpstreamHealth {
  name: string;
  /** `open`: no requests for now. `half_open`: one request tests, or soon tests, whether the vendor works again. */
  state: "ready" | "open" | "half_open";
  alarm: VendorAlarm | null;
  lastAnswerAt: number | null;
  kinds: readonly CheckKind[];
  /** Start of the alarm or of the state other than `ready`; null if there is neither. */
  illSince: number | null;
  /** Our balance at the vendor in kobo, as the vendor last reported it. Null: no report yet. */
  balance: number | null;
  /** When each kind of failure last occurred. */
  lastFailures: Partial<Record<NotedKind, number>>;
}

/** After the time-out we still accept a late response for this time, in milliseconds. */
export const lateResponseWindow = 60_000;

/** The breaker waits this long at most, in milliseconds, even if the vendor's `Retry-After` is longer. */
const longestWait = 300_000;

export interface CircuitBreakerOptions {
  /** Time-out of one request, in milliseconds. */
  timeout: number;
  /** Most requests in flight at once. */
  concurrency: number;
  /** The breaker opens after failed requests about this many people in a row, and at once for a lasting alarm. */
  breakerFailures: number;
  /** Milliseconds that the breaker stays open. */
  breakerPause: number;
  /** Milliseconds that the breaker stays open while a lasting alarm is raised. */
  alarmPause: number;
  log: Log;
  /** Called once for each change of the state or the alarm. */
  onChange?: (health: UpstreamHealth) => void;
}

/**
 * Wraps one vendor with a time-out, a limit on concurrent requests and a circuit breaker. Nothing queues: while the
 * vendor is busy or paused, a request is `failed` at once, with that reason. After a time-out we accept a late response
 * for a while, unless a new request needs the connection. A failure with a `retryAfter` opens the breaker for that long
 * (at most `longestWait`), except an `out_of_service`.
 */
export class CircuitBreaker implements IdentityUpstream {
  readonly name: string;
  readonly kinds: readonly CheckKind[];
  readonly needs: readonly UpstreamNeed[];
  readonly repeatable: boolean;
  readonly lookUp?: NonNullable<IdentityUpstream["lookUp"]>;
  /** Counts of the attempts sent to the vendor. */
  readonly attempts = new VendorAttempts();
  readonly #upstream: IdentityUpstream;
  readonly #options: CircuitBreakerOptions;
  readonly #lastFailures: UpstreamHealth["lastFailures"] = {};
  #lastAnswerAt: number | null = null;
  #balance: number | null = null;
  #alarm: VendorAlarm | null = null;
  #state: UpstreamHealth["state"] = "ready";
  #illSince: number | null = null;
  /**
   * When an open breaker lets one request through, by `performance.now()`, which no change of the system clock moves.
   */
  #testsAt = 0;
  /** End of the wait that the vendor asked for, by `performance.now()`. */
  #waitsUntil = 0;
  #inFlight = 0;
  /** Counts of different people in a row: with failed requests; with refusals or implausible responses; not found. */
  readonly #failed: PeopleCounter;
  readonly #doubtful = new PeopleCounter(manyDoubtful);
  readonly #notFound = new PeopleCounter(manyNotFound);
  /** Aborts the requests that are past their time-out, oldest first. */
  readonly #listening = new Set<AbortController>();

  constructor(upstream: IdentityUpstream, options: CircuitBreakerOptions) {
    this.name = upstream.name;
    this.kinds = upstream.kinds;
    this.needs = upstream.needs ?? [];
    this.repeatable = upstream.repeatable === true;
    this.#upstream = upstream;
    this.#options = options;
    this.#failed = new PeopleCounter(options.breakerFailures);
    if (upstream.lookUp) this.lookUp = (earlier) => this.#lookUp(earlier);
  }

  isReady(): boolean {
    if (this.#inFlight >= this.#options.concurrency || this.#isToWait()) return false;
    return this.#state === "ready" || (this.#state === "open" && performance.now() >= this.#testsAt);
  }

  health(): UpstreamHealth {
    return {
      name: this.name,
      // The wait is over, but no request has tested the vendor yet.
      state: this.#state === "open" && this.isReady() ? "half_open" : this.#state,
      alarm: this.#alarm,
      kinds: this.kinds,
      illSince: this.#illSince,
      lastAnswerAt: this.#lastAnswerAt,
      balance: this.#balance,
      lastFailures: { ...this.#lastFailures },
    };
  }

  /**
   * Ends the alarm about the wallet, which is the same for all processes: another one got an answer since. Credentials
   * and settings are those of a process, so only its own attempts end other alarms.
   */
  paidElsewhere(): void {
    if (this.#alarm !== "no_money") return;
    this.#balance = null;
    this.#setAlarm(null);
    if (this.#state === "open" && !this.#isToWait()) this.#setState("ready");
  }

  verify(attempt: IdentityAttempt): Promise<IdentityOutcome> {
    const subject = subjectParts(attempt).join(" ");
    const send = (sendUntil: AbortSignal) => this.#listened(attempt, sendUntil);
    return this.#logged(attempt, () => this.#limited(subject, attempt.signal, send));
  }

  /**
   * Adds the vendor's name to later log lines of the request, and the verification's reference to lines about this
   * attempt.
   */
  #logged(
    { reference }: Pick<IdentityAttempt, "reference">,
    send: () => Promise<IdentityOutcome>,
  ): Promise<IdentityOutcome> {
    const vendor = this.name;
    addLogFields({ vendor });
    return withLogFields({ vendor, reference }, send);
  }

  /**
   * Returns the outcome. If `sendUntil` is aborted first, returns `unknown` at once, with the late response as `later`.
   */
  async #listened(attempt: IdentityAttempt, sendUntil: AbortSignal): Promise<IdentityOutcome> {
    this.#makeRoom();
    const begun = performance.now();
    const listening = new AbortController();
    const response = this.#upstream
      .verify({ ...attempt, sendUntil, signal: listening.signal })
      .then((outcome) => this.#withBank(outcome));
    const inTime = await Promise.race([response, settledAfter(sendUntil)]);
    this.attempts.add(outcomeWord(inTime ?? unknown));
    this.attempts.durations.add((performance.now() - begun) * 1000);
    if (inTime) return inTime;

    this.#listening.add(listening);
    const timer = setTimeout(() => listening.abort(), lateResponseWindow).unref();
    const over = () => {
      clearTimeout(timer);
      this.#listening.delete(listening);
    };
    response.then(over, over);
    return { state: "unknown", reason: "timed_out", later: response };
  }

  /** Returns the outcome unchanged, and counts a record whose bank our table does not know, even if it comes late. */
  #withBank(outcome: IdentityOutcome): IdentityOutcome {
    if (
      outcome.state === "verified" &&
      !bank((outcome.record as { enrolment_bank?: unknown }).enrolment_bank).isKnown
    ) {
      this.attempts.unknownBanks += 1;
      this.#lastFailures.unknown_bank = Date.now();
    }
    return outcome;
  }

  /** Frees a connection: requests past their time-out occupy one as well. */
  #makeRoom(): void {
    for (const oldest of this.#listening) {
      if (this.#inFlight + this.#listening.size <= this.#options.concurrency) return;
      this.#listening.delete(oldest);
      oldest.abort();
    }
  }

  async #lookUp(earlier: Omit<IdentityAttempt, keyof CheckInput>): Promise<IdentityOutcome> {
    const { reference, signal } = earlier;
    const outcome = await this.#logged(earlier, () =>
      this.#limited(
        reference,
        signal,
        async (signal) => this.#withBank(await this.#upstream.lookUp!({ ...earlier, signal })),
        isUnclear,
      ),
    );
    // If this look-up was not sent, we still know nothing about the earlier request.
    return outcome.state === "failed" && outcome.notSent ? unknown : outcome;
  }

  /**
   * `subject`: the person, or the reference of a look-up: repeated failures of one say little about the vendor.
   * `saysNothing`: whether an outcome counts neither for nor against the vendor.
   */
  async #limited(
    subject: string,
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<IdentityOutcome>,
    saysNothing: (outcome: IdentityOutcome) => boolean = () => false,
  ): Promise<IdentityOutcome> {
    if (signal.aborted) return unavailable("not_reached");
    if (!this.isReady()) return this.#state === "ready" ? unavailable("busy") : this.#paused();
    const isTest = this.#state === "open";
    if (isTest) this.#setState("half_open");
    const limit = new AbortController();
    const abort = () => limit.abort();
    const timer = setTimeout(abort, this.#options.timeout);
    signal.addEventListener("abort", abort);
    this.#inFlight += 1;
    let works: boolean | undefined = false;
    try {
      const outcome = await send(limit.signal);
      works = saysNothing(outcome) ? undefined : !countsAgainstVendor(outcome);
      if (works !== undefined) this.#note(outcome, subject);
      return outcome;
    } catch (error) {
      this.#lastFailures.error = Date.now();
      this.#failed.add(subject);
      throw error;
    } finally {
      this.#inFlight -= 1;
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      if (works && isTest && !this.#isToWait()) this.#setState("ready");
      if (works === false && (isTest || this.#failed.areMany || this.#isLasting())) this.#setState("open");
      else if (this.#isToWait() || (works === undefined && isTest)) this.#setState("open", 0);
    }
  }

  /** The outcome of an attempt while the breaker is open. It is `lasting` if only the operator can help. */
  #paused(): IdentityOutcome {
    const retryAfter = Math.ceil((this.#waitsUntil - performance.now()) / 1000);
    const wait = retryAfter > 0 ? { retryAfter } : {};
    return { ...unavailable("paused"), ...(this.#isLasting() ? { lasting: true } : wait) };
  }

  #isToWait(): boolean {
    return performance.now() < this.#waitsUntil;
  }

  #isLasting(): boolean {
    return lastingAlarms.some((alarm) => alarm === this.#alarm);
  }

  #note(outcome: IdentityOutcome, subject: string): void {
    const now = Date.now();
    this.#balance = outcome.balance ?? this.#balance;
    const word = outcomeWord(outcome);
    if (countsAgainstVendor(outcome)) {
      this.#lastFailures[word as FailureKind] = now;
      if (word === "not_reached") this.#failed.addAnother();
      else this.#failed.add(subject);
      const isOfStandIn = outcome.state === "failed" && outcome.reason === "stand_in";
      const alarm = lastingAlarms.find((alarm) => alarm === (isOfStandIn ? "answered_by_stand_in" : word));
      if (alarm) this.#setAlarm(alarm);
      // Another Duba reports `out_of_service` for one attempt only, because its own vendor failed then.
      const wait = word === "out_of_service" ? 0 : (outcome.retryAfter ?? 0) * 1000;
      this.#waitsUntil = Math.max(this.#waitsUntil, performance.now() + Math.min(wait, longestWait));
      return;
    }
    this.#lastAnswerAt = now;
    if (word !== "refused" && word !== "bad_response") {
      this.#failed.clear();
      this.#doubtful.clear();
      if (outcome.state === "negative" && outcome.reason === "not_found") this.#notFound.add(subject);
      else this.#notFound.clear();
      this.#setAlarm(this.#notFound.areMany ? "finds_nobody" : null);
      return;
    }
    if (word === "bad_response") this.#lastFailures[word] = now;
    this.#doubtful.add(subject);
    // The vendor accepted our credentials, whatever it answered.
    if (this.#doubtful.areMany) this.#setAlarm(word);
    else if (this.#isLasting()) this.#setAlarm(null);
  }

  #setAlarm(alarm: VendorAlarm | null): void {
    if (alarm === this.#alarm) return;
    this.#alarm = alarm;
    this.#noteIllness();
    const { log, onChange } = this.#options;
    if (alarm) log.error({ vendor: this.name, alarm }, `An identity vendor ${alarmTexts[alarm]}`);
    else log.warn({ vendor: this.name }, "An identity vendor works again after an alarm");
    onChange?.(this.health());
  }

  #noteIllness(): void {
    const isWell = this.#state === "ready" && this.#alarm === null;
    this.#illSince = isWell ? null : (this.#illSince ?? Date.now());
  }

  #setState(state: UpstreamHealth["state"], pause?: number): void {
    const before = this.#state;
    if (state === before) return;
    this.#state = state;
    this.#noteIllness();
    const { log, onChange, alarmPause, breakerPause } = this.#options;
    if (state === "open") {
      this.#testsAt = performance.now() + (pause ?? (this.#isLasting() ? alarmPause : breakerPause));
      if (before === "ready") {
        const why = pause === 0 ? "it asked Duba to wait" : "it failed too often";
        const fields = { vendor: this.name, ...this.#lastFailures };
        log.warn(fields, `Duba pauses its calls to an identity vendor, because ${why}`);
      }
    } else if (state === "ready") {
      this.#failed.clear();
      log.warn({ vendor: this.name }, "An identity vendor answers again");
    }
    onChange?.(this.health());
  }
}

/** Whether a look-up did not resolve the earlier attempt. The vendor is not to blame: the attempt may still run. */
function isUnclear(outcome: IdentityOutcome): boolean {
  return outcome.state === "unknown" && outcome.reason === "unclear";
}

/** Resolves one event-loop tick after the signal is aborted, so that its listeners run first. */
async function settledAfter(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await new Promise((resolve) => setImmediate(resolve));
}
