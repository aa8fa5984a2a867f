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

/** Stands for a value in a compiled query that is known only when the query runs. */
class Placeholder {
  readonly valueIn: (values: Record<string, unknown>) => unknown;
  constructor(valueIn: Placeholder["valueIn"]) {
    this.valueIn = valueIn;
  }
}

/** Far more than the ledger's statements. It limits the memory if a caller passes a new function each time. */
const mostCompiled = 500;

/** Compiles each query once and runs it with different values, because compiling takes longer than running. */
export class CompiledQueries {
  readonly #db: Kysely<Tables>;
  readonly #shares: ConnectionShares;
  readonly #compiled = recent<QueryWithFollowUps>(mostCompiled);
  readonly #batched = recent<BatchedStatement>(mostCompiled);
  readonly #ids = new WeakMap<object, number>();
  #lastId = 0;
  readonly #queue = new FairQueue();

  constructor(db: Kysely<Tables>, shares = new ConnectionShares()) {
    this.#db = db;
    this.#shares = shares;
  }

  /**
   * Runs the query that `write` returns and resolves to its rows. `write` gets placeholders instead of values, so its
   * SQL may depend only on `variant`, which is JSON and functions, and on the length of each list in `values`. Each new
   * combination is compiled. `write` must be the same function each time and must not depend on anything else that
   * changes. Results return one per event-loop tick, because a commit resolves many callers at once, and their work
   * must not run in one go.
   */
  async run<Values extends object, Variant, Row>(
    write: (values: Values, variant: Variant) => Compilable<Row>,
    values: Values,
    variant: Variant,
    patience?: Patience,
  ): Promise<Row[]> {
    const rows = await this.#execute(this.#keyOf(write, values, variant), write, values, variant, patience);
    await this.#queue.next();
    return rows;
  }

  /**
   * Changes one row of the ledger with a query that returns the row's `reference`, and resolves to whether the row
   * changed. Concurrent calls share a statement and its commit, and `write` gets columns of the table `input` instead
   * of placeholders. `kinds`: the column kind of each value, and of the members of each list. `until`: as in
   * `Patience`. If a batch waited too long for a held row, each call runs alone, unless `isDone` resolves to true
   * because nothing is left to change.
   */
  async runBatched<Values extends Batchable, Variant>(
    write: (values: Values, variant: Variant, input?: Input) => Compilable<{ reference: string }>,
    values: Values,
    variant: Variant,
    kinds: Record<string, string>,
    { until = 0, isDone = async () => false }: { until?: number; isDone?: (values: Values) => Promise<boolean> } = {},
  ): Promise<boolean> {
    const key = this.#keyOf(write, values, variant);
    let batched = this.#batched.get(key);
    if (batched === undefined) {
      const text = new Placeholder(({ text }) => text);
      const { columns, input, jsonOf } = sharedInput(this.#db, values, kinds, text);
      const compiled: QueryWithFollowUps = write(columns, variant, input).compile();
      batched = new BatchedStatement(
        async (batch, patience) => {
          const calls = batch as Values[];
          // A single call is cheaper for the server and for us with its values as parameters.
          const rows =
            calls.length === 1
              ? await this.#execute(key, write, calls[0]!, variant, patience)
              : await this.#executeShared(compiled, jsonOf(calls), patience);
          return (rows as { reference: string }[]).map(({ reference }) => reference);
        },
        async (call, patience) => {
          if (await isDone(call as Values)) return false;
          const alone = () => this.#execute(key, write, call as Values, variant, patience);
          return (await this.#shares.run(call.account_id, alone)).length > 0;
        },
      );
      this.#batched.set(key, batched);
    }
    const hasChanged = await asCommit(isSqlite(this.#db) ? "sqlite" : "postgresql", () => batched.run(values, until));
    await this.#queue.next();
    return hasChanged;
  }

  async #executeShared(compiled: QueryWithFollowUps, calls: readonly string[], patience: Patience): Promise<unknown[]> {
    const query = isSqlite(this.#db) ? { ...compiled, input: calls } : filled(compiled, { text: `[${calls.join()}]` });
    return (await this.#db.executeQuery(query, patience)).rows;
  }

  async #execute<Values extends object, Variant, Row>(
    key: string,
    write: (values: Values, variant: Variant) => Compilable<Row>,
    values: Values,
    variant: Variant,
    patience: Patience | undefined,
  ): Promise<Row[]> {
    let compiled: QueryWithFollowUps | undefined = this.#compiled.get(key);
    if (compiled === undefined) {
      compiled = write(placeholdersFor(values), variant).compile();
      this.#compiled.set(key, compiled);
    }
    return (await this.#db.executeQuery(filled(compiled, values), patience)).rows as Row[];
  }

  #keyOf(write: unknown, values: object, variant: unknown): string {
    let key = this.#idOf(write as object);
    for (const name in values) {
      const value = (values as Record<string, unknown>)[name];
      if (Array.isArray(value)) key += ` ${name} ${value.length}`;
    }
    if (variant !== null)
      for (const [name, part] of Object.entries(variant as object)) {
        const text =
          typeof part === "object"
            ? JSON.stringify(part, this.#named)
            : typeof part === "function"
              ? this.#idOf(part)
              : part;
        key += ` ${name} ${text}`;
      }
    return key;
  }

  readonly #named = (_: string, part: unknown) => (typeof part === "function" ? this.#idOf(part) : part);

  #idOf(part: object): string {
    let id = this.#ids.get(part);
    if (id === undefined) {
      id = ++this.#lastId;
      this.#ids.set(part, id);
    }
    return `function ${id}`;
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
