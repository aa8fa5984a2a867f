import { randomInt } from "node:crypto";

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
