import { Failure } from "../declare/failures.ts";
import { keyEndOf } from "../ledger/identity-settings.ts";
import type { Row } from "../ledger/ledger.ts";
import { type Budget, budgetOf } from "../ledger/spending/budget.ts";
import type { RunStart } from "../ledger/transitions.ts";
import { erased } from "../storage/erase-verifications.ts";
import { RowHeld } from "../storage/errors.ts";
import { decideRoute, startAt } from "./attempts/decide-route.ts";
import type { AttemptInput } from "./attempts/run-attempts.ts";
import type { Flight, InFlight, Stage } from "./in-flight.ts";
import { replay, undeliveredOf, type VerifiedRecord, withReference } from "./replay.ts";
import { isOfRequest, newIntentRow, type VerificationRequest } from "./request.ts";
import type { RunResult, Runs, StartedRun } from "./runs.ts";
import type { VerificationDependencies } from "./verification-dependencies.ts";
import {
  amountMismatch,
  attemptFailure,
  factsOf,
  heldBack,
  inProgress,
  keyReused,
  noFacts,
  type VerificationFacts,
  verificationFailure,
} from "./verification-failures.ts";

/** What one verification needs. */
export type RunParts = VerificationDependencies & { runs: Runs; inFlight: InFlight };

/**
 * One request, from its idempotency key to its response: key, intent, attempt, outcome, response. The intent is durable
 * before the attempt, and the outcome before the response. Its row changes only by the ledger's `transitions`.
 */
export class Verification implements Flight {
  readonly key: string | undefined;
  readonly content: string | undefined;
  readonly answer: Promise<VerifiedRecord>;
  readonly #parts: RunParts;
  readonly #request: VerificationRequest;
  readonly #begun = performance.now();
  #stage: Stage = "checking";
  #start = Promise.withResolvers<void>();
  #row: Row | undefined;

  /** `content` is set if the request has no idempotency key. */
  constructor(parts: RunParts, request: VerificationRequest, key: string | undefined, content: string | undefined) {
    this.#parts = parts;
    this.#request = request;
    this.key = key;
    this.content = content;
    this.answer = this.#run();
  }

  get stage(): Stage {
    return this.#stage;
  }

  get startEnded(): Promise<void> {
    return this.#start.promise;
  }

  get row(): Row | undefined {
    return this.#row;
  }

