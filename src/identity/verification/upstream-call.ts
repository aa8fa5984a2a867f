import type { Answers } from "../../operation/operation.ts";
import type { Log } from "../../runtime/log.ts";
import { codeOf } from "../../storage/errors.ts";
import type { IdentityOutcome, IdentityQuestion, IdentityUpstream } from "../../upstreams/ports/identity-upstream.ts";
import type { Ledger, Row } from "../ledger/ledger.ts";
import type { IdentitySettings } from "../settings.ts";
import { disbelieved, judge, type Verdict } from "./match-record.ts";

/** What to ask, and how much of the record the account is given. */
export type Question = Omit<IdentityQuestion, "signal" | "reference"> & { answers: Answers };

/** Whom to ask, in order; `looksUp`: the first is asked what became of the attempts before, and asked anew if nothing did. */
export interface Route {
  upstreams: readonly [IdentityUpstream, ...IdentityUpstream[]];
  looksUp: boolean;
}

interface Parts {
  ledger: Ledger;
  settings: IdentitySettings;
  log: Log;
}

const brokeOff = "The identity upstream broke off with a fault";

/**
 * A question on its way. It goes on to the next upstream of its route only when the one before certainly did no work, or
 * when the operator accepts to pay twice for one that did not answer in time; the ledger names whoever is asked first.
 */
export class Asking {
  /** Of `performance.now()`. */
  readonly since = performance.now();
  /** Never rejects. */
  readonly verdict: Promise<Verdict>;
  /** The verdict, or what a source said after all that was too slow for it. Never rejects. */
  readonly final: Promise<Verdict>;
  /** As the ledger has it, but for what a turn under way changes. */
  row: Row;
  /** The source that was really asked before the one that `row` names; null if none was. */
  askedBefore: string | null;
  readonly #parts: Parts;
  readonly #route: Route;
  readonly #question: IdentityQuestion;
  readonly #answers: Answers;
  readonly #limit = new AbortController();
  /** What sources that were too slow may still say. */
  readonly #later: Promise<Verdict>[] = [];
  #turning: Promise<Row | undefined> | undefined;

