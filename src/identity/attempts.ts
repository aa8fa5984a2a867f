import type { Answers } from "../contract/operation.ts";
import { codeOf } from "../storage/fault.ts";
import type { IdentityOutcome, IdentityQuestion, IdentityUpstream } from "../upstreams/identity-upstream.ts";
import { judge, type Verdict } from "./judge.ts";
import type { Keyring } from "./keyring.ts";
import type { LateOutcomes } from "./late-outcomes.ts";
import type { Finding, Ledger, Row } from "./ledger.ts";
import type { Owners } from "./owners.ts";
import { seal } from "./seal.ts";
import type { IdentityLog, IdentitySettings } from "./settings.ts";
import { within } from "./within.ts";

/** What to ask, and how much of the record the account is given. */
export type Question = Omit<IdentityQuestion, "signal" | "reference"> & { answers: Answers };

/** How an attempt ended for the caller that waits. `recorded` is false if the ledger does not say so yet. */
export interface Conclusion {
  verdict: Verdict;
  recorded: boolean;
  upstreamCalled: boolean;
}

/** A question on its way: `verdict` never rejects. */
export interface Asked {
  verdict: Promise<Verdict>;
  since: number;
  end(): void;
}

/** How an attempt is made. */
export interface Manner {
  begun: number;
  left?: Asked | undefined;
  looksUp: boolean;
}

/** The part of the time limit that is left for writing the outcome. */
const reserveOf = (timeLimit: number) => Math.min(1000, timeLimit / 10);

const brokeOff = "The identity upstream broke off with a fault";

/** A question left behind is waited for again by a retry for this many time limits; then the retry asks anew. */
const waitedAgain = 3;

/**
 * One attempt of a started row: asks the upstream, judges, writes the outcome. An upstream that is too slow is left
 * behind, and what it says later is written later; the caller's own fate changes nothing.
 */
export class Attempts {
  readonly #ledger: Ledger;
  readonly #late: LateOutcomes;
  readonly #owners: Owners;
  readonly #keyring: Keyring;
  readonly #settings: IdentitySettings;
  readonly #log: IdentityLog;
  readonly #now: () => number;
  readonly #leftBehind = new Map<string, Asked>();
  readonly #asking = new Set<Asked>();

  constructor(parts: {
    ledger: Ledger;
    late: LateOutcomes;
    owners: Owners;
    keyring: Keyring;
    settings: IdentitySettings;
    log: IdentityLog;
    now: () => number;
  }) {
    this.#ledger = parts.ledger;
    this.#late = parts.late;
    this.#owners = parts.owners;
    this.#keyring = parts.keyring;
    this.#settings = parts.settings;
    this.#log = parts.log;
    this.#now = parts.now;
  }

