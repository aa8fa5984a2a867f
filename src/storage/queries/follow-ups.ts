import type { Compilable, CompiledQuery, Kysely, OperationNodeSource, SelectQueryBuilder } from "kysely";
import { sql } from "kysely";
import { isSqlite } from "../engine.ts";
import type { Tables } from "../tables.ts";
import type { Input } from "./shared-input.ts";

/** SQL and its values. The optional members are for SQLite, which runs one statement at a time. */
export interface SqlStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Statements that run in the same commit, if this statement returns rows. */
  readonly followedBy?: readonly SqlStatement[] | undefined;
  /**
   * JSON of the calls that share the statement, passed as `@input`. Follow-ups receive only calls whose `reference` the
   * first statement returned.
   */
  readonly input?: readonly string[] | undefined;
}

/** A compiled statement with its follow-ups for SQLite. */
export type QueryWithFollowUps<Row = unknown> = CompiledQuery<Row> & SqlStatement;

type Statement<Row = unknown> = Compilable<Row> & OperationNodeSource;

/** The tables from which a follow-up selects the changed row, under the name `verification`. */
export type Changed = ["verification"];

/** Follow-ups read the changed row from the table itself. */
export const inTable: Changed = ["verification"];

/**
 * Changes one ledger row, and runs follow-ups about it if it changed: all or nothing. On PostgreSQL this is one
 * statement, on SQLite one commit. With `input`, one row changes per call: see `runBatched`.
 */
export function withFollowUps<Row extends { reference: string }>(
  db: Kysely<Tables>,
  change: Statement<Row>,
  followUps: (changed: Changed) => Statement[],
  input?: Input,
): Compilable<Row> {
  const inputs = input ? ["input"] : [];
  if (isSqlite(db)) {
    const compiled = (statement: Statement) =>
      input ? sql`with input as ${input.table} ${statement}`.compile(db) : statement.compile();
    const followedBy = followUps([...inTable, ...inputs] as unknown as Changed).map((statement): SqlStatement => {
      const { sql, parameters } = compiled(statement);
      return { sql, parameters };
    });
    return { compile: () => ({ ...compiled(change), followedBy }) as QueryWithFollowUps<Row> };
  }
  const changed = ["changed as verification", ...inputs] as unknown as Changed;
  // Follow-ups read from `changed`, because within one statement the table still shows the row before the change.
  const parts = [
    ...(input ? [sql`input as ${input.table}`] : []),
    sql`changed as (${change})`,
    ...followUps(changed).map((statement, index) => sql`follow_up_${sql.lit(index)} as (${statement})`),
  ];
  const query = sql<Row>`with ${sql.join(parts)} select ${sql.raw(input ? "reference" : "*")} from changed`;
  return { compile: () => query.compile(db) };
}

/** A select from `input`, or without a table. */
export function selectFrom(
  db: Kysely<Tables>,
  input: Input | undefined,
): SelectQueryBuilder<Tables, "verification", object> {
  return input ? db.selectFrom("input" as "verification") : (db.selectNoFrom([]) as never);
}
