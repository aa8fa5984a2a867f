import { randomInt } from "node:crypto";
import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import type { Tables } from "../../storage/tables.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const alphanumerics = `${letters}0123456789`;

const oneOf = (text: string) => text[randomInt(text.length)]!;

/**
 * A new `request_reference`: 6 alphanumerics and 9 digits, random. The sixth is a letter, so that ten digits in a row,
 * which elsewhere pass for somebody's number, never occur.
 */
export function newReference(): string {
  const head = Array.from({ length: 5 }, () => oneOf(alphanumerics)).join("");
  return head + oneOf(letters) + String(randomInt(1_000_000_000)).padStart(9, "0");
}

/** Whether no row has an idempotency key with one of these hashes. */
export function isFree(hashes: readonly string[]): Expression<SqlBool> {
  const { exists, not, selectFrom } = expressionBuilder<Tables, never>();
  const bound = selectFrom("verification as bound").select("bound.reference");
  return not(exists(bound.where("bound.idempotency_hash", "in", hashes)));
}
