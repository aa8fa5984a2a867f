import { randomInt } from "node:crypto";
import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import type { Tables } from "../storage/tables.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const alphanumerics = `0123456789${letters}`;

/** Milliseconds that share a prefix. A prefix repeats after 96 years. */
const tick = 64;

/**
 * A new `request_reference`: 6 alphanumerics of the time `now` (milliseconds since 1970) and 9 random digits, so that
 * references of the same time are adjacent in every index. The sixth character is a letter, so that ten digits in a
 * row, which we treat as a person's number elsewhere, never occur.
 */
export function newReference(now: number): string {
  let ticks = Math.floor(now / tick);
  let head = "";
  while (head.length < 6) {
    const text = head === "" ? letters : alphanumerics;
    head = text[ticks % text.length]! + head;
    ticks = Math.floor(ticks / text.length);
  }
  return head + String(randomInt(1_000_000_000)).padStart(9, "0");
}

/**
 * The creation time of a reference, to within 64 ms, in milliseconds since 1970; undefined for a text that is no
 * reference of Duba.
 */
export function timeOfReference(reference: string): number | undefined {
  const [, head = "", last = ""] = /^([0-9A-Za-z]{5})([A-Za-z])\d{9}$/.exec(reference) ?? [];
  if (last === "") return undefined;
  const turns = [...head].reduce((sum, one) => sum * alphanumerics.length + alphanumerics.indexOf(one), 0);
  return (turns * letters.length + letters.indexOf(last)) * tick;
}

/** Whether no row has an idempotency key with one of these hashes. */
export function isFree(hashes: readonly string[]): Expression<SqlBool> {
  const { exists, not, selectFrom } = expressionBuilder<Tables, never>();
  const bound = selectFrom("verification as bound").select("bound.reference");
  return not(exists(bound.where("bound.idempotency_hash", "in", hashes)));
}
