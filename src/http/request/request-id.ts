import { randomBytes } from "node:crypto";
import { holdsLongNumber } from "../../operation/fields.ts";

const prefix = randomBytes(6).toString("hex");
let count = 0;

/** A request id that no other process and no other request of this one has. */
export function newRequestId(): string {
  count += 1;
  return `${prefix}-${count.toString(36)}`;
}

/** The caller's own request id if it is a sane one that can hold no BVN, else a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  if (typeof given !== "string") return newRequestId();
  return /^[A-Za-z0-9._:-]{1,64}$/.test(given) && !holdsLongNumber(given) ? given : newRequestId();
}
