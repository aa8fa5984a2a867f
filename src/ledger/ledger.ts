import type { Compilable, Expression, ExpressionBuilder, SqlBool, Transaction, UpdateObject } from "kysely";
import type { CheckKind } from "../declare/check-kind.ts";
import type { Mode } from "../declare/operation.ts";
import { isSqlite } from "../storage/engine.ts";
import { CompiledQueries } from "../storage/queries/compiled-queries.ts";
import { ConnectionShares } from "../storage/queries/connection-shares.ts";
import { withFollowUps } from "../storage/queries/follow-ups.ts";
import type { Input } from "../storage/queries/shared-input.ts";
import { recordKeyOf } from "../storage/record-keys.ts";
import type { Db, Tables, VerificationRow } from "../storage/tables.ts";
import type { PricesByVendor } from "../vendors/vendor-prices.ts";
import {
  type Attempt,
  type AttemptStart,
  closeAttempt,
  isOnlyUnresolved,
  newAttempt,
  openAttempt,
  type RunOutcome,
  storedOutcome,
  withAttempts,
  withOutcome,
} from "./attempts.ts";
import { holdRow } from "./hold-row.ts";
import {
  type Conditions,
  type InsertVariant,
  insertKinds,
  insertStatement,
  unconditional,
} from "./insert-statement.ts";
import { addToJournal, type Journaled, journaledBill, nothing, uncharged } from "./journal/journal-entry.ts";
import { abandonOne, type Leases } from "./leases.ts";
import { type Budget, kindOf } from "./spending/budget.ts";
import { hasEnough, noneIfTooMuch, take } from "./spending/spending.ts";
import {
  type insertableStates,
  notVerified,
  type RunStart,
  type Transition,
  transitions,
  type VerificationState,
} from "./transitions.ts";
import {
  type OutcomeValues,
  type OutcomeVariant,
  outcomeColumns,
  outcomeParts,
  outcomeStatement,
  outcomeValueKinds,
  type Run,
  writeLateAnswer,
} from "./write-outcome.ts";

/** One verification on the ledger, without personal data. Money is in kobo, times are milliseconds since 1970. */
export type Row = Omit<VerificationRow, "state" | "mode" | "kind"> & {
  state: VerificationState;
  mode: Mode;
  kind: CheckKind;
  /** Oldest first. */
  attempts: readonly Attempt[];
  /** For a row that this process started: what the journal already has of it; undefined if nothing. */
  journaled?: Journaled;
};

/**
 * The ledger of verifications. Each change is one guarded statement on one row, so that of two concurrent changes one
 * succeeds; the other gets undefined or false and reads the row again.
 *
 * The store may make a change whose reply is lost, or make it after we gave up. So `run` counts each start of a row,
 * also that of a retry that only waits, and each failover. We write outcomes of runs whose start we heard of or read,
 * under their owner and run:
 *
 * | the row is                  | what may still reach the store | who comes, and what that does                      |
 * | --------------------------- | ------------------------------ | -------------------------------------------------- |
 * | not there                   | its insert                     | `AbandonedRows` fails it once it commits: no call  |
 * | `started`, in flight        | a failover without a reply     | its run ends; `AbandonedRows` fails the new run    |
 * | `started`, without a flight | nothing                        | `AbandonedRows`: failed if its start got no reply, |
 * |                             |                                | else unknown; a peer or the next process: unknown  |
 * | `unknown`, a vendor is late | a retry that waits             | `DeferredOutcomes` frees the row, then writes      |
 * | `started` by a later run    | an outcome of an earlier one   | it matches no row, and only its attempt gets it    |
 * | ended                       | the same outcome again         | it matches no row, and its attempt is closed       |
 */
export class Ledger {
  readonly #db: Db;
  readonly #shares: ConnectionShares;
  readonly #prices: PricesByVendor;
  readonly #queries: CompiledQueries;
  readonly #writeInsert: ReturnType<typeof insertStatement>;

