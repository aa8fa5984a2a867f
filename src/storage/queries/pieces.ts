import { type SelectQueryBuilder, type SqlBool, sql } from "kysely";

/**
 * Cuts a list into pieces of `most` entries, and the rest into 128, 64, 32 … 1, for statements with one parameter per
 * entry. Engines cache each length as its own statement: hundreds of lengths took tens of megabytes.
 */
export function piecesOf<Entry>(list: readonly Entry[], most = 200): Entry[][] {
  const pieces: Entry[][] = [];
  for (let from = 0; from < list.length; ) {
    const left = list.length - from;
    const length = left >= most ? most : 2 ** Math.floor(Math.log2(left));
    pieces.push(list.slice(from, from + length));
    from += length;
  }
  return pieces;
}

type Value = string | number;

/**
 * Returns at most `size` rows in the order of `key`, after the row with the key `after`, or from the first. The query
 * must select the key columns under their names, and they must be unique together. `more`: whether further rows follow.
 */
export async function pageOf<Db, Table extends keyof Db, Row>(
  query: SelectQueryBuilder<Db, Table, Row>,
  key: readonly string[],
  size: number,
  after?: readonly Value[],
  direction: "asc" | "desc" = "asc",
): Promise<{ rows: Row[]; more: boolean }> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const beyond = sql.raw(direction === "asc" ? ">" : "<");
  const left = after ? query.where(sql<SqlBool>`(${columns}) ${beyond} (${sql.join(after)})`) : query;
  const found = await left
    .orderBy(direction === "asc" ? sql`${columns}` : sql.join(key.map((column) => sql`${sql.ref(column)} desc`)))
    .limit(size + 1)
    .execute();
  return { rows: found.slice(0, size), more: found.length > size };
}

/** All rows of a query in the order of `key`, page by page. */
export async function* pagesOf<Db, Table extends keyof Db, Row>(
  query: SelectQueryBuilder<Db, Table, Row>,
  key: readonly string[],
  size: number,
  direction: "asc" | "desc" = "asc",
): AsyncGenerator<Row[]> {
  let page = await pageOf(query, key, size, undefined, direction);
  while (page.rows.length > 0) {
    yield page.rows;
    if (!page.more) return;
    const last = page.rows.at(-1) as Record<string, Value>;
    const after = key.map((column) => last[column.split(".").at(-1)!]!);
    page = await pageOf(query, key, size, after, direction);
  }
}
