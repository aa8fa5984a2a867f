import { type Expression, type Kysely, sql } from "kysely";
import { isSqlite } from "../engine.ts";
import type { Tables } from "../tables.ts";

/** The table `input` of one statement that runs several calls together. Each call has one row in it. */
export interface Input {
  /** The expression that `input` stands for. */
  table: Expression<unknown>;
  /** Counts earlier calls with the same values under these names. Of a list, only the first member is compared. */
  countBefore(...names: string[]): Expression<number>;
}

interface SharedInput<Values> {
  input: Input;
  /** The values of one call, as columns of `input`. */
  columns: Values;
  /** JSON of the calls, from which the store reads `input`. Lists must be as long as those of `values`. */
  jsonOf(calls: readonly Values[]): string[];
}

/** A value of a call, or one member of a list. */
interface Member {
  name: string;
  /** The index in the list. */
  at?: number;
}

/**
 * `text`: the parameter with the JSON on PostgreSQL; on SQLite it is `@input`. `kinds`: the column kind of each value
 * and list member.
 */
export function sharedInput<Values extends { reference: string }>(
  db: Kysely<Tables>,
  values: Values,
  kinds: Readonly<Record<string, string>>,
  text: unknown,
): SharedInput<Values> {
  const membersOf = (name: string, value: unknown): Member | Member[] =>
    Array.isArray(value) ? value.map((_, at) => ({ name, at })) : { name };
  const named = new Map(Object.entries(values).map(([name, value]) => [name, membersOf(name, value)]));
  const all = [...named.values()].flat();
  const columnOf = (member: Member, table = "input") => sql.ref(`${table}.${columnName(member)}`);
  const columns = [...named].map(([name, members]) => [
    name,
    Array.isArray(members) ? members.map((member) => columnOf(member)) : columnOf(members),
  ]);
  return {
    input: {
      table: isSqlite(db) ? sqliteTable(all) : postgresTable(all, kinds, text),
      countBefore(...names) {
        const same = names.map((name) => {
          const [first] = [named.get(name)!].flat();
          return sql`${columnOf(first!, "earlier")} = ${columnOf(first!)}`;
        });
        return sql<number>`(
          select count(*) from input as earlier where earlier.place < input.place and ${sql.join(same, sql` and `)})`;
      },
    },
    columns: Object.fromEntries(columns) as Values,
    jsonOf: (calls) => calls.map((call, place) => `{"place":${place},"is_call":1,${JSON.stringify(call).slice(1)}`),
  };
}

/** Returns a name that no table's column has. */
function columnName({ name, at }: Member): string {
  return at === undefined ? `call ${name}` : `call ${name} ${at}`;
}

/** SQLite's binary JSON, so that the text is parsed once and not for each value. */
function sqliteTable(members: readonly Member[]): Expression<unknown> {
  const columns = members.map((member) => {
    const path = `$.${member.name}${member.at === undefined ? "" : `[${member.at}]`}`;
    return sql`value ->> ${sql.lit(path)} as ${sql.ref(columnName(member))}`;
  });
  return sql`(select ${sql.join(columns)}, key as place from jsonb_each(@input))`;
}

function postgresTable(
  members: readonly Member[],
  kinds: Readonly<Record<string, string>>,
  text: unknown,
): Expression<unknown> {
  const types = new Map(
    members.map(({ name, at }) => [name, postgresType(name, kinds) + (at === undefined ? "" : "[]")]),
  );
  const typed = [...types].map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`);
  const columns = members.map((member) => {
    const { name, at } = member;
    const value = at === undefined ? sql.ref(name) : sql`(${sql.ref(name)})[${sql.lit(at + 1)}]`;
    return sql`${value} as ${sql.ref(columnName(member))}`;
  });
  // `is_call = 1` makes PostgreSQL expect one row, and so use indexes. Otherwise it expects 100 rows, and scans small
  // tables.
  return sql`(
    select ${sql.join(columns)}, place
    from json_to_recordset(${text}) as call (${sql.join(typed)}, place integer, is_call integer)
    where is_call = 1)`;
}

function postgresType(name: string, kinds: Readonly<Record<string, string>>): string {
  const kind = kinds[name];
  if (kind === undefined) throw new Error(`The kind of ${name} is not given`);
  return kind.startsWith("flag") ? "integer" : kind.split(/\W/)[0]!;
}
