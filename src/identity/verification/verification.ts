import type { KeyedHashes } from "../../keyring/keyed-hash.ts";
import type { CurrentKeyring } from "../../keyring/keyring.ts";
import { Failure } from "../../operation/failures.ts";
import type { Log } from "../../runtime/log.ts";
import type { IdentityUpstream } from "../../upstreams/ports/identity-upstream.ts";
import { limitedSubject } from "../../upstreams/sandbox/index.ts";
import { checks } from "../checks/index.ts";
import { erased, notCalledOutcome } from "../ledger/attempt-outcome.ts";
import type { Charges } from "../ledger/charges.ts";
import type { Leases } from "../ledger/leases.ts";
import type { Ledger, Row, RunStart } from "../ledger/ledger.ts";
import { type IdentitySettings, keyLifetime } from "../settings.ts";
import type { AttemptOptions, Attempts } from "./attempts.ts";
import type { DeferredOutcomes } from "./deferred-outcomes.ts";
import {
  amountMismatch,
  attemptsUsedUp,
  factsOf,
  failureOf,
  inProgress,
  noFacts,
  refusal,
  type VerificationFacts,
} from "./failures.ts";
import { InFlightLimit } from "./in-flight-limit.ts";
import type { VerificationLimits } from "./limits.ts";
import { AnswerReplay, recordOf, type VerifiedRecord } from "./replay.ts";
import { newIntentRow, requestContent, type VerificationRequest } from "./request.ts";
import { selectUpstreams, upstreamsForRetry } from "./select-upstreams.ts";
import type { SelectedUpstreams } from "./upstream-call.ts";

/** Test keys reach `test` only and live keys `live` only, in the operator's order; empty: no live source is set up. */
export interface Upstreams {
  test: IdentityUpstream;
  live: readonly IdentityUpstream[];
}

export interface VerificationParts {
  ledger: Ledger;
  charges: Charges;
  attempts: Attempts;
  deferred: DeferredOutcomes;
  limits: VerificationLimits;
  leases: Leases;
  keyedHashes: KeyedHashes;
  keyring: CurrentKeyring;
  upstreams: Upstreams;
  settings: IdentitySettings;
  log: Log;
  now: () => number;
  /** The time that retention goes by. */
  retentionNow: () => number;
}

/** Thrown inside only: the key is not what it was taken for, so look it up. */
const beaten = Symbol("beaten");

/** How an idempotency key is bound to a row. */
interface Binding {
  /** Of the key, under each key of the ring, the one to store first; none without an idempotency key. */
  hashes: readonly string[];
  /** False while the key is only taken for new. */
  isLookedUp: boolean;
  /** Called as soon as the row is made. */
  bind: () => void;
}

/**
 * The way of every verification: idempotency key, amount, limits, intent row, upstream, outcome row, answer. Intent and
 * outcome are durable before the next step.
 */
export class Verifications {
  readonly #parts: VerificationParts;
  readonly #replays: AnswerReplay;
  readonly #gate: InFlightLimit | undefined;
  /** Keyless requests under way, by their content. */
  readonly #flights = new Map<string, Promise<VerifiedRecord>>();
  /** Keyed requests under way, by the hash of the key; each resolves when its row is bound, or is not to be. */
  readonly #claims = new Map<string, Promise<void>>();
  /** References of the rows that this process works on. */
  readonly #running = new Set<string>();
  readonly #underWay = new Set<Promise<unknown>>();
  #stopping = false;

  constructor(parts: VerificationParts) {
    this.#parts = parts;
    this.#replays = new AnswerReplay(parts);
    if (parts.settings.limits) this.#gate = new InFlightLimit(parts.settings.limits.inFlight);
  }

  /** Gives the record or throws a `Failure`. What was begun is finished even if nobody waits for it. */
  verify(request: VerificationRequest): Promise<VerifiedRecord> {
    const given = this.#verify(request).then((given) => narrowed(given, request));
    this.#underWay.add(given);
    const over = () => this.#underWay.delete(given);
    given.then(over, over);
    return given;
  }

