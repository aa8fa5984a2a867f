import type { CheckedResponse, ServerRequest } from "./ask-server.ts";
import type { ServerExchange } from "./session.ts";

/** An exchange that a report may show: without keys, numbers of a person, and data of an identity record. */
export interface MaskedExchange {
  request: string;
  answer: string;
}

const mostCharacters = 600;
/** The response headers that a report shows. */
const shownHeaders = [
  "content-type",
  "content-length",
  "content-encoding",
  "location",
  "allow",
  "www-authenticate",
  "retry-after",
  "cache-control",
  "content-location",
  "vary",
  "etag",
  "last-modified",
  "x-request-id",
  "x-content-type-options",
  "duba-mode",
  "idempotency-replayed",
  "duba-catalogue-revision",
];

/** `secrets`: texts that no report may hold, such as the key. */
export function maskedExchange(
  { asked, answered }: ServerExchange,
  origin: string,
  secrets: readonly string[],
): MaskedExchange {
  const mask = (text: string) =>
    redactNumbers(redactCredentials(secrets.reduce((left, secret) => left.replaceAll(secret, "…"), text)));
  const isPersonal = /\/(?:kyc|merchant)\//.test(asked.path);
  return {
    request: mask(requestText(asked, origin)),
    answer: answered === undefined ? "(none)" : mask(answerText(answered, isPersonal)),
  };
}

function requestText({ method, path, headers, body }: ServerRequest, origin: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${origin}${path}`, ...lines, ...(body === undefined ? [] : ["", body])].join("\n");
}

function answerText({ status, headers, text, json }: CheckedResponse, isPersonal: boolean): string {
  const lines = shownHeaders.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`]));
  const body = isPersonal && json ? JSON.stringify(withoutPerson(json)) : isPersonal && text ? "(not JSON)" : text;
  const shown = body.length > mostCharacters ? `${body.slice(0, mostCharacters)}… (${body.length} characters)` : body;
  return [`HTTP ${status}`, ...lines, ...(shown === "" ? [] : ["", shown])].join("\n");
}

/** Replaces each text and number in the payload by its form: `29-Jul-1982` becomes `99-a-9999`. */
function withoutPerson(json: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, name === "data" ? formsOf(value) : value]),
  );
}

function formsOf(value: unknown): unknown {
  if (typeof value === "string")
    return value
      .replace(/\p{L}+/gu, "a")
      .replace(/\d/g, "9")
      .replace(/9{5,}/g, "9…");
  if (typeof value === "number") return 9;
  if (Array.isArray(value)) return value.map(formsOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, formsOf(member)]));
}

/** Replaces each run of ten or more digits, which may be a BVN, a NIN or a phone number, with "…". */
function redactNumbers(text: string): string {
  return text.replace(/\p{Nd}(?:[ \p{Cf}\p{Pd}()./_]{0,3}\p{Nd}){9,}/gu, "…");
}

/** Replaces whole API keys and tokens, also encoded ones in headers. */
export function redactCredentials(text: string): string {
  return text.replace(/duba_(?:test|live|at)_[\w-]+/g, "duba_…").replace(/Basic [\w+/=]+/g, "Basic …");
}
