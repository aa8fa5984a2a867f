/** A portable column: `?` may be null, `key` is part of the primary key. `bigint` holds epoch milliseconds and kobo. */
export type ColumnKind = `${"text" | "integer" | "bigint" | "flag"}${"" | "?" | " key"}`;

/** The columns of a table's primary key, in order. */
export function primaryKey(columns: Record<string, ColumnKind>): string[] {
  return Object.keys(columns).filter((column) => columns[column]!.endsWith(" key"));
}
