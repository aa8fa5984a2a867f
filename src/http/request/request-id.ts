import { randomBytes } from "node:crypto";
import { isPlainId } from "../../operation/fields.ts";

/** Letters only: digits in a row would make an id that is not plain. */
const prefix = randomBytes(6)
  .toString("hex")
  .replaceAll(/\d/g, (digit) => "ghijklmnop"[Number(digit)]!);
let count = 0;

/** A new request id, unique across requests and processes. */
export function newRequestId(): string {
  count += 1;
  return `${prefix}-${count.toString(36)}`;
}

/** The caller's request id if it is well formed and cannot contain a BVN, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  if (typeof header !== "string") return newRequestId();
  return isPlainId(header) ? header : newRequestId();
}
