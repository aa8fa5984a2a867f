/** SQLite's primary result codes (sqlite.org/rescode.html), numbered from 1. */
const primary = [
  ...["ERROR", "INTERNAL", "PERM", "ABORT", "BUSY", "LOCKED", "NOMEM", "READONLY", "INTERRUPT", "IOERR", "CORRUPT"],
  ...["NOTFOUND", "FULL", "CANTOPEN", "PROTOCOL", "EMPTY", "SCHEMA", "TOOBIG", "CONSTRAINT", "MISMATCH", "MISUSE"],
  ...["NOLFS", "AUTH", "FORMAT", "RANGE", "NOTADB"],
];

/** The extended codes that our code must distinguish from their primary codes. */
const extended: Record<number, string> = {
  275: "CONSTRAINT_CHECK",
  516: "ABORT_ROLLBACK",
  787: "CONSTRAINT_FOREIGNKEY",
  1299: "CONSTRAINT_NOTNULL",
  1555: "CONSTRAINT_PRIMARYKEY",
  2067: "CONSTRAINT_UNIQUE",
};

/** The name of SQLite's result code, such as `SQLITE_BUSY`; undefined for an error that is not SQLite's. */
export function resultCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  const code = Number(error.errcode);
  return `SQLITE_${extended[code] ?? primary[(code & 0xff) - 1] ?? "ERROR"}`;
}
