import type { RouteSettings } from "../identity-settings.ts";

/**
 * The vendor that gets this verification to learn from; undefined: none does. The stored hash of an idempotency key decides, so that a retry
 * goes the same way; without one, chance does.
 */
export function shareOf(hash: string | null, shares: RouteSettings["shares"]): string | undefined {
  if (shares.length === 0) return undefined;
  let rest = 100 * (hash === null ? Math.random() : fractionOf(hash));
  return shares.find(({ percent }) => {
    rest -= percent;
    return rest < 0;
  })?.vendor;
}

/** From 0 to 1, evenly: the first 48 bits of a keyed hash. */
function fractionOf(hash: string): number {
  const bytes = Buffer.from(hash.slice(hash.indexOf(":") + 1), "base64url");
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}
