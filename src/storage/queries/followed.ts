import type { Compilable, CompiledQuery, Kysely, OperationNodeSource } from "kysely";
import { isSqlite } from "../engine.ts";
import type { Tables } from "../tables.ts";

/** A statement, and others that run in the same commit if the first returned rows; on SQLite only. */
export type FollowedQuery<Row = unknown> = CompiledQuery<Row> & { followedBy?: readonly CompiledQuery[] };

type Statement<Row = unknown> = Compilable<Row> & OperationNodeSource;

/**
 * A change of one ledger row that returns the row, and statements about the row that run if the change happens: all or nothing.
 * They read the row from the table whose name they get. It is one statement on PostgreSQL, and one commit on SQLite.
 */
export function followed<Row>(
  db: Kysely<Tables>,
  change: Statement<Row>,
  followUps: (changed: "verification") => Statement[],
): Compilable<Row> {
  if (isSqlite(db)) {
    const followedBy = followUps("verification").map((statement) => statement.compile());
    return { compile: () => ({ ...change.compile(), followedBy }) as FollowedQuery<Row> };
  }
  // The other statements see the table itself as it was before.
  let query = db.with("changed", () => change as never);
  for (const [index, statement] of followUps("changed" as "verification").entries())
    query = query.with(`follow_up_${index}`, () => statement as never) as typeof query;
  return query.selectFrom("changed" as "verification").selectAll() as unknown as Compilable<Row>;
}
