import type { Compilable, Kysely } from "kysely";
import { FairQueue } from "../../runtime/fair-queue.ts";
import { recent } from "../../runtime/recent.ts";
import { asSpan, type SpanAttributes } from "../../runtime/trace.ts";
import { isSqlite } from "../engine.ts";
import type { Tables } from "../tables.ts";
import type { Patience } from "../timeouts.ts";
import { type Batchable, BatchedStatement } from "./batched-statement.ts";
import { ConnectionShares } from "./connection-shares.ts";
import type { QueryWithFollowUps, SqlStatement } from "./follow-ups.ts";
import { type Input, sharedInput } from "./shared-input.ts";

/** A placeholder for a value that is known only when the compiled query runs. */
class Placeholder {
  readonly #name: string;
  /** The index, for a member of a list. */
  readonly #at: number | undefined;

  constructor(name: string, at?: number) {
    this.#name = name;
    this.#at = at;
  }

  valueIn(values: Readonly<Record<string, unknown>>): unknown {
    const value = values[this.#name];
    return this.#at === undefined ? value : (value as readonly unknown[])[this.#at];
  }
}

/** A query with values that are known only when it runs. */
export interface Statement<Values extends object, Row = unknown> {
  /** Identifies the SQL: the query, its variant, and the length of each list in `values`. */
  name: string;
  values: Values;
  /** Builds the query. Receives placeholders for values; or, for a shared query, columns of the table `input`. */
  write(values: Values, input?: Input): Compilable<Row>;
}

/**
 * Far above the number of the ledger's statements. The limit bounds the memory if names have values in them by mistake.
 */
const mostCompiled = 500;

/**
 * Compiles each query once and runs it with different values, because compiling takes longer than running. Results
 * return one per event-loop tick, because a commit resolves many calls at once, and the work that waits for them must
 * not run in one go.
 */
export class CompiledQueries {
  readonly #db: Kysely<Tables>;
  readonly #isSqlite: boolean;
  readonly #span: SpanAttributes;
  readonly #shares: ConnectionShares;
  readonly #kinds: Readonly<Record<string, string>>;
  readonly #compiled = recent<QueryWithFollowUps>(mostCompiled);
  readonly #batched = recent<BatchedStatement>(mostCompiled);
  readonly #queue = new FairQueue();

  /** `kinds`: the column kind of each value that a shared query may have, and of the members of each list. */
  constructor(db: Kysely<Tables>, shares = new ConnectionShares(), kinds: Readonly<Record<string, string>> = {}) {
    this.#db = db;
    this.#isSqlite = isSqlite(db);
    this.#span = { "db.system.name": this.#isSqlite ? "sqlite" : "postgresql" };
    this.#shares = shares;
    this.#kinds = kinds;
  }

  async run<Values extends object, Row>(statement: Statement<Values, Row>, patience?: Patience): Promise<Row[]> {
    const rows = await this.#execute(statement, statement.values, patience);
    await this.#queue.next();
    return rows;
  }

  /**
   * Changes one ledger row with a query that returns the row's `reference`. Resolves to whether the row changed.
   * Concurrent calls share one query and commit. `until`: see `Patience`. After a batch that waited too long for a held
   * row, each call runs alone, unless `isDone` says that nothing is left to change.
   */
  async runBatched<Values extends Batchable>(
    statement: Statement<Values, { reference: string }>,
    { until = 0, isDone = async () => false }: { until?: number; isDone?: (values: Values) => Promise<boolean> } = {},
  ): Promise<boolean> {
    let batched = this.#batched.get(statement.name);
    if (batched === undefined) {
      batched = this.#batch(statement, isDone);
      this.#batched.set(statement.name, batched);
    }
    const hasChanged = await asSpan("commit", this.#span, batched.run(statement.values, until));
    await this.#queue.next();
    return hasChanged;
  }

  #batch<Values extends Batchable>(
    statement: Statement<Values, { reference: string }>,
    isDone: (values: Values) => Promise<boolean>,
  ): BatchedStatement {
    const text = new Placeholder("text");
    const { columns, input, jsonOf } = sharedInput(this.#db, statement.values, this.#kinds, text);
    const compiled: QueryWithFollowUps<{ reference: string }> = statement.write(columns, input).compile();
    return new BatchedStatement(
      async (batch, patience) => {
        const calls = batch as Values[];
        // For a single call, plain parameters are cheaper for the server and for us.
        if (calls.length === 1) return this.#execute(statement, calls[0]!, patience);
        return this.#executeShared(compiled, jsonOf(calls), patience);
      },
      async (call, patience) => {
        if (await isDone(call as Values)) return false;
        const alone = () => this.#execute(statement, call as Values, patience);
        return (await this.#shares.run(call.account_id, alone)).length > 0;
      },
    );
  }

  async #executeShared<Row>(
    compiled: QueryWithFollowUps<Row>,
    calls: readonly string[],
    patience: Patience,
  ): Promise<Row[]> {
    const query = this.#isSqlite ? { ...compiled, input: calls } : filled(compiled, { text: `[${calls.join()}]` });
    return (await this.#db.executeQuery<Row>(query, patience)).rows;
  }

  async #execute<Values extends object, Row>(
    { name, write }: Pick<Statement<Values, Row>, "name" | "write">,
    values: Values,
    patience: Patience | undefined,
  ): Promise<Row[]> {
    let compiled: QueryWithFollowUps | undefined = this.#compiled.get(name);
    if (compiled === undefined) {
      compiled = write(placeholdersFor(values)).compile();
      this.#compiled.set(name, compiled);
    }
    return (await this.#db.executeQuery(filled(compiled, values), patience)).rows as Row[];
  }
}

function placeholdersFor<Values extends object>(values: Values): Values {
  const placeholders = Object.entries(values).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((_, at) => new Placeholder(name, at)) : new Placeholder(name),
  ]);
  return Object.fromEntries(placeholders) as Values;
}

/** Replaces placeholders with values, in a statement and its follow-ups. */
function filled<Query extends SqlStatement>(query: Query, values: object): Query {
  const parameters: unknown[] = [];
  for (const value of query.parameters)
    parameters.push(value instanceof Placeholder ? value.valueIn(values as Record<string, unknown>) : value);
  if (!query.followedBy) return { ...query, parameters };
  const followedBy: SqlStatement[] = [];
  for (const next of query.followedBy) followedBy.push(filled(next, values));
  return { ...query, parameters, followedBy };
}
