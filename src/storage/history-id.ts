import { randomBytes } from "node:crypto";

/**
 * Returns a new id for a store's catalogue history: ten hexadecimal digits. A restored store needs a new id, because
 * its next revisions reuse numbers.
 */
export function newHistoryId(): string {
  return randomBytes(5).toString("hex");
}
