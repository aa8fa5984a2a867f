import type { BoundOperation } from "../operation/operation.ts";

/** Flat header pairs of a deprecated operation (RFC 9745, RFC 8594). */
export function deprecation({ deprecated }: BoundOperation): string[] {
  if (!deprecated) return [];
  const { since, sunset, link } = deprecated;
  return [
    "Deprecation",
    `@${Date.parse(since) / 1000}`,
    "Sunset",
    new Date(sunset).toUTCString(),
    "Link",
    `<${link}>; rel="successor-version"`,
  ];
}

/** The pairs of a flat header list by name. */
export function pairsOf(flat: readonly string[]): Record<string, string> {
  return Object.fromEntries(Array.from({ length: flat.length / 2 }, (_, at) => [flat[at * 2], flat[at * 2 + 1]]));
}
