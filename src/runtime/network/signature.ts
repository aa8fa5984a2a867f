import { createHmac, randomBytes } from "node:crypto";

/** Begins each secret; the rest is its bytes in base64. */
export const secretPrefix = "whsec_";

export function newSecret(): string {
  return secretPrefix + randomBytes(32).toString("base64");
}

/**
 * The headers of a delivery by the Standard Webhooks specification 1.0.0 (standardwebhooks.com): an HMAC-SHA256 over
 * id, time and body for each secret. `at`: milliseconds since 1970.
 */
export function signedHeaders(
  { id, body, at }: { id: string; body: string; at: number },
  secrets: readonly string[],
): Record<string, string> {
  const seconds = String(Math.floor(at / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": signatures.join(" ") };
}
