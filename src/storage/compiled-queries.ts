import type { Compilable, Kysely } from "kysely";
import { FairQueue } from "../runtime/fair-queue.ts";
import type { FollowedQuery } from "./record-keys.ts";
import type { Tables } from "./tables.ts";

/** Stands in a query for a value that comes when it runs. */
class Slot {
  readonly name: string;
  readonly index: number | undefined;
  constructor(name: string, index?: number) {
    this.name = name;
    this.index = index;
  }
  of(values: object): unknown {
    const value = (values as Record<string, unknown>)[this.name];
    return this.index === undefined ? value : (value as unknown[])[this.index];
  }
}

/** Queries that are written once and run with other values each time: to write one takes longer than to run it. */
export class CompiledQueries {
  readonly #db: Kysely<Tables>;
  readonly #compiled = new Map<string, FollowedQuery>();
  readonly #turns = new FairQueue();

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /**
   * Runs what `write` makes of `values`, and gives its rows. `write` is asked once for each `shape`, with something in place
   * of every value (of every item, in a list): it must go by nothing else. Answers come one a turn: those of one commit, or of
   * several connections, arrive together, and what waits for them is not done in one go.
   */
  async run<Given extends object, Row>(
    shape: string,
    values: Given,
    write: (values: Given) => Compilable<Row>,
  ): Promise<Row[]> {
    const compiled = this.#compiled.get(shape) ?? this.#write(shape, values, write);
    const { rows } = await this.#db.executeQuery(filled(compiled, values));
    await this.#turns.next();
    return rows as Row[];
  }

  #write<Given extends object>(shape: string, values: Given, write: (values: Given) => Compilable): FollowedQuery {
    const slots = Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((_, index) => new Slot(name, index)) : new Slot(name),
    ]);
    const compiled: FollowedQuery = write(Object.fromEntries(slots) as Given).compile();
    this.#compiled.set(shape, compiled);
    return compiled;
  }
}

function filled<Query extends FollowedQuery>(query: Query, values: object): Query {
  const parameters = query.parameters.map((value) => (value instanceof Slot ? value.of(values) : value));
  const { followedBy } = query;
  return { ...query, parameters, ...(followedBy ? { followedBy: filled(followedBy, values) } : {}) };
}
