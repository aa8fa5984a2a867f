import { type Compilable, type Expression, type ExpressionBuilder, type SqlBool, sql, type Transaction } from "kysely";
import type { CheckKind } from "../declare/check-kind.ts";
import type { Mode } from "../declare/operation.ts";
import { isSqlite } from "../storage/engine.ts";
import { CompiledQueries } from "../storage/queries/compiled-queries.ts";
import { ConnectionShares } from "../storage/queries/connection-shares.ts";
import { recordKeyOf } from "../storage/record-keys.ts";
import type { Db, Tables, VerificationRow } from "../storage/tables.ts";
import type { PricesByVendor } from "../vendors/vendor-prices.ts";
import {
  type Attempt,
  type AttemptStart,
  type Journaled,
  lateEnd,
  newAttempt,
  nothing,
  type Run,
  type RunOutcome,
  runEnd,
  storedOutcome,
  withAttempts,
  withOutcome,
} from "./attempts.ts";
import { holdRow } from "./hold-row.ts";
import type { Leases } from "./leases.ts";
import type { Budget } from "./spending/budget.ts";
import { noneIfTooMuch } from "./spending/spending.ts";
import { abandonOne } from "./statements/abandon-rows.ts";
import { endAttempt } from "./statements/end-attempt.ts";
import { endedRun, endKinds, endRun } from "./statements/end-run.ts";
import { failOver } from "./statements/fail-over.ts";
import { resolveRun } from "./statements/resolve-run.ts";
import { retryVerification } from "./statements/retry-verification.ts";
import { type NewRow, type Start, startKinds, startVerification } from "./statements/start-verification.ts";
import { type Limits, noLimits } from "./statements/within-limits.ts";
import { notVerified, type RunStart, transitions, type VerificationState } from "./transitions.ts";

/** One verification on the ledger, without personal data. Money is in kobo, times are milliseconds since 1970. */
export type Row = Omit<VerificationRow, "state" | "mode" | "kind"> & {
  state: VerificationState;
  mode: Mode;
  kind: CheckKind;
  /** Oldest first. */
  attempts: readonly Attempt[];
  /** For a row that this process started: the facts in the journal; undefined without any. */
  journaled?: Journaled;
};

/**
 * The ledger of verifications. Each change checks the row's state or run, so that of two concurrent changes one
 * succeeds; the other gets undefined or false and reads the row again.
 *
 * The store may make a change whose reply is lost, or make it after we gave up. So `run` counts each start of a row,
 * also that of a retry that only waits, and each failover. We write outcomes of runs whose start we heard of or read,
 * under their owner and run. Each statement has a file in `statements/`:
 *
 * | statement            | the row is then     | if its reply is lost, or it commits late                            |
 * | -------------------- | ------------------- | ------------------------------------------------------------------- |
 * | `start-verification` | `started`           | `AbandonedRows` fails it once it commits: no vendor was asked       |
 * | `retry-verification` | `started`, next run | the same. If it waits for a vendor, `DeferredOutcomes` frees        |
 * |                      |                     | the row, then writes what the vendor says                           |
 * | `fail-over`          | `started`, next run | the run ends without that vendor; `AbandonedRows` fails the new one |
 * | `end-run`            | ended, or `unknown` | `DeferredOutcomes` writes it again, and takes the charge back:      |
 * |                      |                     | nobody got the record                                               |
 * | `resolve-run`        | ended               | `DeferredOutcomes` writes it again: it matches no row               |
 * | `end-attempt`        | as it was           | the same: an attempt that has ended stays so                        |
 * | `abandon-rows`       | `unknown`           | the next round abandons what is still `started`                     |
 *
 * A `started` row without a worker ends by `AbandonedRows`: failed if its start got no reply, else unknown. If its
 * process is gone, a peer or the next process abandons it. While a later run has the row, an outcome of an earlier run
 * ends only its own attempt.
 */
export class Ledger {
  readonly #db: Db;
  readonly #shares: ConnectionShares;
  readonly #prices: PricesByVendor;
  readonly #queries: CompiledQueries;