  /**
   * Ends the rows of this process that nobody works on: the store took them although it said nothing in time, and no source
   * was asked on their behalf.
   */
  async failOrphanedRows(): Promise<void> {
    const { ledger, deferred, leases } = this.#parts;
    for (const row of await ledger.startedBy(leases.ownerId))
      if (!this.#running.has(row.reference) && !deferred.has(row.reference)) await this.#failOrphan(row);
  }

  /** Refuses new work; resolves when all that was begun is answered. */
  async stop(): Promise<void> {
    this.#stopping = true;
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  async #verify(request: VerificationRequest): Promise<VerifiedRecord> {
    const begun = performance.now();
    if (this.#stopping) throw new Failure("shutting_down");
    if (request.mode === "test" && request.number === limitedSubject) throw subjectLimited(3600);
    if (request.idempotencyKey !== undefined) return this.#keyed(request, request.idempotencyKey, begun);

    const content = this.#parts.keyedHashes.lasting("body", requestContent(request));
    const flight = this.#flights.get(content);
    if (flight) return flight;
    const given = this.#keyless(request, begun).finally(() => this.#flights.delete(content));
    this.#flights.set(content, given);
    return given;
  }

  async #keyless(request: VerificationRequest, begun: number): Promise<VerifiedRecord> {
    for (;;) {
      try {
        return await this.#fresh(request, { hashes: [], isLookedUp: true, bind: () => {} }, begun);
      } catch (error) {
        if (error !== beaten) throw error;
      }
    }
  }

  async #keyed(request: VerificationRequest, key: string, begun: number): Promise<VerifiedRecord> {
    const whose = [request.accountId, request.mode, key];
    const claim = this.#parts.keyedHashes.lasting("idempotency key", whose);
    // Nearly every key is new, which its insert finds out by itself.
    for (let isLookedUp = this.#claims.has(claim); ; isLookedUp = true) {
      const hashes = this.#parts.keyedHashes.all("idempotency key", whose);
      try {
        return await (isLookedUp
          ? this.#lookedUp(request, claim, hashes, begun)
          : this.#unseen(request, claim, hashes, begun));
      } catch (error) {
        if (error !== beaten) throw error;
      }
    }
  }

  /** Takes the key for new. Throws `beaten` if it is not, or if a key that is may not be bound. */
  async #unseen(request: VerificationRequest, claim: string, hashes: string[], begun: number): Promise<VerifiedRecord> {
    let isBound = false;
    const fresh = (free: () => void) => {
      const bind = () => {
        isBound = true;
        free();
      };
      return this.#fresh(request, { hashes, isLookedUp: false, bind }, begun);
    };
    try {
      return await this.#claimed(claim, fresh);
    } catch (error) {
      throw error instanceof Failure && !isBound ? beaten : error;
    }
  }