  constructor(
    parts: Parts,
    { row, askedBefore }: Pick<Asking, "row" | "askedBefore">,
    route: Route,
    { answers, ...question }: Question,
  ) {
    this.#parts = parts;
    this.row = row;
    this.askedBefore = askedBefore;
    this.#route = route;
    this.#answers = answers;
    this.#question = { ...question, reference: row.reference, signal: this.#limit.signal };
    this.verdict = Promise.resolve().then(() => this.#ask());
    this.final = this.verdict.then((verdict) => this.#finally(verdict));
  }

  /** Whether a source may still say something after the verdict. */
  get isListening(): boolean {
    return this.#later.length > 0;
  }

  /** Asks nobody else, and gives the sources no more time. Resolves when `row` is what the ledger has. */
  async end(): Promise<void> {
    this.#limit.abort();
    await this.#turning;
  }

  async #ask(): Promise<Verdict> {
    const [first, ...others] = this.#route.upstreams;
    let verdict = this.#route.looksUp ? await this.#lookedUpOrVerified(first) : await this.#verified(first);
    for (const next of others) {
      if (!this.#mayTurn(verdict)) break;
      if (next.isReady?.() === false) continue;
      if (!(await this.#turn(next, verdict))) break;
      verdict = withEarlier(verdict, await this.#verified(next));
    }
    return verdict;
  }

  async #finally(verdict: Verdict): Promise<Verdict> {
    if (isCertain(verdict)) return verdict;
    for (const later of this.#later) {
      const said = await later;
      if (isCertain(said) || (verdict.state === "unknown" && this.#later.length === 1)) return said;
    }
    return verdict;
  }

  async #lookedUpOrVerified(upstream: IdentityUpstream): Promise<Verdict> {
    const earlier = await this.#lookedUp(upstream);
    if (earlier) return earlier;
    const noWork: Verdict = { state: "failed", reason: "unavailable" };
    return this.#mayTurn(noWork) && (await this.#turn(upstream, noWork)) ? this.#verified(upstream) : noWork;
  }

  #mayTurn(verdict: Verdict): boolean {
    if (this.#limit.signal.aborted) return false;
    if (verdict.state === "unknown") return this.#parts.settings.payTwice;
    return verdict.state === "failed" && verdict.reason !== "bad_response";
  }

  /** Notes durably who is asked next. False if the row is not this run's any more, or the store does not say. */
  async #turn({ name }: IdentityUpstream, before: Verdict): Promise<boolean> {
    const { ledger, log } = this.#parts;
    const notPut = isNotPut(before);
    const next = { upstream: name, unresolved: before.state === "unknown", notPut };
    this.#turning = ledger.turn(this.row, next).catch((error: unknown) => {
      log.error(
        { reference: this.row.reference, ...kindOf(error) },
        "The store did not take a turn to another upstream",
      );
      return undefined;
    });
    const turned = await this.#turning;
    if (!turned) return false;
    if (!notPut) this.askedBefore = this.row.upstream;
    this.row = turned;
    return true;
  }

  /** What the upstream says became of an earlier attempt; undefined if it did no work for it. */
  async #lookedUp(upstream: IdentityUpstream): Promise<Verdict | undefined> {
    const { bvn: _, phone: __, ...earlier } = this.#question;
    try {
      const verdict = this.#judged(upstream, await upstream.lookUp!(earlier));
      if (verdict.state !== "failed") return verdict;
      return verdict.reason === "bad_response" ? { state: "unknown" } : undefined;
    } catch (error) {
      this.#brokeOff(upstream, error);
      return { state: "unknown" };
    }
  }

  async #verified(upstream: IdentityUpstream): Promise<Verdict> {
    if (this.#limit.signal.aborted) return { state: "failed", reason: "unavailable", notPut: true };
    try {
      const outcome = await upstream.verify(this.#question);
      if (outcome?.kind === "unknown" && outcome.later) this.#later.push(this.#heard(upstream, outcome.later));
      return this.#judged(upstream, outcome);
    } catch (error) {
      this.#brokeOff(upstream, error);
      return disbelieved("strange");
    }
  }

  async #heard(upstream: IdentityUpstream, later: Promise<IdentityOutcome>): Promise<Verdict> {
    try {
      return this.#judged(upstream, await later);
    } catch (error) {
      this.#brokeOff(upstream, error);
      return { state: "unknown" };
    }
  }

  #judged({ name }: IdentityUpstream, outcome: IdentityOutcome): Verdict {
    const { log, settings } = this.#parts;
    const verdict = judge(outcome, this.#question, { phoneMatch: settings.phoneMatch, answers: this.#answers });
    if (verdict.state === "failed" && verdict.reason === "bad_response")
      log.warn({ upstream: name, reference: this.row.reference, why: verdict.why }, "An answer was not believed");
    return verdict;
  }

  #brokeOff({ name }: IdentityUpstream, error: unknown): void {
    this.#parts.log.error({ upstream: name, reference: this.row.reference, ...kindOf(error) }, brokeOff);
  }
}

/** Whether a verdict says what the source knows of the person. */
function isCertain({ state }: Verdict): boolean {
  return state !== "unknown" && state !== "failed";
}

/** The last verdict of a route, but a retry may help if it helps with any of its upstreams. */
function withEarlier(earlier: Verdict, verdict: Verdict): Verdict {
  if (earlier.state !== "failed" || verdict.state !== "failed" || verdict.reason === "bad_response") return verdict;
  return { ...verdict, reason: earlier.reason === "lasting" ? verdict.reason : "unavailable" };
}

/** Whether the last question of a verdict was certainly not put. */
export function isNotPut(verdict: Verdict): boolean {
  return verdict.state === "failed" && verdict.notPut === true;
}

/** What may be logged of a fault: its message may hold what was asked. */
export function kindOf(error: unknown): object {
  return { kind: error instanceof Error ? error.name : typeof error, code: codeOf(error) };
}
