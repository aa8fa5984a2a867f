import { Failure } from "../declare/failures.ts";
import { isNotSent, unsentOutcome } from "../ledger/attempts.ts";
import type { Row } from "../ledger/ledger.ts";
import { type Budget, budgetOf } from "../ledger/spending/budget.ts";
import type { RunStart } from "../ledger/transitions.ts";
import { withTimeout } from "../runtime/timeout.ts";
import { RowHeld } from "../storage/errors.ts";
import { AskedVendors, type Learned } from "./attempts/asked-vendors.ts";
import { Route } from "./attempts/whom-to-ask.ts";
import type { Flight, InFlight, Stage } from "./in-flight.ts";
import { type RecordedOutcome, recordLateOutcome, recordOutcome } from "./record-outcome.ts";
import { answerOfEarlier, earlierRow } from "./replay.ts";
import {
  keyHashes,
  newIntentRow,
  undeliveredOf,
  type VerificationRequest,
  type VerifiedRecord,
  withReference,
} from "./request.ts";
import type { VerificationDependencies } from "./verification-dependencies.ts";
import {
  amountMismatch,
  attemptFailure,
  factsOf,
  heldBack,
  inProgress,
  noFacts,
  type VerificationFacts,
  verificationFailure,
} from "./verification-failures.ts";

/** The resources of one verification. */
export type VerificationParts = VerificationDependencies & { inFlight: InFlight };

/** A run of a row, durable as `started`. */
interface StartedRun {
  row: Row;
  route: Route;
  /** Vendors that an earlier run asked and that may still respond. The run waits for these vendors and asks none. */
  overdue?: AskedVendors | undefined;
}

/** Milliseconds reserved for the response itself, after its outcome is written or the write is given up. */
const answering = 50;

/**
 * One request, from its idempotency key to its response: key, intent, vendors, outcome, response. The intent is durable
 * before a vendor is asked, and a record or "no match" before it is the response. The state of the request's row
 * changes only by the ledger's `transitions`. A caller that disconnects changes nothing.
 */
export class Verification implements Flight {
  readonly key: string | undefined;
  readonly content: string | undefined;
  readonly answer: Promise<VerifiedRecord>;
  stage: Stage = "checking";
  row: Row | undefined;
  vendors: AskedVendors | undefined;
  readonly #parts: VerificationParts;
  readonly #request: VerificationRequest;
  readonly #begun = performance.now();
  #start = Promise.withResolvers<void>();

  /** `content` is set if the request has no idempotency key. */
  constructor(
    parts: VerificationParts,
    request: VerificationRequest,
    key: string | undefined,
    content: string | undefined,
  ) {
    this.#parts = parts;
    this.#request = request;
    this.key = key;
    this.content = content;
    this.answer = this.#run();
  }

  get startEnded(): Promise<void> {
    return this.#start.promise;
  }

