import { randomBytes } from "node:crypto";

const prefix = randomBytes(6).toString("hex");
let count = 0;

/** A request id that no other process and no other request of this one has. */
export function newRequestId(): string {
  count += 1;
  return `${prefix}-${count.toString(36)}`;
}

const uuid = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** The caller's own request id if it is a sane one, else a new one. People paste BVNs anywhere: not here. */
export function requestIdOf(given: string | string[] | undefined): string {
  if (typeof given !== "string") return newRequestId();
  if (uuid.test(given)) return given;
  return /^[A-Za-z0-9._:-]{1,64}$/.test(given) && !/\d{10}/.test(given) ? given : newRequestId();
}
