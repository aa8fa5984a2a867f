/**
 * Column kinds for both engines: `?` is nullable, `key` is part of the primary key. `bigint` holds epoch milliseconds
 * and kobo. The store assigns increasing values to a `serial`.
 */
export type ColumnKind = `${"text" | "integer" | "bigint" | "flag"}${"" | "?" | " key"}` | "serial key";

/** The columns of a table's primary key, in order. */
export function primaryKey(columns: Record<string, ColumnKind>): string[] {
  return Object.keys(columns).filter((column) => columns[column]!.endsWith(" key"));
}
