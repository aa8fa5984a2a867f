import type { UpstreamNeed } from "../../upstreams/ports/identity-upstream.ts";

/** A vendor that stands before the one that was asked, and why it was not asked itself. */
export interface PassedOver {
  vendor: string;
  reason: "other_kind" | `needs_${UpstreamNeed}` | "paused" | "not_ready";
}

/** As an attempt keeps them, such as `prembly=paused`. Null: none was passed over. */
export function storedPassedOver(vendors: readonly PassedOver[]): string | null {
  return vendors.map(({ vendor, reason }) => `${vendor}=${reason}`).join(",") || null;
}

export function readPassedOver(why: string | null): PassedOver[] {
  if (why === null) return [];
  return why.split(",").map((part) => {
    const [vendor, reason] = part.split("=") as [string, PassedOver["reason"]];
    return { vendor, reason };
  });
}
