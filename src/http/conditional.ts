import type { IncomingHttpHeaders } from "node:http";
import type { ReadyResponse } from "../declare/answers/ready-response.ts";

/**
 * Whether the caller already has the response (RFC 9110, section 13). `hadBody`: the request had a body, so its URL
 * alone does not show which list a date belongs to.
 */
export function isUnmodified(headers: IncomingHttpHeaders, ready: ReadyResponse, hadBody: boolean): boolean {
  const tags = headers["if-none-match"];
  if (tags !== undefined) return matchesTag(tags, ready.etag);
  const since = headers["if-modified-since"];
  return since !== undefined && !hadBody && httpDate.test(since) && Date.parse(since) >= ready.modifiedAt;
}

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Whether an `If-None-Match` header names the tag; by weak comparison. */
export function matchesTag(header: string, etag: string): boolean {
  return header.trim() === "*" || header.split(",").some((tag) => withoutWeak(tag.trim()) === withoutWeak(etag));
}

function withoutWeak(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

/** The headers of a 200 that its 304 repeats (RFC 9110, section 15.4.5). */
const REPEATED = new Set([
  "ETag",
  "Last-Modified",
  "Cache-Control",
  "Content-Location",
  "Vary",
  "Duba-Catalogue-Revision",
  "Duba-Catalogue-As-Of",
  "Duba-Catalogue-Stale",
]);

/** Flat header pairs of a 304, from the headers of its 200. */
export function notModifiedHeaders(headers: readonly string[]): string[] {
  return headers.filter((_, at) => REPEATED.has(headers[at - (at % 2)]!));
}

/**
 * Header pairs for a ready response to a request with a body. A cache keyed by URL would serve the response for another
 * product. So the response must not be stored, and Content-Location names the URL of an equal response.
 */
export function uncachedHeaders(headers: readonly string[], url: string, input: Record<string, string>): string[] {
  const uncached: string[] = [];
  for (let at = 0; at < headers.length; at += 2)
    uncached.push(headers[at]!, headers[at] === "Cache-Control" ? "no-store" : headers[at + 1]!);
  return [...uncached, "Content-Location", `${url.split("?", 1)[0]}?${new URLSearchParams(input)}`];
}