  /** `prices`: for the bills of attempts that end. */
  constructor(db: Db, shares = new ConnectionShares(), prices: PricesByVendor = {}) {
    this.#db = db;
    this.#shares = shares;
    this.#prices = prices;
    this.#queries = new CompiledQueries(db, shares);
    this.#writeInsert = insertStatement(db);
  }

  /**
   * Inserts a row, and its first attempt if it has one, if the conditions hold within the statement. False if they do
   * not, or if its reference or idempotency key exists. The key is compared by the hash that the row stores and by
   * `otherHashes`.
   */
  async insert(
    { attempts: [attempt], journaled: _, ...row }: Row & { state: (typeof insertableStates)[number] },
    otherHashes: readonly string[] = [],
    { values, kinds, variant, hold }: Conditions = unconditional,
    budget?: Budget,
  ): Promise<boolean> {
    const { vendor = null, price = null, why = null } = attempt ?? {};
    const insertVariant: InsertVariant = {
      hasAttempt: attempt !== undefined,
      hasEnded: row.state !== "started",
      spends: budget && kindOf(budget),
      variant,
      hold,
    };
    const inserted = { ...row, vendor, price, why, otherHashes, ...(budget as Budget), ...values };
    const allKinds = { ...insertKinds, ...kinds };
    const isDone = this.#hasKey;
    const made = this.#queries.runBatched(this.#writeInsert, inserted, insertVariant, allKinds, { isDone });
    // The store rejects a batch that a budget does not cover. Then each call runs alone, and those that it covers
    // succeed.
    return budget ? made.catch((error) => noneIfTooMuch(error).length > 0) : made;
  }

  /** A read does not wait for a held row, but an insert next to that row does. */
  readonly #hasKey = async (row: { idempotency_hash: string | null; otherHashes: readonly string[] }) =>
    row.idempotency_hash !== null && (await this.byKey([row.idempotency_hash, ...row.otherHashes])) !== undefined;

