export type * from "kysely";
export {
  AbortedTransactionError,
  createQueryId,
  expressionBuilder,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from "kysely";
export { type Migration, Migrator } from "kysely/migration";
