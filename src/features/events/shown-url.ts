import { createHash } from "node:crypto";

/**
 * A webhook's URL as it is shown. Its path and its query may be all that keeps strangers out, so we show the beginning
 * of the URL's SHA-256 in their place, which tells two URLs of one host apart.
 */
export function shownUrl(url: string): string {
  const { origin, pathname, search, href } = new URL(url);
  if (pathname === "/" && search === "") return origin;
  return `${origin}/…${createHash("sha256").update(href).digest("hex").slice(0, 4)}`;
}
