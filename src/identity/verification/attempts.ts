import { seal } from "../../keyring/envelope-encryption.ts";
import type { CurrentKeyring } from "../../keyring/keyring.ts";
import type { Log } from "../../runtime/log.ts";
import { withTimeout } from "../../runtime/timeout.ts";
import { withLongerTimeout } from "../../storage/timeouts.ts";
import { type DoubtfulCharge, newChargeMark } from "../ledger/charges.ts";
import type { Finding } from "../ledger/finding.ts";
import type { Owners } from "../ledger/leases.ts";
import type { Ledger, Row } from "../ledger/ledger.ts";
import type { IdentitySettings } from "../settings.ts";
import type { LateOutcomes } from "./deferred-outcomes.ts";
import type { Verdict } from "./match-record.ts";
import { Asking, isNotPut, kindOf, type Question, type Route } from "./upstream-call.ts";

/** How an attempt ended for the caller that waits. */
export interface Conclusion {
  row: Row;
  verdict: Verdict;
  /** Whether the ledger says so. False: the row is another's by now. Undefined: the store gave no answer. */
  recorded: boolean | undefined;
  upstreamCalled: boolean;
}

/** How an attempt is made. */
export interface Manner {
  /** When the request came, by `performance.now()`. */
  begun: number;
  /** The source that was asked last before this run; null if none was. */
  askedBefore: string | null;
  /** A question taken over. */
  left?: Asking | undefined;
}

type Intent = Pick<Asking, "row" | "askedBefore">;

/** Of a row whose source was not asked. */
const unasked = ({ looksUp }: Route): Verdict =>
  looksUp ? { state: "unknown" } : { state: "failed", reason: "unavailable", notPut: true };

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
  readonly #late: LateOutcomes;
  readonly #owners: Owners;
  readonly #keyring: CurrentKeyring;
  readonly #settings: IdentitySettings;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #leftBehind = new Map<string, Asking>();
  readonly #asking = new Set<Asking>();

  constructor(parts: {
    ledger: Ledger;
    late: LateOutcomes;
    owners: Owners;
    keyring: CurrentKeyring;
    settings: IdentitySettings;
    log: Log;
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
  takeOver(reference: string): Asking | undefined {
    const asking = this.#leftBehind.get(reference);
    if (!asking || performance.now() - asking.since > waitedAgain * this.#settings.timeLimit) return undefined;
    this.#leftBehind.delete(reference);
    return asking;
  }

  /** Whether the source of a row that was left behind may still say what it came to. */
  isLeft(reference: string): boolean {
    return this.#leftBehind.has(reference);
  }

  /** Leaves a question behind: what it comes to is written when it comes, unless a retry takes it over. */
  leave(asking: Asking): void {
    this.#leftBehind.set(asking.row.reference, asking);
    void asking.final.then((late) => {
      // A retry that took the question over writes its outcome itself.
      if (this.#leftBehind.get(asking.row.reference) !== asking) return;
      this.#leftBehind.delete(asking.row.reference);
      this.#hearLate(asking, late);
    });
  }

  /** Runs the attempt of a row that this process owns. */
  async run(row: Row, route: Route, question: Question, { begun, askedBefore, left }: Manner): Promise<Conclusion> {
    const { timeLimit } = this.#settings;
    const patience = timeLimit - reserveOf(timeLimit) - (performance.now() - begun);
    if (!left && (patience <= 0 || !this.#owners.isHeld()))
      return this.#record({ row, askedBefore }, unasked(route), begun);
    const asking = left ?? this.#ask({ row, askedBefore }, route, question);
    asking.row = row;
    const verdict = await withTimeout(left ? left.final : asking.verdict, patience);
    if (verdict) {
      const conclusion = await this.#record(asking, verdict, begun);
      if (!left && asking.isListening) this.#listen(asking, verdict);
      return conclusion;
    }

    await asking.end();
    const conclusion = await this.#record(asking, { state: "unknown" }, begun);
    this.leave(asking);
    return conclusion;
  }

  /** Ends every question that is under way. */
  stop(): void {
    for (const asking of this.#asking) void asking.end();
  }

  /** Resolves when no question is under way. */
  async idle(): Promise<void> {
    while (this.#asking.size > 0) await Promise.all([...this.#asking].map(({ verdict }) => verdict));
  }

  #ask(intent: Intent, route: Route, question: Question): Asking {
    const parts = { ledger: this.#ledger, settings: this.#settings, log: this.#log };
    const asking = new Asking(parts, intent, route, question);
    this.#asking.add(asking);
    void asking.verdict.finally(() => this.#asking.delete(asking));
    return asking;
  }

  /** For a source that was too slow, while the caller is answered already. */
  #listen(asking: Asking, verdict: Verdict): void {
    if (verdict.state === "unknown") this.leave(asking);
    // Another source was asked since, and failed: a retry asks anew.
    else if (verdict.state === "failed")
      void asking.final.then((late) => late.state !== "failed" && this.#hearLate(asking, late));
  }

  #hearLate(asking: Asking, verdict: Verdict): void {
    const { row } = asking;
    if (verdict.state === "unknown") return;
    this.#log.warn(
      { reference: row.reference, upstream: row.upstream, state: verdict.state },
      "The outcome of a verification came after its caller was answered",
    );
    this.#late.add(row, this.#findingOf(asking, verdict));
  }

  async #record(intent: Intent, verdict: Verdict, begun: number): Promise<Conclusion> {
    const { row } = intent;
    const finding = this.#findingOf(intent, verdict);
    const left = this.#settings.timeLimit - (performance.now() - begun);
    // The source may have done paid work: the write is waited for as long as the caller is.
    const writing = withLongerTimeout(left, () => this.#ledger.settle(row, finding)).catch((error: unknown) => {
      this.#log.error({ reference: row.reference, ...kindOf(error) }, "The store did not take an outcome");
      return undefined;
    });
    const written = await withTimeout(writing, left);
    if (written === undefined) this.#late.add(row, finding, ...doubtful(finding));
    if (written === false) {
      // This process was taken for dead and the row for abandoned: what was heard is news like any other.
      this.#log.warn({ reference: row.reference }, "A verification was taken over while it ran");
      this.#late.add(row, finding);
    }
    const upstreamCalled = row.attempts > (finding.notPut ? 1 : 0);
    return { row, verdict, recorded: written, upstreamCalled };
  }

  #findingOf({ row, askedBefore }: Intent, verdict: Verdict): Finding {
    const kept = verdict.state === "verified" && row.idempotency_hash !== null && this.#settings.recordRetention > 0;
    const whose = { accountId: row.account_id, reference: row.reference };
    const at = this.#now();
    return {
      state: verdict.state,
      charge: verdict.state === "verified" ? newChargeMark() : null,
      sealed: kept ? seal(this.#keyring.current, whose, verdict.record, at) : null,
      at,
      ...(isNotPut(verdict) ? { notPut: { askedBefore } } : {}),
      isBadAnswer: verdict.state === "failed" && verdict.reason === "bad_response",
    };
  }
}

/** The charge of a finding whose write got no answer. */
function doubtful({ charge }: Finding): DoubtfulCharge[] {
  return charge === null ? [] : [{ mark: charge, replaces: "" }];
}
