import { codeOf } from "../../src/storage/errors.ts";

const codes = new Set(["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY", "23505"]);

/** Whether a statement failed because its primary key or unique columns exist, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  return codes.has(codeOf(error) ?? "");
}
