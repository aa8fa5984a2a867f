import {
  type BulkheadPolicy,
  bulkhead,
  type CircuitBreakerPolicy,
  CircuitState,
  circuitBreaker,
  DelegateBackoff,
  handleAll,
  isBrokenCircuitError,
  TimeoutStrategy,
  timeout,
  wrap,
} from "cockatiel";
import type { CheckKind } from "../operation/check-kind.ts";
import type { Log } from "../runtime/log.ts";
import { DistinctSubjects } from "./distinct-subjects.ts";
import {
  type AskedPerson,
  type IdentityOutcome,
  type IdentityQuestion,
  type IdentityUpstream,
  kindsOf,
  type Unavailability,
} from "./ports/identity-upstream.ts";
import { unavailable, unknown } from "./ports/outcomes.ts";

/** What only the operator can cure, so that no further question is worth its while. */
const lasting = ["no_money", "bad_credentials", "bad_settings"] as const satisfies Unavailability[];
/**
 * `refused`, `bad_response`: the vendor refused, or answered unbelievably, the questions about several people in a row. It
 * may have changed its interface. It goes on being asked, since such an answer may be about one person only.
 */
type Alarm = (typeof lasting)[number] | "refused" | "bad_response";

/** What a question may fail in: its kind, or the reason of an `unavailable`. */
type FailureKind = "unknown" | "bad_response" | "unavailable" | "fault" | Unavailability;

/** How a vendor has been lately. Times are milliseconds since 1970. */
export interface UpstreamHealth {
  name: string;
  /** `open`: not asked for a while. `half_open`: one question tries whether it answers again. */
  state: "ready" | "open" | "half_open";
  alarm: Alarm | null;
  lastAnswerAt: number | null;
  /** When each kind of failure was seen last. */
  lastFailures: Partial<Record<FailureKind, number>>;
}

/** Milliseconds that a vendor which did not answer in time is listened to beyond that. */
export const lateAnswerWindow = 60_000;

export interface CircuitBreakerOptions {
  /** Milliseconds for one question. */
  timeout: number;
  /** Most questions under way at once. */
  concurrency: number;
  /** So many people whose questions failed in a row open the breaker; a lasting alarm alone does. */
  breakerFailures: number;
  /** Milliseconds that the breaker stays open. */
  breakerPause: number;
  /** Milliseconds that it stays open while an alarm stands. */
  alarmPause: number;
  log: Log;
  /** Told once at every change of the state or the alarm. */
  onChange?: (health: UpstreamHealth) => void;
}

/**
 * Stands between Duba and one vendor: a time-out, a bound on questions at once, and a breaker. A question that is not put
 * is `unavailable` at once, with the reason `busy` or `paused`. Nothing waits in a queue. A vendor that is too slow is
 * listened to for a while longer, unless a new question needs the place.
 */
export class CircuitBreaker implements IdentityUpstream {
  readonly name: string;
  readonly kinds: readonly CheckKind[];
  readonly repeatable: boolean;
  readonly lookUp?: NonNullable<IdentityUpstream["lookUp"]>;
  readonly #upstream: IdentityUpstream;
  readonly #options: CircuitBreakerOptions;
  readonly #slots: BulkheadPolicy;
  readonly #breaker: CircuitBreakerPolicy;
  readonly #policy: ReturnType<typeof policyOf>;
  readonly #lastFailures: UpstreamHealth["lastFailures"] = {};
  #lastAnswerAt: number | null = null;
  #alarm: Alarm | null = null;
  /** Whose questions failed since the last that did not, and whose were refused or answered unbelievably. */
  readonly #failed: DistinctSubjects;
  readonly #doubtful: DistinctSubjects;
  /** Ends of the questions that are only listened to, the oldest first. */
  readonly #listening = new Set<AbortController>();
  /** From the opening of the breaker until a question succeeds again. */
  #isBroken = false;
  /** When an open breaker lets the next question try, in milliseconds since 1970. */
  #triesAt = 0;

