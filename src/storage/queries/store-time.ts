import { sql } from "kysely";

/** Milliseconds since 1970 by PostgreSQL's clock, which all processes share. */
export const databaseTime = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

/** Milliseconds since 1970 by the clock of the store. */
export const storeTime = (isShared: boolean) =>
  isShared ? databaseTime : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
