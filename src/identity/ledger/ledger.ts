import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql, type UpdateObject } from "kysely";
import type { CheckKind } from "../../operation/check-kind.ts";
import type { Mode } from "../../operation/operation.ts";
import { CompiledQueries } from "../../storage/compiled-queries.ts";
import { recordKeyOf, withRecordKey } from "../../storage/record-keys.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";
import {
  type AttemptOutcome,
  type OutcomeVariant,
  outcomeChanges,
  outcomeRecordKey,
  outcomeValues,
  outcomeVariant,
} from "./attempt-outcome.ts";
import {
  type insertableStates,
  type RunStart,
  type Transition,
  transitions,
  type VerificationState,
} from "./transitions.ts";

/** One verification on the ledger: money in kobo, times in milliseconds since 1970, no personal data. */
export type Row = Omit<VerificationRow, "state" | "mode" | "kind"> & {
  state: VerificationState;
  mode: Mode;
  kind: CheckKind;
};

/** Binds an outcome to its run: an outcome of another run or owner changes nothing. */
export type Attempt = Pick<Row, "reference" | "owner" | "run">;

/** Conditions for an insert or retry: SQL built from `values`, and from `variant` if anything else shapes the SQL. */
export interface Conditions<Values extends object = object, Variant = unknown> {
  values: Values;
  variant: Variant;
  /** The same function each time; it uses nothing but its arguments. */
  hold(values: Values, variant: Variant): Expression<SqlBool>[];
}

const unconditional: Conditions = { values: {}, variant: null, hold: () => [] };

/**
 * The ledger of verifications. Each change is one guarded statement on one row, so that of two concurrent changes one
 * succeeds; the other gets undefined or false and reads the row again.
 */