  /** Each round responds from the key's row, or starts a run. If the row changes in between, another round begins. */
  async #run(): Promise<VerifiedRecord> {
    const { inFlight } = this.#parts;
    const { key } = this;
    for (let round = 1; ; round += 1) {
      // While this process was frozen, other processes may have begun to use a new key for hashes.
      if (!this.#parts.leases.isValid()) await this.#parts.leases.renewIfExpired();
      const hashes = keyHashes(this.#request, this.#parts);
      // Nearly every key is new: insert first, and read the existing row only when the key conflicts.
      const readsKey = key !== undefined && (round > 1 || inFlight.ownerOf(key) !== undefined);
      const earlier = readsKey ? await earlierRow(this.#parts, hashes) : undefined;
      if (earlier) {
        const answer = await answerOfEarlier(this.#parts, this.#request, earlier);
        if (answer === "changed") continue;
        if (answer !== "none") return answer;
      }
      const owner = readsKey && inFlight.ownerOf(key);
      if (owner) {
        await owner.startEnded;
        continue;
      }
      // If we have not read the key and the intent is not written, an existing row with the key decides, whatever the
      // reason was.
      const isUnread = key !== undefined && !readsKey;
      this.stage = "starting";
      this.#start = Promise.withResolvers();
      try {
        const started = await (earlier ? this.#startRetry(earlier) : this.#startNew(hashes, !isUnread));
        if (started) return await this.#ask(started);
      } catch (error) {
        // A row with this key may exist. If the row cannot be read, the response does not claim that it runs, because
        // the whole table may be locked.
        if (isUnread && error instanceof RowHeld && (await earlierRow(this.#parts, hashes))) continue;
        if (!(isUnread && error instanceof Failure && this.stage === "starting")) throw error;
      } finally {
        this.row = undefined;
        this.vendors = undefined;
        this.stage = "checking";
        this.#start.resolve();
      }
    }
  }

  /**
   * Undefined if the row is not written. `explainsFailure`: the key is known to be new, so if a limit or the budget
   * refuses the row, its `Failure` is thrown.
   */
  async #startNew(hashes: readonly string[], explainsFailure: boolean): Promise<StartedRun | undefined> {
    const hash = hashes[0] ?? null;
    const route = new Route(this.#parts, this.#request, hash);
    const row = newIntentRow(this.#request, hash, route.first.start, this.#parts);
    if (this.#parts.settings.amountPolicy === "enforce" && row.amount_differs === 1) {
      const uncalled = { attempts: [], owner: null, spends: null, completed_at: row.created_at } as const;
      const refused = { ...row, ...uncalled, state: "refused" } as const;
      if (!(await this.#insert(refused, hashes, explainsFailure))) return undefined;
      throw amountMismatch(refused.fee, factsOf(refused));
    }
    this.#reserveSlot(row);
    return (await this.#insert(row, hashes, explainsFailure)) ? { row, route } : undefined;
  }

  async #insert(
    row: Row & { state: "started" | "refused" },
    hashes: readonly string[],
    explainsFailure: boolean,
  ): Promise<boolean> {
    const { ledger, limits } = this.#parts;
    const budget = row.spends === null ? undefined : this.#budget(row.started_at);
    const within = await limits.of(row, this.#request);
    if (await this.#heard(row, ledger.insert(row, hashes.slice(1), within, budget))) return true;
    if (!explainsFailure) return false;
    await this.#throwIfTooLittle(row, budget, noFacts);
    const refused = await limits.failureOf(row, this.#request);
    if (refused) throw refused;
    return false;
  }

  #budget(at: number): Budget | undefined {
    return budgetOf(this.#request, at, this.#parts.settings.timeZone);
  }

  /** Throws a `Failure` if the account cannot pay the fee. */
  async #throwIfTooLittle(row: Row, budget: Budget | undefined, facts: VerificationFacts): Promise<void> {
    const spendingFailure = budget && (await this.#parts.limits.spendingFailure(row, budget));
    if (spendingFailure) throw verificationFailure(spendingFailure.code, spendingFailure.message, facts);
  }

  /**
   * Starts another run of a row that is `failed` or `unknown`. The run waits for overdue vendors if there are any.
   * Undefined if the row has changed.
   */
  async #startRetry(row: Row): Promise<StartedRun | undefined> {
    const { abandonedRows, inFlight, ledger, limits, leases, now, settings } = this.#parts;
    this.#reserveSlot(row);
    const overdue = inFlight.takeOverdue(row.reference, settings.timeLimit);
    let retried: Row | undefined;
    try {
      const waits = overdue !== undefined;
      const route = new Route(this.#parts, this.#request, row.idempotency_hash, row, waits);
      const begins: RunStart = waits ? "wait" : route.lookUpFirst ? "lookUp" : "attempt";
      const { requestId } = this.#request;
      const next = { ...route.first.start, owner: leases.ownerId, begins, at: now(), requestId };
      const again = { ...row, started_at: next.at };
      const within = overdue ? undefined : await limits.of(again, this.#request);
      const budget = this.#budget(next.at);
      const retry = ledger.retry(row, next, within, budget);
      retried = await this.#heard({ ...row, run: row.run + 1 }, retry).catch((error: unknown) => {
        throw error instanceof RowHeld ? inProgress(row) : error;
      });
      if (!retried) {
        await this.#throwIfTooLittle(row, budget, factsOf(row));
        const refused = overdue ? undefined : await limits.failureOf(again, this.#request);
        if (refused) throw refused;
        return undefined;
      }
      abandonedRows.forget(retried);
      return { row: retried, route, overdue };
    } finally {
      if (overdue && !retried) this.#keepOverdue(overdue);
    }
  }

  /** Awaits the store's reply to a start. Without one, the start may still commit, and then `AbandonedRows` ends it. */
  async #heard<Reply>(row: Row, start: Promise<Reply>): Promise<Reply> {
    try {
      const reply = await start;
      if (reply) {
        this.stage = "started";
        this.#start.resolve();
      }
      return reply;
    } catch (error) {
      this.#parts.abandonedRows.noteUnheard(row);
      throw error;
    }
  }

  /** Throws if the account's limit of concurrent verifications is reached. */
  #reserveSlot(row: Row): void {
    this.#parts.inFlight.checkLimit(row, this.#request.terms.inFlight);
    this.row = row;
  }

  /**
   * Asks the vendors, or waits for those of an earlier run, and writes the outcome. If they are too slow, the caller
   * gets a response without a record.
   */
  async #ask({ row, route, overdue }: StartedRun): Promise<VerifiedRecord> {
    const { settings, leases, now } = this.#parts;
    const { timeLimit } = settings;
    const until = this.#begun + timeLimit - answering;
    const forWriting = Math.min(1000, timeLimit / 10);
    const remaining = timeLimit - forWriting - (performance.now() - this.#begun);
    if (!overdue && (remaining <= 0 || !leases.isValid())) {
      const unsent = unsentOutcome(route.lookUpFirst ? null : row.run, now());
      return this.#answer(row, await recordOutcome(this.#parts, row, unsent, until));
    }
    const vendors = overdue ?? new AskedVendors(this.#parts, row, route, this.#request);
    vendors.row = row;
    this.vendors = vendors;
    const result = await withTimeout(overdue ? vendors.final : vendors.result, remaining);
    if (!result) await vendors.end();
    const written = vendors.row;
    const recorded = await recordOutcome(this.#parts, written, result ?? vendors.unanswered, until);
    if (!result) this.#keepOverdue(vendors);
    else if (!overdue && vendors.isListening) this.#listen(vendors, result);
    return this.#answer(written, recorded);
  }

  /** Handles a vendor that was too slow but may still respond after Duba's response. */
  #listen(vendors: AskedVendors, result: Learned): void {
    if (result.state === "unknown") this.#keepOverdue(vendors);
    // A later vendor failed, so a retry asks again.
    else if (result.state === "failed")
      void vendors.final.then((late) => late.state !== "failed" && recordLateOutcome(this.#parts, vendors.row, late));
  }

  /** Writes the outcome of vendors when they respond, unless a retry takes them first. */
  #keepOverdue(vendors: AskedVendors): void {
    this.#parts.inFlight.keepOverdue(vendors, (late) => recordLateOutcome(this.#parts, vendors.row, late));
  }

  /** Returns the record, or throws the failure, of an outcome that was written, or could not be. */
  async #answer(row: Row, { outcome, result, isRecorded }: RecordedOutcome): Promise<VerifiedRecord> {
    const { ledger, settings } = this.#parts;
    const { account_id, mode, reference } = row;
    // Another process that took the row over may have returned the record and charged for it.
    const current = () => ledger.byReference(account_id, mode, reference).catch(() => undefined);
    const now = isRecorded === false ? await current() : undefined;
    const wasAttempted = row.attempts.length > (isNotSent(outcome) ? 1 : 0);
    const facts = { charged: now?.charged === 1, upstream_called: wasAttempted, request_reference: reference };
    if (!isRecorded && result.state !== "unknown" && result.state !== "failed") throw heldBack(row, facts);
    if (result.state !== "verified") throw attemptFailure(result, facts, settings, row);
    const { charge = null } = outcome;
    const hasKey = row.idempotency_hash !== null && charge !== null;
    const undelivered = hasKey ? undeliveredOf(this.#parts, row, charge) : undefined;
    return { record: withReference(row, result.record), replayed: false, undelivered };
  }
}
