import { createHash } from "node:crypto";
import type { BlockList } from "node:net";
import { isRefusedAddress } from "../../runtime/network/send-delivery.ts";
import { urlHoldsNumber } from "../../runtime/redact.ts";
import type { EventEndpointRow } from "../../storage/tables.ts";

export const urlForm = "an https:// URL without a user name and a fragment";

/**
 * Returns the URL of an endpoint. Undefined if the text is not an http(s) URL, or has a user name, a password or a
 * fragment, which no receiver gets.
 */
export function readEndpointUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  // `hash` is also empty for an empty fragment.
  return isWeb && url.username === "" && url.password === "" && !url.href.includes("#") ? url : undefined;
}

/**
 * Why no endpoint of this mode may have the URL. `networks`: private ones that receivers may be in. The address of a
 * host name is checked with each delivery.
 */
export function whyUnfit(
  url: URL,
  mode: EventEndpointRow["mode"],
  networks: BlockList | null,
): "number" | "private" | "plain" | undefined {
  if (urlHoldsNumber(decoded(url.host + url.pathname + url.search))) return "number";
  if (isRefusedAddress(url, networks)) return "private";
  return url.protocol !== "https:" && mode !== "test" && networks === null ? "plain" : undefined;
}

/** The problem of a URL that may contain a person's number. Completes "url must …". */
export const withoutNumber = "must not hold a number of ten to 14 digits, which may be a person's";

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * A webhook's URL in its shown form. Its path and query may be the only protection from strangers, so the beginning of
 * the URL's SHA-256 replaces both. The hash distinguishes two URLs of one host.
 */
export function shownUrl(url: string): string {
  const { origin, pathname, search, href } = new URL(url);
  if (pathname === "/" && search === "") return origin;
  return `${origin}/…${createHash("sha256").update(href).digest("hex").slice(0, 4)}`;
}
