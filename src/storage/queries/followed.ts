import type { Compilable, CompiledQuery, Kysely, OperationNodeSource, SelectQueryBuilder } from "kysely";
import { sql } from "kysely";
import { isSqlite } from "../engine.ts";
import type { Tables } from "../tables.ts";
import type { Input } from "./shared-input.ts";

/** A statement, and others that run in the same commit if the first returned rows; on SQLite only. */
export type FollowedQuery<Row = unknown> = CompiledQuery<Row> & { followedBy?: readonly CompiledQuery[] };

type Statement<Row = unknown> = Compilable<Row> & OperationNodeSource;

/** The tables from which a follow-up reads the changed row, under its own name. */
export type Changed = ["verification"];

/** A changed row that is in the table itself. */
export const inTable: Changed = ["verification"];

/**
 * A change of one ledger row that returns the row, and statements about the row that run if the change happens: all or nothing.
 * It is one statement on PostgreSQL, and one commit on SQLite. With `input` it changes a row for each call: see `runBatched`.
 */
export function followed<Row extends { reference: string }>(
  db: Kysely<Tables>,
  change: Statement<Row>,
  followUps: (changed: Changed) => Statement[],
  input?: Input,
): Compilable<Row> {
  if (isSqlite(db)) {
    const followedBy = followUps(inTable).map((statement) => statement.compile());
    return { compile: () => ({ ...change.compile(), followedBy }) as FollowedQuery<Row> };
  }
  const changed = ["changed as verification", ...(input ? ["input"] : [])] as unknown as Changed;
  // The other statements see the table itself as it was before.
  const parts = [
    ...(input ? [sql`input as ${input.table}`] : []),
    sql`changed as (${change})`,
    ...followUps(changed).map((statement, index) => sql`follow_up_${sql.lit(index)} as (${statement})`),
  ];
  const query = sql<Row>`with ${sql.join(parts)} select ${sql.raw(input ? "reference" : "*")} from changed`;
  return { compile: () => query.compile(db) };
}

/** A select from `input`, or from nothing. */
export function selectFrom(
  db: Kysely<Tables>,
  input: Input | undefined,
): SelectQueryBuilder<Tables, "verification", object> {
  return input ? db.selectFrom("input" as "verification") : (db.selectNoFrom([]) as never);
}
