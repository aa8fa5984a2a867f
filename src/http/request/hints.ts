import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isRepeatable } from "../../declare/fields.ts";
import type { BoundOperation } from "../../declare/operation.ts";

/**
 * The header with hints for test keys and for requests without a credential, such as about parts that nothing reads.
 * The rest of the response does not change.
 */
export const hintHeader = "Duba-Hint";

/** The header pairs in `always`, with one more hint. */
export function withHint(always: readonly string[], hint: string): string[] {
  const at = always.indexOf(hintHeader);
  return at < 0 ? [...always, hintHeader, hint] : always.with(at + 1, `${always[at + 1]} ${hint}`);
}

const keyHeaders = ["X-API-Key", "API-Key"].map((told) => ({ name: told.toLowerCase(), told }));
const keyInUrl = /[?&](api_?key)=(?!duba_live_)/i;

/**
 * Looks for the misplaced key of a request without an `Authorization` header: in another header, or in the URL. The
 * key is not looked up: a live key is known by its prefix, and gets no hint.
 */
export function keyHint({ headers, url }: Pick<IncomingMessage, "headers" | "url">): string | undefined {
  for (const { name, told } of keyHeaders)
    if (headers[name] !== undefined && !String(headers[name]).startsWith("duba_live_")) return sendsKeyIn(told);
  const inUrl = keyInUrl.exec(url!)?.[1];
  return inUrl === undefined ? undefined : sendsKeyIn(`${inUrl} in the URL`);
}

const sendsKeyIn = (place: string) => `${place} is not read. Send Authorization: Bearer <api key>.`;

/** Headers that operations read, each with the unread headers that callers send instead. */
const meantHeaders: Record<string, readonly string[]> = {
  "idempotency-key": ["X-Idempotency-Key", "Idempotent-Key"],
  "consent-reference": ["X-Consent-Reference"],
};

/**
 * Returns hints about headers whose names resemble those that the operation reads. `read`: the names that the operation
 * reads.
 */
export function headerHints(read: readonly string[], headers: IncomingHttpHeaders): string[] {
  const hints: string[] = [];
  for (const name of read) {
    if (headers[name] !== undefined) continue;
    for (const sent of meantHeaders[name] ?? []) {
      if (headers[sent.toLowerCase()] === undefined) continue;
      hints.push(`${sent} is not read. Send ${name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())}.`);
      break;
    }
  }
  return hints;
}

/** Returns a hint about members of the query string or the body that are no parameters of the operation. */
export function unreadHint(
  { id, carriage, input }: BoundOperation,
  query: object,
  body: object = {},
): string | undefined {
  const { properties } = input;
  const unread: string[] = [];
  for (const name of Object.keys(query))
    if (carriage === "body") unread.push(`${named(name)} in the query string`);
    else if (!Object.hasOwn(properties, name)) unread.push(named(name));
  for (const name of Object.keys(body)) if (!Object.hasOwn(properties, name)) unread.push(named(name));
  if (unread.length === 0) return undefined;
  const known = Object.keys(properties);
  const takes =
    known.length === 0 ? "no parameters" : known.join(", ") + (carriage === "body" ? " in a JSON body" : "");
  return `${id} does not read ${[...new Set(unread)].slice(0, 5).join(", ")}. It takes ${takes}.`;
}

/** Names a member, unless the name may be a person's number: people paste numbers anywhere. */
function named(name: string): string {
  return isRepeatable(name) ? name : "a parameter";
}
