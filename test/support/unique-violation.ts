import { codeOf } from "../../src/storage/errors.ts";

const codes = new Set(["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY", "23505"]);

/** True when a statement failed because a row with that primary key or unique columns exists; alike on both engines. */
export function isUniqueViolation(error: unknown): boolean {
  return codes.has(codeOf(error) ?? "");
}
