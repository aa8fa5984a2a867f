import { type Expression, type Kysely, sql } from "kysely";
import { isSqlite } from "../engine.ts";
import type { Tables } from "../tables.ts";

/** The table `input` of a statement that several calls share, with one row per call. */
export interface Input {
  /** The expression that `input` stands for. */
  table: Expression<unknown>;
  /**
   * Counts the earlier calls that have the same values under these names. For a list, only its first member is
   * compared.
   */
  countBefore(...names: string[]): Expression<number>;
}

interface SharedInput<Values> {
  input: Input;
  /** The values of one call, as columns of `input`. */
  columns: Values;
  /** JSON of each call, from which the store reads `input`. Their lists must be as long as those of `values`. */
  jsonOf(calls: readonly Values[]): string[];
}

/**
 * `text` is the parameter that takes the JSON on PostgreSQL; SQLite takes it as `@input`. `kinds`: the column kind of
 * each value, and of the members of each list.
 */
export function sharedInput<Values extends { reference: string }>(
  db: Kysely<Tables>,
  values: Values,
  kinds: Record<string, string>,
  text: unknown,
): SharedInput<Values> {
  const types: string[] = [];
  const add = (name: string) => {
    const kind = kinds[name];
    if (kind === undefined) throw new Error(`The kind of ${name} is not given`);
    return `v${types.push(kind.startsWith("flag") ? "integer" : kind.split(/\W/)[0]!) - 1}`;
  };
  const named = new Map(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(() => add(name)) : add(name),
    ]),
  );
  const columns = [...named].map(([name, column]) => [
    name,
    typeof column === "string" ? sql.ref(`input.${column}`) : column.map((one) => sql.ref(`input.${one}`)),
  ]);
  const typed = types.map((type, index) => sql`${sql.ref(`v${index}`)} ${sql.raw(type)}`);
  const members = types.map((_, index) => sql`value ->> ${sql.lit(`$.v${index}`)} as ${sql.ref(`v${index}`)}`);
  // The condition makes PostgreSQL expect one row and use indexes. Without it, it expects 100 rows and scans small
  // tables.
  const table = isSqlite(db)
    ? sql`(select ${sql.join(members)}, key as place from json_each(@input))`
    : sql`(
    select * from json_to_recordset(${text}) as input (${sql.join(typed)}, place integer, is_call integer)
    where is_call = 1)`;
  return {
    input: {
      table,
      countBefore(...names) {
        const same = names.map((name) => {
          const column = [named.get(name)!].flat()[0];
          return sql`${sql.ref(`earlier.${column}`)} = ${sql.ref(`input.${column}`)}`;
        });
        return sql<number>`(
          select count(*) from input as earlier where earlier.place < input.place and ${sql.join(same, sql` and `)})`;
      },
    },
    columns: Object.fromEntries(columns) as Values,
    jsonOf: (calls) =>
      calls.map((call, place) => {
        const row: Record<string, unknown> = { reference: call.reference, place, is_call: 1 };
        for (const [name, column] of named) {
          const value = call[name as keyof Values];
          if (typeof column === "string") row[column] = value;
          else for (const [index, one] of column.entries()) row[one] = (value as unknown[])[index];
        }
        return JSON.stringify(row);
      }),
  };
}