  /**
   * Each round reads the ledger, then responds from it or starts a run. If the row changes in between, another round
   * begins.
   */
  async #run(): Promise<VerifiedRecord> {
    const { inFlight, runs } = this.#parts;
    const { key } = this;
    for (let round = 1; ; round += 1) {
      const hashes = this.#hashes();
      // Nearly every key is new: insert first, and read the existing row only when the key conflicts.
      const readsKey = key !== undefined && (round > 1 || inFlight.ownerOf(key) !== undefined);
      const row = readsKey ? await this.#findRow(hashes) : undefined;
      if (row) {
        this.#refuseOther(row);
        if (row.state === "started") {
          if (await this.#endAbandoned(row)) continue;
          throw inProgress(row);
        }
        if (row.subject_hash === erased) {
          if (await this.#parts.charges.waiveUnread(row)) continue;
          throw verificationFailure("record_no_longer_held", undefined, factsOf(row));
        }
        if (row.state !== "failed" && row.state !== "unknown") {
          const answer = await replay(this.#parts, row, this.#budget(this.#parts.now()));
          if (answer) return answer;
          continue;
        }
      }
      const owner = readsKey && inFlight.ownerOf(key);
      if (owner) {
        await owner.startEnded;
        continue;
      }
      // If we have not read the key and its intent is not written, the existing row decides, whatever the reason was.
      const isUnread = key !== undefined && !readsKey;
      this.#stage = "starting";
      this.#start = Promise.withResolvers();
      try {
        const started = await (row ? this.#startRetry(row) : this.#startNew(hashes, !isUnread));
        if (started) return await this.#answerTo(await runs.run(started, this.#input(), this.#begun));
      } catch (error) {
        // A row with this key may exist. If it cannot be read, we do not claim that it runs, because the whole table
        // may be locked.
        if (isUnread && error instanceof RowHeld && (await this.#findRow(hashes))) continue;
        if (!(isUnread && error instanceof Failure && this.#stage === "starting")) throw error;
      } finally {
        this.#row = undefined;
        this.#stage = "checking";
        this.#start.resolve();
      }
    }
  }

  #input(): AttemptInput {
    const { kind, number, claims, answers, requestId, traceparent, consentReference } = this.#request;
    return {
      kind,
      number,
      claims,
      answers,
      requestId,
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(consentReference === undefined ? {} : { consentReference }),
    };
  }

  /** The key's hash under each key of the ring, the one to store first; none without an idempotency key. */
  #hashes(): string[] {
    const { accountId, mode, idempotencyKey } = this.#request;
    if (idempotencyKey === undefined) return [];
    return this.#parts.keyedHashes.all("idempotency key", [accountId, mode, idempotencyKey]);
  }

  async #findRow(hashes: readonly string[]): Promise<Row | undefined> {
    const { ledger, retentionTimes } = this.#parts;
    const row = await ledger.byKey(hashes);
    if (!row || keyEndOf(row) > retentionTimes.now() || row.state === "started") return row;
    await ledger.releaseKey(row.reference);
    return undefined;
  }

  /** Throws if the key came with another request, or if its outcome is being written. */
  #refuseOther(row: Row): void {
    const { keyedHashes, deferredOutcomes } = this.#parts;
    if (row.subject_hash !== erased && !isOfRequest(row, this.#request, keyedHashes))
      throw keyReused(row, this.#request, keyedHashes);
    if (deferredOutcomes.has(row.reference)) throw inProgress(row);
  }

  /** Ends a started row that has no worker. False if this process or another still works on it. */
  async #endAbandoned(row: Row): Promise<boolean> {
    const { leases, ledger, abandonedRows, now } = this.#parts;
    return row.owner === leases.ownerId ? abandonedRows.end(row) : ledger.abandon(row, leases, now);
  }

  /**
   * Undefined if the row is not written. `explainsFailure`: the key is known to be new, so if a limit refuses the row,
   * its failure is thrown.
   */
  async #startNew(hashes: readonly string[], explainsFailure: boolean): Promise<StartedRun | undefined> {
    const hash = hashes[0] ?? null;
    const route = decideRoute(this.#parts, this.#request, hash);
    const row = newIntentRow(this.#request, hash, startAt(route, route.stops[0]), this.#parts);
    const isRefused = this.#parts.settings.amountPolicy === "enforce" && row.amount_differs === 1;
    if (isRefused) {
      const uncalled = { attempts: [], owner: null, spends: null, completed_at: row.created_at } as const;
      const refused = { ...row, ...uncalled, state: "refused" } as const;
      if (!(await this.#insert(refused, hashes, explainsFailure))) return undefined;
      throw amountMismatch(refused.fee, factsOf(refused));
    }
    await this.#reserveSlot(row);
    const isWritten = await this.#insert({ ...row, state: "started" }, hashes, explainsFailure);
    return isWritten ? { row, route } : undefined;
  }

  async #insert(
    row: Row & { state: "started" | "refused" },
    hashes: readonly string[],
    explainsFailure: boolean,
  ): Promise<boolean> {
    const { ledger, limits } = this.#parts;
    const budget = row.spends === null ? undefined : this.#budget(row.started_at);
    const conditions = await limits.conditions(row, this.#request);
    if (await this.#heard(row, ledger.insert(row, hashes.slice(1), conditions, budget))) {
      this.#started();
      return true;
    }
    if (!explainsFailure) return false;
    await this.#throwIfTooLittle(row, budget, noFacts);
    const refused = await limits.failureOf(row, this.#request);
    if (refused) throw refused;
    return false;
  }

  #budget(at: number): Budget | undefined {
    return budgetOf(this.#request, at, this.#parts.settings.timeZone);
  }

  /** Throws the failure of an account that cannot pay the fee. */
  async #throwIfTooLittle(row: Row, budget: Budget | undefined, facts: VerificationFacts): Promise<void> {
    const spendingFailure = budget && (await this.#parts.limits.spendingFailure(row, budget));
    if (spendingFailure) throw verificationFailure(spendingFailure.code, spendingFailure.message, facts);
  }

  /**
   * Starts another run of a row that ended without a response. It waits for overdue attempts if there are any.
   * Undefined if the row has changed.
   */
  async #startRetry(row: Row): Promise<StartedRun | undefined> {
    const { runs, ledger, limits, leases, now } = this.#parts;
    await this.#reserveSlot(row);
    const overdue = runs.takeOverdue(row.reference);
    let retried: Row | undefined;
    try {
      const waits = overdue !== undefined;
      const route = decideRoute(this.#parts, this.#request, row.idempotency_hash, row, waits);
      const begins: RunStart = waits ? "wait" : route.lookUpFirst ? "lookUp" : "attempt";
      const { requestId } = this.#request;
      const start = startAt(route, route.stops[0]);
      const next = { ...start, owner: leases.ownerId, begins, at: now(), requestId };
      const again = { ...row, started_at: next.at };
      const conditions = overdue ? undefined : await limits.conditions(again, this.#request);
      const budget = this.#budget(next.at);
      const retry = ledger.retry(row, next, conditions, budget);
      retried = await this.#heard({ ...row, run: row.run + 1 }, retry).catch((error: unknown) => {
        throw error instanceof RowHeld ? inProgress(row) : error;
      });
      if (!retried) {
        await this.#throwIfTooLittle(row, budget, factsOf(row));
        const refused = overdue ? undefined : await limits.failureOf(again, this.#request);
        if (refused) throw refused;
        return undefined;
      }
      this.#started();
      return { row: retried, route, overdue };
    } finally {
      if (overdue && !retried) runs.keepOverdue(overdue);
    }
  }

  /** Awaits the store's reply to a start. Without one, the start may still commit, and then `AbandonedRows` ends it. */
  async #heard<Reply>(row: Row, start: Promise<Reply>): Promise<Reply> {
    try {
      const reply = await start;
      this.#parts.abandonedRows.forget(row);
      return reply;
    } catch (error) {
      this.#parts.abandonedRows.noteUnheard(row);
      throw error;
    }
  }

  async #reserveSlot(row: Row): Promise<void> {
    this.#parts.inFlight.checkLimit(row, this.#request.terms.inFlight);
    this.#row = row;
    await this.#parts.leases.renewIfExpired();
  }

  #started(): void {
    this.#stage = "started";
    this.#start.resolve();
  }

  async #answerTo({ row, result, recorded, wasAttempted, charge }: RunResult): Promise<VerifiedRecord> {
    // Another process that took the row over may have returned the record and charged for it.
    const { account_id, mode, reference } = row;
    const current = () => this.#parts.ledger.byReference(account_id, mode, reference).catch(() => undefined);
    const now = recorded === false ? await current() : undefined;
    const facts = { charged: now?.charged === 1, upstream_called: wasAttempted, request_reference: reference };
    if (!recorded && result.state !== "unknown" && result.state !== "failed") throw heldBack(row, facts);
    if (result.state !== "verified") throw attemptFailure(result, facts, this.#parts.settings, row);
    const hasKey = row.idempotency_hash !== null && charge !== null;
    const undelivered = hasKey ? undeliveredOf(this.#parts, row, charge) : undefined;
    return { record: withReference(row, result.record), replayed: false, undelivered };
  }
}
