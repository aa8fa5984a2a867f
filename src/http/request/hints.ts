import type { IncomingHttpHeaders } from "node:http";
import { isRepeatable } from "../../operation/fields.ts";
import { type BoundOperation, isKeyed } from "../../operation/operation.ts";

/** Tells a test key what its request has that nothing reads. The response is the same without it. */
export const hintHeader = "Duba-Hint";

/** `always`, flat header pairs, with one more hint. */
export function withHint(always: readonly string[], hint: string): string[] {
  const at = always.indexOf(hintHeader);
  return at < 0 ? [...always, hintHeader, hint] : always.with(at + 1, `${always[at + 1]} ${hint}`);
}

/** A key in a header that we do not read. We do not know its mode: a live one gets no hint. */
export function keyHint({ authorization, "x-api-key": key }: IncomingHttpHeaders): string | undefined {
  if (authorization !== undefined || key === undefined || String(key).startsWith("duba_live_")) return undefined;
  return "X-API-Key is not read. Send Authorization: Bearer <api key>.";
}

export function idempotencyHint(operation: BoundOperation, headers: IncomingHttpHeaders): string | undefined {
  if (headers["x-idempotency-key"] === undefined || headers["idempotency-key"] !== undefined) return undefined;
  return isKeyed(operation) ? "X-Idempotency-Key is not read. Send Idempotency-Key." : undefined;
}

/** What stands in the query string or the body of a request, and is no parameter there. */
export function unreadHint(
  { id, carriage, input }: BoundOperation,
  query: object,
  body: object = {},
): string | undefined {
  const known = Object.keys(input.properties);
  const isUnknown = (name: string) => !known.includes(name);
  const inQuery = Object.keys(query).filter((name) => carriage === "body" || isUnknown(name));
  const unread = [
    ...inQuery.map((name) => named(name) + (carriage === "body" ? " in the query string" : "")),
    ...Object.keys(body).filter(isUnknown).map(named),
  ];
  if (unread.length === 0) return undefined;
  const takes =
    known.length === 0 ? "no parameters" : known.join(", ") + (carriage === "body" ? " in a JSON body" : "");
  return `${id} does not read ${[...new Set(unread)].slice(0, 5).join(", ")}. It takes ${takes}.`;
}

/** People paste numbers of persons anywhere. */
function named(name: string): string {
  return isRepeatable(name) ? name : "a parameter";
}