export class Ledger {
  readonly #db: Kysely<Tables>;
  readonly #queries: CompiledQueries;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
    this.#queries = new CompiledQueries(db);
  }

  /**
   * Inserts a row if the conditions hold within that statement. False if not, or if its reference or idempotency key exists:
   * under the hash that the row stores, or under one of `otherHashes`.
   */
  async insert(
    row: Row & { state: (typeof insertableStates)[number] },
    otherHashes: readonly string[] = [],
    { values, variant, hold }: Conditions = unconditional,
  ): Promise<boolean> {
    const columns = Object.keys(row) as (keyof Row)[];
    const made = await this.#queries.run(
      this.#writeInsert,
      { ...row, otherHashes, ...values },
      { columns, variant, hold },
    );
    return made.length > 0;
  }

  readonly #writeInsert = (
    values: Row & { otherHashes: readonly string[] },
    { columns, variant, hold }: Omit<Conditions, "values"> & { columns: (keyof Row)[] },
  ) =>
    this.#db
      .insertInto("verification")
      .columns(columns)
      .expression(
        this.#db
          .selectNoFrom((select) => columns.map((column) => select.val(values[column]).as(column)))
          // SQLite takes `on conflict` after a select only if that has a `where`.
          .where((select) => select.and([sql<SqlBool>`1 = 1`, ...hold(values, variant)]))
          .$if(values.otherHashes.length > 0, (query) => query.where(isFree(values.otherHashes))),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning("reference");

  /** By the hashes of an idempotency key, which bind its account and mode. */
  async byKey(hashes: readonly string[]): Promise<Row | undefined> {
    return (await this.#db
      .selectFrom("verification")
      .selectAll()
      .where("idempotency_hash", "in", hashes)
      .executeTakeFirst()) as Row | undefined;
  }

  async byReference(accountId: string, mode: Mode, reference: string): Promise<Row | undefined> {
    return (await this.#db
      .selectFrom("verification")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("mode", "=", mode)
      .where("reference", "=", reference)
      .executeTakeFirst()) as Row | undefined;
  }

  /** The wrapped key of a row's sealed record; undefined if the key was destroyed. */
  async recordKey({ reference, completed_at }: Pick<Row, "reference" | "completed_at">): Promise<string | undefined> {
    return completed_at === null ? undefined : recordKeyOf(this.#db, reference, completed_at);
  }

  /** The running attempts of one owner. */
  async startedBy(owner: string): Promise<Row[]> {
    return (await this.#db
      .selectFrom("verification")
      .selectAll()
      .where("state", "in", transitions.complete.from)
      .where("owner", "=", owner)
      .execute()) as Row[];
  }

  /** Starts a further run of `row` if the conditions hold within that statement. Undefined if not, or if the row has changed. */
  async retry(
    row: Row,
    { owner, upstream, begins, at }: { owner: string; upstream: string | null; begins: RunStart; at: number },
    { values, variant, hold }: Conditions = unconditional,
  ): Promise<Row | undefined> {
    return (await this.#transition("retry", "started", row.reference, {
      owner,
      upstream,
      // A call that is still under way belongs to its own run.
      run: begins === "wait" ? row.run : row.run + 1,
      // The earlier call may be resolved by this run.
      ...(begins === "call" ? { attempts: row.attempts + 1 } : { unresolved: row.unresolved - 1 }),
      started_at: at,
      completed_at: null,
    })
      .where("run", "=", row.run)
      .where("state", "=", row.state)
      .where((select) => select.and(hold(values, variant)))
      .returningAll()
      .executeTakeFirst()) as Row | undefined;
  }

  /**
   * Writes that `upstream` is called next: a further attempt, unless the upstream before did not get the call (`notPut`).
   * `unresolved`: the outcome of the call before is unknown. Undefined if this run lost its row.
   */
  async failOver(
    { reference, owner, run }: Attempt,
    { upstream, unresolved, notPut }: { upstream: string; unresolved: boolean; notPut: boolean },
  ): Promise<Row | undefined> {
    return (await this.#transition("failOver", "started", reference, { upstream, run: run + 1 })
      .$if(!notPut, (query) => query.set((row) => ({ attempts: row("attempts", "+", 1) })))
      .$if(unresolved, (query) => query.set((row) => ({ unresolved: row("unresolved", "+", 1) })))
      .where("owner", "=", owner)
      .where("run", "=", run)
      .returningAll()
      .executeTakeFirst()) as Row | undefined;
  }

  /** Ends a running attempt. False if the attempt lost its row. */
  async complete({ reference, owner, run }: Attempt, outcome: AttemptOutcome): Promise<boolean> {
    const values = { reference, owner, run, ...outcomeRecordKey(outcome), ...outcomeValues(outcome) };
    const moved = await this.#queries.run(this.#writeCompletion, values, outcomeVariant(outcome));
    return moved.length > 0;
  }

  readonly #writeCompletion = (
    {
      reference,
      owner,
      run,
      slot,
      sealed_key,
      ...values
    }: Attempt & ReturnType<typeof outcomeRecordKey> & ReturnType<typeof outcomeValues>,
    variant: OutcomeVariant,
  ) => {
    const { state, isSealed } = variant;
    const update = this.#transition("complete", state, reference, outcomeChanges(variant, values))
      .$if(state === "unknown", (query) => query.set((row) => ({ unresolved: row("unresolved", "+", 1) })))
      .where("owner", "=", owner)
      .where("run", "=", run)
      .returning(["reference", "sealed_record"]);
    return isSealed ? withRecordKey(this.#db, update, { slot, reference, sealed_key }) : update;
  };

  /** Writes an outcome that came after its attempt ended. It is not charged, since no caller got it. */
  async resolve(attempt: Attempt, outcome: AttemptOutcome): Promise<boolean> {
    if (outcome.state === "unknown") return false;
    const { reference, owner, run } = attempt;
    const changes = outcomeChanges(outcomeVariant(outcome), outcomeValues({ ...outcome, charge: null }));
    const update =
      outcome.state === "failed"
        ? this.#transition("resolveToFailed", "failed", reference, { ...changes, unresolved: 0 })
            .where("owner", "=", owner)
            .where("run", "=", run)
            .where("unresolved", "=", 1)
        : this.#transition("resolve", outcome.state, reference, changes);
    const moved = update.returning(["reference", "sealed_record"]);
    const query = outcome.sealed ? withRecordKey(this.#db, moved, { reference, ...outcomeRecordKey(outcome) }) : moved;
    const { rows } = await this.#db.executeQuery(query.compile());
    return rows.length > 0;
  }

  /** Makes started rows `unknown`: those of one owner, or those (or the one `reference`) whose owner's lease expired. */
  async abandonAll(
    whose: { owner: string } | { isOwnerGone: Expression<SqlBool>; reference?: string },
  ): Promise<number> {
    const moved = await this.#db
      .updateTable("verification")
      .set((row) => ({ state: "unknown", unresolved: row("unresolved", "+", 1), audit_due: 1 }))
      .where("state", "in", transitions.abandon.from)
      .$if("owner" in whose, (query) => query.where("owner", "=", (whose as { owner: string }).owner))
      .$if("isOwnerGone" in whose, (query) => query.where((whose as { isOwnerGone: Expression<SqlBool> }).isOwnerGone))
      .$if("reference" in whose, (query) => query.where("reference", "=", (whose as { reference: string }).reference))
      .executeTakeFirst();
    return Number(moved.numUpdatedRows);
  }

  /** Frees an idempotency key that is past its lifetime. */
  async releaseKey(reference: string): Promise<void> {
    await this.#db
      .updateTable("verification")
      .set({ idempotency_hash: null, body_hash: null })
      .where("reference", "=", reference)
      .execute();
  }

  #transition(by: Transition, to: VerificationState, reference: string, columns: UpdateObject<Tables, "verification">) {
    const { from, to: allowed }: { from: readonly VerificationState[]; to: readonly VerificationState[] } =
      transitions[by];
    if (!allowed.includes(to)) throw new Error(`No verification goes to ${to} by ${by}`);
    return this.#db
      .updateTable("verification")
      .set({ ...columns, state: to, ...(to === "started" ? {} : { audit_due: 1 }) })
      .where("reference", "=", reference)
      .where("state", "in", from);
  }
}

function isFree(hashes: readonly string[]): Expression<SqlBool> {
  const { exists, not, selectFrom } = expressionBuilder<Tables, never>();
  const bound = selectFrom("verification as bound").select("bound.reference");
  return not(exists(bound.where("bound.idempotency_hash", "in", hashes)));
}
