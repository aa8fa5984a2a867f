import type { RouteSettings } from "../../ledger/identity-settings.ts";

/**
 * The vendor whose share includes this verification; undefined without one. The stored hash of the idempotency key
 * decides, so that a retry has the same result. Without a key, the choice is random.
 */
export function shareOf(hash: string | null, shares: RouteSettings["shares"]): string | undefined {
  if (shares.length === 0) return undefined;
  let rest = 100 * (hash === null ? Math.random() : fractionOf(hash));
  return shares.find(({ percent }) => {
    rest -= percent;
    return rest < 0;
  })?.vendor;
}

/** A number from 0 to 1, evenly distributed: the first 48 bits of a keyed hash. */
function fractionOf(hash: string): number {
  const bytes = Buffer.from(hash.slice(hash.indexOf(":") + 1), "base64url");
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}
