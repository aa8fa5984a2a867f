import { randomBytes } from "node:crypto";

/**
 * A new id for the history of a store's catalogue: ten hexadecimal digits. A restore gets a new one, because its later
 * revisions reuse the numbers of other revisions.
 */
export function newHistoryId(): string {
  return randomBytes(5).toString("hex");
}
