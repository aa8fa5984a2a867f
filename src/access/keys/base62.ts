import { randomInt } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Unguessable text of `length` base62 characters; 43 of them hold 256 bits. */
export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) text += alphabet[randomInt(alphabet.length)];
  return text;
}

/** A whole number in base62, padded with zeros to `length`. */
export function base62Of(number: number, length: number): string {
  let text = "";
  for (let rest = number; rest > 0; rest = Math.floor(rest / 62)) text = alphabet.charAt(rest % 62) + text;
  return text.padStart(length, "0");
}