  /** `prices`: for the bills of attempts that end. */
  constructor(db: Db, shares = new ConnectionShares(), prices: PricesByVendor = {}) {
    this.#db = db;
    this.#shares = shares;
    this.#prices = prices;
    this.#queries = new CompiledQueries(db, shares, { ...startKinds, ...endKinds });
  }

  /**
   * Inserts a row, and its first attempt if it has one, within limits and budget. False if limits or budget have no
   * room, or if its reference or idempotency key exists. The key is compared by the hash that the row stores and by
   * `otherHashes`.
   */
  async insert(
    row: NewRow,
    otherHashes: readonly string[] = [],
    limits: Limits = noLimits,
    budget?: Budget,
  ): Promise<boolean> {
    const start = startVerification(this.#db, row, otherHashes, limits, budget);
    const started = this.#queries.runBatched(start, { isDone: this.#hasKey });
    // The store rejects a whole batch that a budget does not cover. Then each call runs alone, and those within the
    // budget succeed.
    return budget ? started.catch((error) => noneIfTooMuch(error).length > 0) : started;
  }

  /** A read does not wait for a held row, but an insert next to that row does. */
  readonly #hasKey = async ({ idempotency_hash, otherHashes }: Start) =>
    idempotency_hash !== null && (await this.byKey([idempotency_hash, ...otherHashes])) !== undefined;

  /**
   * Starts another run of `row`, which takes its fee again. Undefined if limits or budget have no room, or the row has
   * changed.
   */
  async retry(
    row: Row,
    { owner, begins, ...start }: AttemptStart & { owner: string; begins: RunStart },
    limits: Limits = noLimits,
    budget?: Budget,
  ): Promise<Row | undefined> {
    // A retry that only waits gets a new run as well, so that a pending write of an earlier run cannot end it.
    const run = row.run + 1;
    const attempts = begins === "attempt" ? [newAttempt({ ...row, run }, start)] : [];
    const retry = { owner, run, started_at: start.at };
    const query = retryVerification(this.#db, row, retry, attempts, limits, budget);
    const [retried] = await this.#run(row, query).catch(noneIfTooMuch);
    const journaled = { toldUnknown: row.state === "unknown", attempts: row.run };
    return retried && ({ ...retried, attempts: [...row.attempts, ...attempts], journaled } as Row);
  }

  /**
   * Writes the outcome of the run's attempt and the intent of one at another vendor. Undefined if this run lost its
   * row.
   */
  async failOver(row: Row, outcome: RunOutcome, next: AttemptStart): Promise<Row | undefined> {
    const { journaled = nothing } = row;
    const isKnown = outcome.attempt !== null && outcome.attempt <= journaled.attempts;
    const ended = storedOutcome(row.attempts, outcome, isKnown, this.#prices);
    const attempt = newAttempt({ ...row, run: row.run + 1 }, next);
    const query = failOver(this.#db, row, ended, isKnown, attempt);
    const [moved] = await (isKnown ? this.#runHeld(row, query) : this.#run(row, query));
    const attempts = [...withOutcome(row.attempts, ended), attempt];
    return moved && ({ ...moved, attempts, journaled: { ...journaled, attempts: row.run } } as Row);
  }

  /**
   * Ends a run. A run that charges nothing gives back the fee that it may have taken. `until`: its `Patience`. False if
   * the run no longer owns the row.
   */
  async complete(
    run: Run,
    outcome: RunOutcome,
    { mayHaveTaken = run.spends !== null, until = 0 } = {},
  ): Promise<boolean> {
    const ended = endedRun(run, outcome, runEnd(run, outcome), this.#prices);
    const { isKnown, notSent } = ended.variant;
    const givesBack = mayHaveTaken && ended.values.charged === 0;
    const end = endRun(this.#db, ended, givesBack);
    if (isKnown) return (await this.#runHeld(run, end.write(end.values))).length > 0;
    if (!givesBack && !notSent) return this.#queries.runBatched(end, { until });
    const complete = () => this.#queries.run(end, { until, waitsForRows: true });
    return (await this.#shares.run(run.account_id, complete)).length > 0;
  }

  /**
   * Writes an outcome that arrived after its run ended. The outcome is not charged, because no caller got the record.
   */
  async resolve(run: Run, outcome: RunOutcome): Promise<boolean> {
    if (outcome.state === "unknown") return false;
    const by = outcome.state === "failed" || outcome.interrupted ? "resolveToFailed" : "resolve";
    // One statement for each state, because callers got either an unknown outcome or a failure.
    for (const from of transitions[by].from) {
      const journaled = { toldUnknown: from === "unknown", attempts: Number.POSITIVE_INFINITY };
      const ended = endedRun({ ...run, journaled }, { ...outcome, charge: null }, lateEnd(run, outcome), this.#prices);
      const query = resolveRun(this.#db, run, from, outcome, ended);
      if ((await this.#runHeld(run, query)).length > 0) return true;
    }
    return false;
  }

  /** Writes a vendor's late response to its attempt. The verification has another outcome, and keeps that outcome. */
  async endAttempt(run: Run, late: RunOutcome): Promise<void> {
    await this.#db.transaction().execute((trx) => endAttempt(trx, run, late, this.#prices));
  }

  /** Makes one started row `unknown` if its owner's lease expired. Resolves to whether it did so. */
  abandon(row: Row, leases: Pick<Leases, "isOwnerGone">, now: () => number): Promise<boolean> {
    return abandonOne(this.#db, row, leases, now);
  }

  /** Frees an expired idempotency key, unless a retry with the key runs. */
  async releaseKey(reference: string): Promise<void> {
    await this.#db
      .updateTable("verification")
      .set({ idempotency_hash: null, body_hash: null })
      .where("reference", "=", reference)
      .where("state", "<>", "started")
      .execute();
  }

  /** Finds a row by the hashes of an idempotency key, which include its account and mode. */
  async byKey(hashes: readonly string[]): Promise<Row | undefined> {
    return (await this.#read((row) => row("idempotency_hash", "in", hashes)))[0];
  }

  async byReference(accountId: string, mode: Mode, reference: string): Promise<Row | undefined> {
    const rows = await this.#read((row) => row.and({ account_id: accountId, mode, reference }));
    return rows[0];
  }

  /**
   * The newest verified row of an account about a person with one of these hashes, if the row is not older than
   * `since`.
   */
  async newestVerified(
    { accountId, mode }: { accountId: string; mode: Mode },
    hashes: readonly string[],
    since: number,
  ): Promise<{ reference: string; created_at: number; completed_at: number; is_held: boolean } | undefined> {
    // Without statistics, SQLite would read all rows of the account.
    const bySubject = sql.raw(isSqlite(this.#db) ? "indexed by verification_by_subject" : "");
    const { rows } = await sql<{ reference: string; created_at: number; completed_at: number; is_held: 0 | 1 }>`
      select reference, created_at, completed_at, case when sealed_record is null then 0 else 1 end as is_held
      from verification ${bySubject}
      where subject_hash in (${sql.join(hashes)}) and account_id = ${accountId} and mode = ${mode}
        and state = 'verified' and created_at >= ${since}
      order by completed_at desc limit 1`.execute(this.#db);
    const [row] = rows;
    return row && { ...row, is_held: row.is_held === 1 };
  }

  /** The wrapped key of a row's sealed record; undefined if there is none, or if it was destroyed. */
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

  async #run<Result>({ account_id }: Pick<Row, "account_id">, query: Compilable<Result>): Promise<Result[]> {
    return (await this.#shares.run(account_id, () => this.#db.executeQuery(query.compile()))).rows;
  }

  /**
   * Like `#run`, for a statement about an attempt in the journal. On PostgreSQL, such a statement may have to wait for
   * another transaction that ends the same attempt, and would then compute with the attempt as it was before that wait.
   * So the row is locked first.
   */
  async #runHeld<Result>(
    { account_id, reference }: Pick<Row, "account_id" | "reference">,
    query: Compilable<Result>,
  ): Promise<Result[]> {
    if (isSqlite(this.#db)) return this.#run({ account_id }, query);
    const run = (trx: Transaction<Tables>) => holdRow(trx, reference).then(() => trx.executeQuery(query.compile()));
    return (await this.#shares.run(account_id, () => this.#db.transaction().execute(run))).rows;
  }
}
