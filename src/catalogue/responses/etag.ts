import { createHash } from "node:crypto";

/** A weak ETag. */
export function etagOf(content: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of content) hash.update(part);
  return `W/"${hash.digest("base64url")}"`;
}