  /** Goes by what the ledger has of the key. Throws `beaten` if that has just changed. */
  async #lookedUp(
    request: VerificationRequest,
    claim: string,
    hashes: string[],
    begun: number,
  ): Promise<VerifiedRecord> {
    const row = await this.#rowOf(hashes);
    const answer = row && (await this.#answerOf(row, request));
    if (answer) return answer;
    const claimed = this.#claims.get(claim);
    if (claimed) {
      await claimed;
      throw beaten;
    }
    return this.#claimed(claim, (bind) =>
      row ? this.#resumed(request, row, bind, begun) : this.#fresh(request, { hashes, isLookedUp: true, bind }, begun),
    );
  }

  /** What the key of a row is answered; undefined if its verification ended without an answer. */
  async #answerOf(row: Row, request: VerificationRequest): Promise<VerifiedRecord | undefined> {
    const { keyedHashes, deferred } = this.#parts;
    const isErased = row.subject_hash === erased;
    if (!isErased && !(row.body_hash && keyedHashes.matches(row.body_hash, "body", requestContent(request))))
      throw refusal("idempotency_key_reused", undefined, factsOf(row));
    if (deferred.has(row.reference)) throw inProgress(row);
    if (row.state === "started") throw (await this.#isTakenFromOwner(row)) ? beaten : inProgress(row);
    if (isErased) throw refusal("record_no_longer_held", undefined, factsOf(row));
    if (row.state === "failed" || row.state === "unknown") return undefined;
    const given = await this.#replays.again(row);
    if (!given) throw beaten;
    return given;
  }

  async #rowOf(hashes: readonly string[]): Promise<Row | undefined> {
    const { ledger, retentionNow } = this.#parts;
    const row = await ledger.byKey(hashes);
    if (!row || row.created_at > retentionNow() - keyLifetime || row.state === "started") return row;
    await ledger.releaseKey(row.reference);
    return undefined;
  }

  /** Whether nobody works on the row, so that it is now ended. */
  async #isTakenFromOwner(row: Row): Promise<boolean> {
    const { leases, ledger } = this.#parts;
    const { owner, reference } = row;
    if (owner !== leases.ownerId) return (await ledger.abandonAll({ isOwnerGone: leases.isOwnerGone, reference })) > 0;
    if (this.#running.has(reference)) return false;
    await this.#failOrphan(row);
    return true;
  }

  async #failOrphan(row: Row): Promise<void> {
    const { ledger, now } = this.#parts;
    await ledger.complete(row, notCalledOutcome("call", row.attempts > 1 ? row.upstream : null, now()));
  }

  async #claimed(hash: string, work: (bind: () => void) => Promise<VerifiedRecord>): Promise<VerifiedRecord> {
    const { promise: bound, resolve: bind } = Promise.withResolvers<void>();
    this.#claims.set(hash, bound);
    try {
      return await work(bind);
    } finally {
      this.#claims.delete(hash);
      bind();
    }
  }

  /** A first attempt. Throws `beaten` if the key is bound already; or, before it was looked up, if there may be no row. */
  async #fresh(request: VerificationRequest, binding: Binding, begun: number): Promise<VerifiedRecord> {
    const selected = this.#selectUpstreams(request);
    const row = newIntentRow(request, binding.hashes[0] ?? null, selected.upstreams[0].name, this.#parts);
    if (this.#parts.settings.amountPolicy === "enforce" && row.amount_differs)
      return this.#refused(row, request.number, binding);
    return this.#inFlight(row, async () => {
      await this.#begin({ ...row, state: "started" }, request.number, binding);
      return this.#attempted(request, row, selected, { begun, askedBefore: null });
    });
  }

  async #begin(row: Row & { state: "started" | "refused" }, number: string, binding: Binding): Promise<void> {
    const { ledger, limits } = this.#parts;
    const { hashes, isLookedUp, bind } = binding;
    if (!(await ledger.insert(row, hashes.slice(1), limits.conditions(row, number))))
      throw (isLookedUp ? await limits.refusal(row, number) : undefined) ?? beaten;
    bind();
  }

  /** A further attempt of a verification that ended without an answer. */
  async #resumed(request: VerificationRequest, row: Row, bind: () => void, begun: number): Promise<VerifiedRecord> {
    const { attempts, ledger, deferred, limits, leases, now } = this.#parts;
    const { upstream: askedBefore } = row;
    return this.#inFlight(row, async () => {
      const left = attempts.takeOverdueCall(row.reference);
      let selected: SelectedUpstreams;
      try {
        selected = left ? this.#selectUpstreams(row, row) : this.#upstreamsForRetry(row);
        const begins: RunStart = left ? "wait" : selected.lookUpFirst ? "lookUp" : "call";
        const upstream = left ? left.row.upstream : selected.upstreams[0].name;
        const next = { owner: leases.ownerId, upstream, begins, at: now() };
        const again = { ...row, started_at: next.at };
        const conditions = left ? undefined : limits.conditions(again, request.number);
        const resumed = await ledger.retry(row, next, conditions).catch((error: unknown) => {
          // It may have been resumed for all that: then nothing was asked on its behalf.
          if (!left)
            deferred.add(
              { ...row, owner: next.owner, run: row.run + 1 },
              notCalledOutcome(begins, askedBefore, next.at),
            );
          throw error;
        });
        if (!resumed) throw (left ? undefined : await limits.refusal(again, request.number)) ?? beaten;
        bind();
        row = resumed;
      } catch (error) {
        if (left) attempts.keepOverdueCall(left);
        throw error;
      }
      return this.#attempted(request, row, selected, { begun, askedBefore, left });
    });
  }

  /** Whom a further run may ask. Throws if the row's attempts are used up. */
  #upstreamsForRetry(row: Row): SelectedUpstreams {
    const selected = upstreamsForRetry(this.#selectUpstreams(row, row), row);
    if (!selected) throw attemptsUsedUp(row);
    return selected;
  }

  async #inFlight(row: Row, work: () => Promise<VerifiedRecord>): Promise<VerifiedRecord> {
    const leave = this.#gate?.enter(`${row.account_id} ${row.mode}`);
    this.#running.add(row.reference);
    try {
      await this.#parts.leases.renewIfExpired();
      return await work();
    } finally {
      this.#running.delete(row.reference);
      leave?.();
    }
  }

  async #attempted(
    { kind, number, phone, answers, traceparent }: VerificationRequest,
    started: Row,
    selected: SelectedUpstreams,
    manner: AttemptOptions,
  ): Promise<VerifiedRecord> {
    const question = { kind, number, phone, answers, ...(traceparent === undefined ? {} : { traceparent }) };
    const { row, result, recorded, upstreamCalled } = await this.#parts.attempts.run(
      started,
      selected,
      question,
      manner,
    );
    // Whoever took the verification over may have given its record.
    const now = recorded === false ? await this.#nowOf(row) : undefined;
    const facts: VerificationFacts = {
      charged: now?.charged === 1,
      upstream_called: upstreamCalled,
      request_reference: row.reference,
    };
    if (!recorded && result.state !== "unknown" && result.state !== "failed")
      throw refusal(
        "internal_error",
        "The outcome could not be recorded yet and is held back. Retry with the same Idempotency-Key.",
        facts,
        { retryAfter: 2 },
      );
    if (result.state !== "verified") throw failureOf(result, facts, this.#parts.settings, row.kind);
    return { record: recordOf(row, result.record), replayed: false };
  }

  /** The row as it is now; undefined if the store does not say. */
  async #nowOf({ account_id, mode, reference }: Row): Promise<Row | undefined> {
    return this.#parts.ledger.byReference(account_id, mode, reference).catch(() => undefined);
  }

  /** Writes down a verification that is refused before anybody is asked. */
  async #refused(intent: Row, number: string, binding: Binding): Promise<never> {
    const state = "refused" as const;
    const asked = { upstream: null, attempts: 0, owner: null };
    const row = { ...intent, ...asked, state, audit_due: 1 as const, completed_at: intent.created_at };
    await this.#begin(row, number, binding);
    throw amountMismatch(row.fee, factsOf(row));
  }

  #selectUpstreams({ mode, kind }: Pick<Row, "mode" | "kind">, row?: Row): SelectedUpstreams {
    const { upstreams, settings } = this.#parts;
    const selected = selectUpstreams(mode === "test" ? [upstreams.test] : upstreams.live, kind, settings, row);
    if (!selected) throw refusal("upstream_not_configured", undefined, noFacts);
    return selected;
  }
}

/** What the account may see now: its setting may have changed since the record was sealed. */
function narrowed(given: VerifiedRecord, { kind, answers }: VerificationRequest): VerifiedRecord {
  if (answers === "full") return given;
  const { request_reference, ...record } = given.record;
  return { ...given, record: { request_reference, ...checks[kind].mask(record) } };
}

function subjectLimited(retryAfter: number): Failure {
  return new Failure("subject_rate_limited", undefined, { retryAfter });
}
