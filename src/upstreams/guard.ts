import {
  type BulkheadPolicy,
  bulkhead,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  DelegateBackoff,
  handleAll,
  isBrokenCircuitError,
  TimeoutStrategy,
  timeout,
  wrap,
} from "cockatiel";
import type { IdentityOutcome, IdentityQuestion, IdentityUpstream, Unavailability } from "./identity-upstream.ts";
import { unavailable, unknown } from "./outcomes.ts";
import type { UpstreamLog } from "./vendor.ts";

/** What only the operator can cure, so that no further question is worth its while. */
const alarms = ["no_money", "bad_credentials", "bad_settings"] as const satisfies Unavailability[];
type Alarm = (typeof alarms)[number];

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

export interface GuardOptions {
  /** Milliseconds for one question. */
  timeout: number;
  /** Most questions under way at once. */
  concurrency: number;
  /** So many failures in a row open the breaker, an alarm alone does. */
  breakerFailures: number;
  /** Milliseconds that the breaker stays open. */
  breakerPause: number;
  /** Milliseconds that it stays open while an alarm stands. */
  alarmPause: number;
  log: UpstreamLog;
  /** Told once at every change of the state or the alarm. */
  onChange?: (health: UpstreamHealth) => void;
}

/**
 * Stands between Duba and one vendor: a time-out, a bound on questions at once, and a breaker. A question that is not put
 * is `unavailable` at once, with the reason `busy` or `paused`. Nothing waits in a queue.
 */
export class Guard implements IdentityUpstream {
  readonly name: string;
  readonly lookUp?: NonNullable<IdentityUpstream["lookUp"]>;
  readonly #upstream: IdentityUpstream;
  readonly #options: GuardOptions;
  readonly #slots: BulkheadPolicy;
  readonly #breaker: CircuitBreakerPolicy;
  readonly #policy: ReturnType<typeof policyOf>;
  readonly #lastFailures: UpstreamHealth["lastFailures"] = {};
  #lastAnswerAt: number | null = null;
  #alarm: Alarm | null = null;
  /** From the opening of the breaker until a question succeeds again. */
  #isBroken = false;
  /** When an open breaker lets the next question try, in milliseconds since 1970. */
  #triesAt = 0;

  constructor(upstream: IdentityUpstream, options: GuardOptions) {
    this.name = upstream.name;
    this.#upstream = upstream;
    this.#options = options;
    this.#slots = bulkhead(options.concurrency, 0);
    this.#breaker = circuitBreaker(
      handleAll.orWhenResult((outcome) => isFailure(outcome as IdentityOutcome)),
      {
        breaker: new FailuresInARow(options.breakerFailures, () => this.#alarm !== null),
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
    return this.#asked(question.signal, (signal) => this.#upstream.verify({ ...question, signal }));
  }

  async #lookUp(earlier: Omit<IdentityQuestion, "bvn" | "phone">): Promise<IdentityOutcome> {
    const outcome = await this.#asked(earlier.signal, (signal) => this.#upstream.lookUp!({ ...earlier, signal }));
    // That this question was not put says nothing of the earlier one.
    return outcome.kind === "unavailable" && notPut.has(outcome.reason) ? unknown : outcome;
  }

  async #asked(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<IdentityOutcome>): Promise<IdentityOutcome> {
    if (signal.aborted) return unavailable("not_reached");
    // Asked beforehand, since a half-open breaker would let it wait for the question that tries.
    if (!this.isReady()) return unavailable(this.#breaker.state === CircuitState.Closed ? "busy" : "paused");
    try {
      return await this.#policy.execute(async (context) => {
        const outcome = await ask(context.signal).catch((fault: unknown) => {
          this.#lastFailures.fault = Date.now();
          throw fault;
        });
        this.#note(outcome);
        return outcome;
      }, signal);
    } catch (error) {
      if (isBrokenCircuitError(error)) return unavailable("paused");
      throw error;
    }
  }

  #pause(): number {
    const pause = this.#alarm === null ? this.#options.breakerPause : this.#options.alarmPause;
    this.#triesAt = Date.now() + pause;
    return pause;
  }

  #note(outcome: IdentityOutcome): void {
    if (!isFailure(outcome)) {
      this.#lastAnswerAt = Date.now();
      this.#setAlarm(null);
      return;
    }
    const reason = outcome.kind === "unavailable" ? outcome.reason : undefined;
    this.#lastFailures[reason ?? outcome.kind] = Date.now();
    const alarm = alarms.find((alarm) => alarm === reason);
    if (alarm) this.#setAlarm(alarm);
  }

  #setAlarm(alarm: Alarm | null): void {
    if (alarm === this.#alarm) return;
    this.#alarm = alarm;
    const { log, onChange } = this.#options;
    if (alarm) log.error({ vendor: this.name, alarm }, "An identity vendor does no work until the operator acts");
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
    if (!this.#isBroken && wasBroken) log.warn({ vendor: this.name }, "An identity vendor answers again");
    onChange?.(this.health());
  }
}

const notPut: ReadonlySet<Unavailability | undefined> = new Set(["busy", "paused", "not_reached"] as const);

function policyOf(slots: BulkheadPolicy, breaker: CircuitBreakerPolicy, milliseconds: number) {
  return wrap(slots, breaker, timeout(milliseconds, TimeoutStrategy.Cooperative));
}

class FailuresInARow extends ConsecutiveBreaker {
  readonly #oneIsEnough: () => boolean;

  constructor(threshold: number, oneIsEnough: () => boolean) {
    super(threshold);
    this.#oneIsEnough = oneIsEnough;
  }

  override failure(): boolean {
    return super.failure() || this.#oneIsEnough();
  }
}

type Failed = Extract<IdentityOutcome, { kind: "unavailable" | "unknown" | "bad_response" }>;

/** An answer about the person, or a refusal of one question, is the work of a healthy vendor. */
function isFailure(outcome: IdentityOutcome): outcome is Failed {
  if (outcome.kind === "unavailable") return outcome.reason !== "refused";
  return outcome.kind === "unknown" || outcome.kind === "bad_response";
}
