import { randomBytes } from "node:crypto";

/**
 * Names the history of a store's catalogue: ten hexadecimal digits. A restored store gets another one, since its revisions
 * from then on are others under the same numbers.
 */
export function newHistoryId(): string {
  return randomBytes(5).toString("hex");
}