  constructor(upstream: IdentityUpstream, options: CircuitBreakerOptions) {
    this.name = upstream.name;
    this.kinds = kindsOf(upstream);
    this.repeatable = upstream.repeatable === true;
    this.#upstream = upstream;
    this.#options = options;
    this.#slots = bulkhead(options.concurrency, 0);
    this.#failed = new DistinctSubjects(options.breakerFailures);
    this.#doubtful = new DistinctSubjects(options.breakerFailures);
    this.#breaker = circuitBreaker(
      handleAll.orWhenResult((outcome) => isFailure(outcome as IdentityOutcome)),
      {
        breaker: { state: 0, success: () => {}, failure: () => this.#failed.areMany || this.#isLasting() },
        halfOpenAfter: new DelegateBackoff(() => this.#pause()),
      },
    );
    this.#policy = policyOf(this.#slots, this.#breaker, options.timeout);
    this.#breaker.onStateChange((state) => this.#hearState(state));
    if (upstream.lookUp) this.lookUp = (earlier) => this.#lookUp(earlier);
  }

  isReady(): boolean {
    if (this.#slots.executionSlots === 0) return false;
    const { state } = this.#breaker;
    return state === CircuitState.Closed || (state === CircuitState.Open && Date.now() >= this.#triesAt);
  }

  health(): UpstreamHealth {
    const { state } = this.#breaker;
    return {
      name: this.name,
      state: state === CircuitState.Closed ? "ready" : state === CircuitState.Open ? "open" : "half_open",
      alarm: this.#alarm,
      lastAnswerAt: this.#lastAnswerAt,
      lastFailures: { ...this.#lastFailures },
    };
  }

  verify(question: IdentityQuestion): Promise<IdentityOutcome> {
    return this.#asked(`${question.kind} ${question.number}`, question.signal, (sendUntil) =>
      this.#listened(question, sendUntil),
    );
  }

  /** The outcome; once `sendUntil` is aborted, `unknown` at once, with what the vendor says after all as `later`. */
  async #listened(question: IdentityQuestion, sendUntil: AbortSignal): Promise<IdentityOutcome> {
    this.#makeRoom();
    const listening = new AbortController();
    const answer = this.#upstream.verify({ ...question, sendUntil, signal: listening.signal });
    const inTime = await Promise.race([answer, settledAfter(sendUntil)]);
    if (inTime) return inTime;

    this.#listening.add(listening);
    const timer = setTimeout(() => listening.abort(), lateAnswerWindow).unref();
    const over = () => {
      clearTimeout(timer);
      this.#listening.delete(listening);
    };
    answer.then(over, over);
    return { kind: "unknown", later: answer };
  }

  /** Each question has a connection, those that are only listened to as well. */
  #makeRoom(): void {
    const { concurrency } = this.#options;
    const asking = concurrency - this.#slots.executionSlots;
    for (const oldest of this.#listening) {
      if (asking + this.#listening.size <= concurrency) return;
      this.#listening.delete(oldest);
      oldest.abort();
    }
  }

  async #lookUp(earlier: Omit<IdentityQuestion, keyof AskedPerson>): Promise<IdentityOutcome> {
    const { reference, signal } = earlier;
    const outcome = await this.#asked(reference, signal, (signal) => this.#upstream.lookUp!({ ...earlier, signal }));
    // That this question was not put says nothing of the earlier one.
    return outcome.kind === "unavailable" && outcome.notPut ? unknown : outcome;
  }

  /** `subject` is whom the question is about: however often one person's questions fail, it says little of the vendor. */
  async #asked(
    subject: string,
    signal: AbortSignal,
    ask: (signal: AbortSignal) => Promise<IdentityOutcome>,
  ): Promise<IdentityOutcome> {
    if (signal.aborted) return unavailable("not_reached");
    // Asked beforehand, since a half-open breaker would let it wait for the question that tries.
    if (!this.isReady()) return this.#breaker.state === CircuitState.Closed ? unavailable("busy") : this.#paused();
    try {
      return await this.#policy.execute(async (context) => {
        const outcome = await ask(context.signal).catch((fault: unknown) => {
          this.#lastFailures.fault = Date.now();
          this.#failed.add(subject);
          throw fault;
        });
        this.#note(outcome, subject);
        return outcome;
      }, signal);
    } catch (error) {
      if (isBrokenCircuitError(error)) return this.#paused();
      throw error;
    }
  }

  /** No retry helps while only the operator can. */
  #paused(): IdentityOutcome {
    return { ...unavailable("paused"), ...(this.#isLasting() ? { lasting: true } : {}) };
  }

  #isLasting(): boolean {
    return lasting.some((alarm) => alarm === this.#alarm);
  }

  #pause(): number {
    const pause = this.#isLasting() ? this.#options.alarmPause : this.#options.breakerPause;
    this.#triesAt = Date.now() + pause;
    return pause;
  }

  #note(outcome: IdentityOutcome, subject: string): void {
    const now = Date.now();
    const reason = outcome.kind === "unavailable" ? outcome.reason : undefined;
    if (isFailure(outcome)) {
      this.#lastFailures[reason ?? (outcome.kind as FailureKind)] = now;
      if (reason === "not_reached") this.#failed.addAnother();
      else this.#failed.add(subject);
      const alarm = lasting.find((alarm) => alarm === reason);
      if (alarm) this.#setAlarm(alarm);
      return;
    }
    this.#lastAnswerAt = now;
    const doubt = reason === "refused" ? reason : outcome.kind === "bad_response" ? outcome.kind : undefined;
    if (doubt === undefined) {
      this.#failed.clear();
      this.#doubtful.clear();
      this.#setAlarm(null);
      return;
    }
    if (doubt === "bad_response") this.#lastFailures[doubt] = now;
    this.#doubtful.add(subject);
    // Either way the vendor took our credentials.
    if (this.#doubtful.areMany) this.#setAlarm(doubt);
    else if (this.#isLasting()) this.#setAlarm(null);
  }

  #setAlarm(alarm: Alarm | null): void {
    if (alarm === this.#alarm) return;
    this.#alarm = alarm;
    const { log, onChange } = this.#options;
    if (this.#isLasting())
      log.error({ vendor: this.name, alarm }, "An identity vendor does no work until the operator acts");
    else if (alarm)
      log.error(
        { vendor: this.name, alarm },
        "An identity vendor refuses all questions, or answers none believably: see whether its interface or our settings changed",
      );
    else log.warn({ vendor: this.name }, "An identity vendor works again after an alarm");
    onChange?.(this.health());
  }

  #hearState(state: CircuitState): void {
    const { log, onChange } = this.#options;
    const wasBroken = this.#isBroken;
    if (state !== CircuitState.HalfOpen) this.#isBroken = state === CircuitState.Open;
    if (this.#isBroken && !wasBroken)
      log.warn(
        { vendor: this.name, ...this.#lastFailures },
        "An identity vendor is not asked for a while: it failed too often",
      );
    if (state === CircuitState.Closed) this.#failed.clear();
    if (!this.#isBroken && wasBroken) log.warn({ vendor: this.name }, "An identity vendor answers again");
    onChange?.(this.health());
  }
}

/** Resolves when the signal was aborted and whoever heeds it has had its turn. */
async function settledAfter(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await new Promise((resolve) => setImmediate(resolve));
}

function policyOf(slots: BulkheadPolicy, breaker: CircuitBreakerPolicy, milliseconds: number) {
  return wrap(slots, breaker, timeout(milliseconds, TimeoutStrategy.Cooperative));
}

/**
 * Whether an outcome speaks against the vendor. An answer about the person does not, nor does a refusal of one question,
 * nor an answer that came well-formed and is only not to be believed.
 */
function isFailure(outcome: IdentityOutcome): boolean {
  if (outcome.kind === "unavailable") return outcome.reason !== "refused" && outcome.reason !== "not_done";
  if (outcome.kind === "bad_response") return outcome.why !== "shape" && outcome.why !== "failure";
  return outcome.kind === "unknown";
}