  /** Finds a row by the hashes of an idempotency key, which include its account and mode. */
  async byKey(hashes: readonly string[]): Promise<Row | undefined> {
    return (await this.#read((row) => row("idempotency_hash", "in", hashes)))[0];
  }

  async byReference(accountId: string, mode: Mode, reference: string): Promise<Row | undefined> {
    const rows = await this.#read((row) => row.and({ account_id: accountId, mode, reference }));
    return rows[0];
  }

  /** The wrapped key of a row's sealed record; undefined if the key was destroyed. */
  async recordKey({ reference, completed_at }: Pick<Row, "reference" | "completed_at">): Promise<string | undefined> {
    return completed_at === null ? undefined : recordKeyOf(this.#db, reference, completed_at);
  }

  /** The running verifications of one owner. */
  startedBy(owner: string): Promise<Row[]> {
    return this.#read((row) => row.and([row.and({ state: "started", owner }), notVerified]));
  }

  async #read(where: (row: ExpressionBuilder<Tables, "verification">) => Expression<SqlBool>): Promise<Row[]> {
    const rows = await this.#db.selectFrom("verification").selectAll().where(where).execute();
    return (await withAttempts(this.#db, rows)) as Row[];
  }

  /**
   * Starts another run of `row`, which takes its fee again. Undefined if the conditions do not hold or the row has
   * changed.
   */
  async retry(
    row: Row,
    { owner, begins, ...start }: AttemptStart & { owner: string; begins: RunStart },
    { values, variant, hold }: Conditions = unconditional,
    budget?: Budget,
  ): Promise<Row | undefined> {
    // The reason why callers were told "unknown" stays: whoever ends this run tells them.
    // A retry that only waits gets a new run too, so that a pending write of an earlier run cannot end it.
    const run = row.run + 1;
    const attempts = begins === "attempt" ? [newAttempt({ ...row, run }, start)] : [];
    const columns = {
      owner,
      run,
      started_at: start.at,
      reason: row.state === "unknown" ? (row.reason ?? "timed_out") : null,
      completed_at: null,
      spends: budget?.period ?? null,
    };
    const change = this.#transition("retry", "started", row.reference, columns)
      .where("run", "=", row.run)
      .where("state", "=", row.state)
      .where((select) => select.and(hold(values, variant)))
      .$if(budget !== undefined, (query) => query.where(hasEnough({ ...row, ...budget! }, kindOf(budget!))))
      .returningAll();
    const query = withFollowUps(this.#db, change, (changed) => [
      ...attempts.map((attempt) => openAttempt(this.#db, changed, attempt)),
      ...(budget ? [take(this.#db, changed, { ...row, ...budget }, kindOf(budget))] : []),
    ]);
    const [retried] = await this.#run(row, query).catch(noneIfTooMuch);
    const journaled = { toldUnknown: row.state === "unknown", attempts: row.run };
    return retried && ({ ...retried, attempts: [...row.attempts, ...attempts], journaled } as Row);
  }

  /**
   * Writes the outcome of the run's attempt and the intent of one at another vendor. Undefined if this run lost its
   * row.
   */
  async failOver(row: Row, ended: RunOutcome, next: AttemptStart): Promise<Row | undefined> {
    const { reference, owner, journaled = nothing } = row;
    const isKnown = ended.attempt !== null && ended.attempt <= journaled.attempts;
    const before = storedOutcome(row.attempts, ended, isKnown, this.#prices);
    const run = row.run + 1;
    const attempt = newAttempt({ ...row, run }, next);
    const { state, reason, at } = before;
    const why = { state, reason, at, attempt: before.attempt, ...journaledBill(before) };
    const entry = { reference, run: row.run, what: "failover", ...why, ...uncharged } as const;
    const change = this.#transition("failOver", "started", reference, { run })
      .where("owner", "=", owner)
      .where("run", "=", row.run)
      .returningAll();
    const query = withFollowUps(this.#db, change, (changed) => [
      ...(before.attempt === null || before.notSent ? [] : [addToJournal(this.#db, changed, entry, isKnown)]),
      closeAttempt(this.#db, changed, { reference, ...before }, before),
      openAttempt(this.#db, changed, attempt),
    ]);
    const [moved] = await (isKnown ? this.#runHeld(row, query) : this.#run(row, query));
    const attempts = [...withOutcome(row.attempts, before), attempt];
    return moved && ({ ...moved, attempts, journaled: { ...journaled, attempts: row.run } } as Row);
  }

  /**
   * Ends a run. Unless it charges, it gives back the fee that it may have taken. `until`: its `Patience`. False if it
   * lost its row.
   */
  async complete(
    run: Run,
    outcome: RunOutcome,
    { mayHaveTaken = run.spends !== null, until = 0 } = {},
  ): Promise<boolean> {
    const { values, variant: written } = outcomeParts(run, outcome, this.#prices);
    const variant = { ...written, givesBack: mayHaveTaken && values.charged === 0 };
    if (variant.isKnown) return (await this.#runHeld(run, this.#writeCompletion(values, variant))).length > 0;
    if (!variant.givesBack && !variant.notSent)
      return this.#queries.runBatched(this.#writeCompletion, values, variant, outcomeValueKinds, { until });
    const complete = () => this.#queries.run(this.#writeCompletion, values, variant, { until, waitsForRows: true });
    return (await this.#shares.run(run.account_id, complete)).length > 0;
  }

  readonly #writeCompletion = (
    values: OutcomeValues,
    variant: OutcomeVariant & { givesBack: boolean },
    input?: Input,
  ) => {
    const update = this.#transition("complete", variant.ends, values.reference, outcomeColumns(values))
      .where("owner", "=", values.owner)
      .where("run", "=", values.run)
      .$if(input !== undefined, (query) => query.from("input" as "verification"));
    return outcomeStatement(this.#db, update, values, variant, input);
  };

  /** Writes an outcome that arrived after its run ended. It is not charged, because no caller got the record. */
  async resolve(run: Run, outcome: RunOutcome): Promise<boolean> {
    if (outcome.state === "unknown") return false;
    const by = outcome.state === "failed" || outcome.interrupted ? "resolveToFailed" : "resolve";
    for (const from of transitions[by].from) if (await this.#resolveFrom(from, run, outcome)) return true;
    return false;
  }

  /** One statement per state, because callers were told of an unknown outcome or of a failure. */
  async #resolveFrom(from: "unknown" | "failed", run: Run, late: RunOutcome): Promise<boolean> {
    const { reference, owner } = run;
    const outcome = { ...late, charge: null };
    const known = { ...run, journaled: { toldUnknown: from === "unknown", attempts: Number.POSITIVE_INFINITY } };
    const { values, variant } = outcomeParts(known, outcome, this.#prices);
    const columns = outcomeColumns(values);
    const update =
      outcome.state === "failed" || outcome.interrupted
        ? this.#transition(variant.ends === "failed" ? "resolveToFailed" : "resolve", variant.ends, reference, columns)
            .where("owner", "=", owner)
            .where(isOnlyUnresolved(reference, outcome.attempt))
        : this.#transition("resolve", outcome.state, reference, columns);
    const written = { ...variant, isOfAnyRun: true };
    const query = outcomeStatement(this.#db, update.where("state", "=", from), values, written);
    return (await this.#runHeld(run, query)).length > 0;
  }

  /** Writes a vendor's late response to an attempt whose verification has another outcome. */
  async endAttempt(run: Run, answer: RunOutcome): Promise<void> {
    await this.#db.transaction().execute((trx) => writeLateAnswer(trx, run, answer, this.#prices));
  }

  async #run<Result>({ account_id }: Pick<Row, "account_id">, query: Compilable<Result>): Promise<Result[]> {
    return (await this.#shares.run(account_id, () => this.#db.executeQuery(query.compile()))).rows;
  }

  /**
   * As `#run`, for a statement about an attempt that the journal has: on PostgreSQL it would count from what it saw
   * before it waited for another transaction that ends the same attempt.
   */
  async #runHeld<Result>(
    { account_id, reference }: Pick<Row, "account_id" | "reference">,
    query: Compilable<Result>,
  ): Promise<Result[]> {
    if (isSqlite(this.#db)) return this.#run({ account_id }, query);
    const run = (trx: Transaction<Tables>) => holdRow(trx, reference).then(() => trx.executeQuery(query.compile()));
    return (await this.#shares.run(account_id, () => this.#db.transaction().execute(run))).rows;
  }

  /** Makes one started row `unknown` if its owner's lease expired. False if not. */
  abandon(row: Row, leases: Pick<Leases, "isOwnerGone">, now: () => number): Promise<boolean> {
    return abandonOne(this.#db, row, leases, now);
  }

  /** Frees an idempotency key that is past its lifetime, unless a retry runs under it. */
  async releaseKey(reference: string): Promise<void> {
    await this.#db
      .updateTable("verification")
      .set({ idempotency_hash: null, body_hash: null })
      .where("reference", "=", reference)
      .where("state", "<>", "started")
      .execute();
  }

  #transition(by: Transition, to: VerificationState, reference: string, columns: UpdateObject<Tables, "verification">) {
    const { from, to: allowed }: { from: readonly VerificationState[]; to: readonly VerificationState[] } =
      transitions[by];
    if (!allowed.includes(to)) throw new Error(`No verification goes to ${to} by ${by}`);
    return this.#db
      .updateTable("verification")
      .set({ ...columns, state: to })
      .where("reference", "=", reference)
      .where("state", "in", from);
  }
}
