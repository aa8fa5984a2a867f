import { randomFillSync } from "node:crypto";

const drawn = Buffer.alloc(4096);
let used = drawn.length;

/**
 * This many random bytes as base64url, for an id. The bytes are drawn in bulk, because each draw costs more than its
 * bytes.
 */
export function randomText(bytes: number): string {
  if (used + bytes > drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += bytes;
  return drawn.toString("base64url", used - bytes, used);
}
