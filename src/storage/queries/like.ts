import { type RawBuilder, type SqlBool, sql } from "kysely";

/** The longest text that is looked for: SQLite takes no pattern of 50,000 characters. */
const longest = 1_000;

/**
 * Whether a column has the text in it, in any case of letters, or, unless `within`, is the text. The engines know the cases of ASCII letters
 * alike, so any other character stands for any: compare the rows once more.
 */
export function isLike(column: string, text: string, within = false): RawBuilder<SqlBool> {
  if (text.length > longest) return sql`1 = 0`;
  const literal = text
    .toLowerCase()
    .replaceAll(/[%_\\]/g, "\\$&")
    .replaceAll(/[^ -~]/gu, "_");
  const pattern = within ? `%${literal}%` : literal;
  return sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}
