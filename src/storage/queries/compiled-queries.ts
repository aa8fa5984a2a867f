import type { Compilable, Kysely } from "kysely";
import { FairQueue } from "../../runtime/fair-queue.ts";
import { recent } from "../../runtime/recent.ts";
import { isSqlite } from "../engine.ts";
import type { Tables } from "../tables.ts";
import type { Patience } from "../timeouts.ts";
import { type Batchable, BatchedStatement } from "./batched-statement.ts";
import { ConnectionShares } from "./connection-shares.ts";
import type { QueryWithFollowUps } from "./follow-ups.ts";
import { type Input, sharedInput } from "./shared-input.ts";
import { asCommit } from "./traced-dialect.ts";

/** A placeholder for a value that is known only when the compiled query runs. */
class Placeholder {
  readonly valueIn: (values: Record<string, unknown>) => unknown;
  constructor(valueIn: Placeholder["valueIn"]) {
    this.valueIn = valueIn;
  }
}

/** A query with values that are known only when it runs. */
export interface Statement<Values extends object, Row = unknown> {
  /** Names all that determines the SQL: which query it is, its variant, and the length of each list in `values`. */
  name: string;
  values: Values;
  /** Gets placeholders in place of values, or, if calls share the query, columns of the table `input`. */
  write(values: Values, input?: Input): Compilable<Row>;
}

/** Far more than the ledger's statements. It limits the memory if a name has too much in it. */
const mostCompiled = 500;

/**
 * Compiles each query once and runs it with different values, because compiling takes longer than running. Results
 * return one per event-loop tick, because a commit resolves many callers at once, and their work must not run in one
 * go.
 */
export class CompiledQueries {
  readonly #db: Kysely<Tables>;
  readonly #shares: ConnectionShares;
  readonly #kinds: Readonly<Record<string, string>>;
  readonly #compiled = recent<QueryWithFollowUps>(mostCompiled);
  readonly #batched = recent<BatchedStatement>(mostCompiled);
  readonly #queue = new FairQueue();

  /** `kinds`: the column kind of each value that a shared query may have, and of the members of each list. */
  constructor(db: Kysely<Tables>, shares = new ConnectionShares(), kinds: Readonly<Record<string, string>> = {}) {
    this.#db = db;
    this.#shares = shares;
    this.#kinds = kinds;
  }

  async run<Values extends object, Row>(statement: Statement<Values, Row>, patience?: Patience): Promise<Row[]> {
    const rows = await this.#execute(statement, statement.values, patience);
    await this.#queue.next();
    return rows;
  }

  /**
   * Changes one row of the ledger with a query that returns the row's `reference`, and resolves to whether the row
   * changed. Concurrent calls share a query and its commit. `until`: as in `Patience`. If a batch waited too long for a
   * held row, each call runs alone, unless `isDone` resolves to true because nothing is left to change.
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
    const commit = () => batched.run(statement.values, until);
    const hasChanged = await asCommit(isSqlite(this.#db) ? "sqlite" : "postgresql", commit);
    await this.#queue.next();
    return hasChanged;
  }

  #batch<Values extends Batchable>(
    statement: Statement<Values, { reference: string }>,
    isDone: (values: Values) => Promise<boolean>,
  ): BatchedStatement {
    const text = new Placeholder(({ text }) => text);
    const { columns, input, jsonOf } = sharedInput(this.#db, statement.values, this.#kinds, text);
    const compiled: QueryWithFollowUps = statement.write(columns, input).compile();
    return new BatchedStatement(
      async (batch, patience) => {
        const calls = batch as Values[];
        // A single call is cheaper for the server and for us with its values as parameters.
        const rows =
          calls.length === 1
            ? await this.#execute(statement, calls[0]!, patience)
            : await this.#executeShared(compiled, jsonOf(calls), patience);
        return (rows as { reference: string }[]).map(({ reference }) => reference);
      },
      async (call, patience) => {
        if (await isDone(call as Values)) return false;
        const alone = () => this.#execute(statement, call as Values, patience);
        return (await this.#shares.run(call.account_id, alone)).length > 0;
      },
    );
  }

  async #executeShared(compiled: QueryWithFollowUps, calls: readonly string[], patience: Patience): Promise<unknown[]> {
    const query = isSqlite(this.#db) ? { ...compiled, input: calls } : filled(compiled, { text: `[${calls.join()}]` });
    return (await this.#db.executeQuery(query, patience)).rows;
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
    Array.isArray(value)
      ? value.map((_, index) => new Placeholder((values) => (values[name] as unknown[])[index]))
      : new Placeholder((values) => values[name]),
  ]);
  return Object.fromEntries(placeholders) as Values;
}

function filled(query: QueryWithFollowUps, values: object): QueryWithFollowUps {
  const parameters = query.parameters.map((value) =>
    value instanceof Placeholder ? value.valueIn(values as Record<string, unknown>) : value,
  );
  const { followedBy } = query;
  return {
    ...query,
    parameters,
    ...(followedBy ? { followedBy: followedBy.map((next) => filled(next, values)) } : {}),
  };
}