  /** Takes over an earlier question of this row that is still under way here, so that a retry need not ask again. */
  takeOver(reference: string): Asked | undefined {
    const asked = this.#leftBehind.get(reference);
    if (!asked || performance.now() - asked.since > waitedAgain * this.#settings.timeLimit) return undefined;
    this.#leftBehind.delete(reference);
    return asked;
  }

  /** Leaves a question behind: what it comes to is written when it comes, unless a retry takes it over. */
  leave(row: Row, upstream: IdentityUpstream, asked: Asked): void {
    this.#leftBehind.set(row.reference, asked);
    void asked.verdict.then((late) => this.#hearLate(row, upstream, asked, late));
  }

  /**
   * Runs the attempt of a row that this process owns. `begun` is when the request came, by `performance.now()`;
   * `left`: a question taken over; `looksUp`: the upstream is first asked what became of the attempts before.
   */
  async run(
    row: Row,
    upstream: IdentityUpstream,
    question: Question,
    { begun, left, looksUp }: Manner,
  ): Promise<Conclusion> {
    const { timeLimit } = this.#settings;
    const patience = timeLimit - reserveOf(timeLimit) - (performance.now() - begun);
    if (!left && (patience <= 0 || !this.#owners.isHeld())) {
      return this.#record(row, { state: "failed", reason: "unavailable" }, begun, false);
    }
    const asked = left ?? this.#ask(row.reference, upstream, question, looksUp);
    const verdict = await within(asked.verdict, patience);
    if (verdict) return this.#record(row, verdict, begun, true);

    asked.end();
    const conclusion = await this.#record(row, { state: "unknown" }, begun, true);
    this.leave(row, upstream, asked);
    return conclusion;
  }

  /** Ends every question that is under way. */
  stop(): void {
    for (const asked of this.#asking) asked.end();
  }

  /** Resolves when no question is under way. */
  async idle(): Promise<void> {
    while (this.#asking.size > 0) await Promise.all([...this.#asking].map((asked) => asked.verdict));
  }

  #ask(reference: string, upstream: IdentityUpstream, asked: Question, looksUp: boolean): Asked {
    const limit = new AbortController();
    const { answers, ...asks } = asked;
    const question = { ...asks, reference, signal: limit.signal };
    const judged = (outcome: IdentityOutcome) => judge(outcome, question, { ...this.#settings, answers });
    const answered = async (): Promise<Verdict> => {
      try {
        const earlier = looksUp ? await this.#lookedUp(upstream, question, judged) : undefined;
        return earlier ?? (await this.#verified(upstream, question, judged));
      } finally {
        this.#asking.delete(asking);
      }
    };
    const verdict = Promise.resolve().then(answered);
    const asking: Asked = { verdict, since: performance.now(), end: () => limit.abort() };
    this.#asking.add(asking);
    return asking;
  }

  /** What the upstream says became of an earlier attempt; undefined if it did no work for it. */
  async #lookedUp(
    upstream: IdentityUpstream,
    question: IdentityQuestion,
    judged: (outcome: IdentityOutcome) => Verdict,
  ): Promise<Verdict | undefined> {
    const { bvn: _, phone: __, ...earlier } = question;
    try {
      const verdict = judged(await upstream.lookUp!(earlier));
      if (verdict.state !== "failed") return verdict;
      return verdict.reason === "bad_response" ? { state: "unknown" } : undefined;
    } catch (error) {
      this.#log.error({ upstream: upstream.name, reference: question.reference, ...kindOf(error) }, brokeOff);
      return { state: "unknown" };
    }
  }

  async #verified(
    upstream: IdentityUpstream,
    question: IdentityQuestion,
    judged: (outcome: IdentityOutcome) => Verdict,
  ): Promise<Verdict> {
    const { name } = upstream;
    try {
      const verdict = judged(await upstream.verify(question));
      if (verdict.state === "failed" && verdict.reason === "lasting")
        this.#log.error({ upstream: name }, "The identity upstream refuses work until its account is in order");
      return verdict;
    } catch (error) {
      this.#log.error({ upstream: name, reference: question.reference, ...kindOf(error) }, brokeOff);
      return { state: "failed", reason: "bad_response" };
    }
  }

  #hearLate(row: Row, upstream: IdentityUpstream, asked: Asked, verdict: Verdict): void {
    // A retry that took the question over writes its outcome itself.
    if (this.#leftBehind.get(row.reference) !== asked) return;
    this.#leftBehind.delete(row.reference);
    if (verdict.state === "unknown") return;
    this.#log.warn(
      { reference: row.reference, upstream: upstream.name, state: verdict.state },
      "The outcome of a verification came after its caller was answered",
    );
    this.#late.add(row, this.#findingOf(row, verdict));
  }

  async #record(row: Row, verdict: Verdict, begun: number, upstreamCalled: boolean): Promise<Conclusion> {
    const finding = this.#findingOf(row, verdict);
    const writing = this.#ledger.settle(row, finding).catch((error: unknown) => {
      this.#log.error({ reference: row.reference, ...kindOf(error) }, "The store did not take an outcome");
      return undefined;
    });
    const written = await within(writing, this.#settings.timeLimit - (performance.now() - begun));
    if (written === undefined) this.#late.add(row, finding, finding.charged);
    if (written === false) {
      // This process was taken for dead and the row for abandoned: what was heard is news like any other.
      this.#log.warn({ reference: row.reference }, "A verification was taken over while it ran");
      this.#late.add(row, finding);
    }
    return { verdict, recorded: written === true, upstreamCalled };
  }

  #findingOf(row: Row, verdict: Verdict): Finding {
    const kept = verdict.state === "verified" && row.idempotency_hash !== null && this.#settings.recordRetention > 0;
    const whose = { accountId: row.account_id, reference: row.reference };
    return {
      state: verdict.state,
      charged: verdict.state === "verified",
      sealedRecord: kept ? seal(this.#keyring, whose, verdict.record) : null,
      at: this.#now(),
    };
  }
}

/** What may be logged of a fault: its message may hold what was asked. */
function kindOf(error: unknown): object {
  return { kind: error instanceof Error ? error.name : typeof error, code: codeOf(error) };
}
